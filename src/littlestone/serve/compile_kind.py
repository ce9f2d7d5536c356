"""A kind of learner that is new here is compiled by a child process, so that the writer does not wait for seconds.

The child plays one round of it, and leaves the compiled code on disk, where this process finds it.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from ..core.errors import LittlestoneError
from ..engine.compile import engine
from .problems import Problem
from .requests import Outcome, Question, Spec, decode, encode
from .rounds import ask, begin, tell

COMMAND = "import sys; from littlestone.serve.compile_kind import compile_kind; compile_kind(sys.stdin.buffer.read())"


class Compilation:
    """Which kinds were compiled, and the child that compiles one."""

    def __init__(self) -> None:
        self.ready: set[bytes] = set()
        self.waiting: set[bytes] = set()  # kinds that were asked for and are not compiled yet
        self.compiling: tuple[bytes, subprocess.Popen[bytes]] | None = None

    def require(self, spec: Spec) -> None:
        """Return where a kind is compiled; else have it compiled, and ask the client to come back (503)."""
        if engine() == "plain":
            return
        begin(spec, 1)  # a spec that is refused is not compiled
        kind = encode([spec.learner, sorted(spec.parameters), spec.losses, spec.books])
        if self.compiling is not None and self.compiling[1].poll() is not None:
            self.ready.add(self.compiling[0])  # where it failed, this process will say why
            self.waiting.discard(self.compiling[0])
            self.compiling = None
        if kind in self.ready:
            return
        self.waiting.add(kind)
        if self.compiling is None:
            child = subprocess.Popen(
                [sys.executable, "-c", COMMAND], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            assert child.stdin is not None
            child.stdin.write(encode(spec))
            child.stdin.close()
            self.compiling = kind, child
        raise Problem(503, "not compiled yet", f"{spec.learner} is being compiled: try again")

    def close(self) -> None:
        """End the child."""
        if self.compiling is not None:
            self.compiling[1].kill()
            self.compiling[1].wait()


def compile_kind(raw: bytes) -> None:
    """Play two rounds of a learner: what they call is compiled, and kept on disk."""
    spec = decode(raw, Spec)
    learner = begin(spec, 1)
    for _ in range(2):
        try:
            ticket = ask(learner, Question(example(spec, learner)))
            tell(learner, ticket.id, outcome(spec, learner))
        except LittlestoneError:
            return  # it takes other rounds; they are compiled when they come
    learner.to_bytes()
    learner.digest()
    if spec.books:
        _ = learner.certificate


def example(spec: Spec, learner: Any) -> Any:
    """Something that a round may bring."""
    names = spec.features if learner.bandit else spec.names
    n = len(names) if isinstance(names, list) else names or (0 if learner.bandit else spec.n)
    middle = 0.5 if spec.interval is None else 0.5 * sum(spec.interval)
    if learner.bandit:
        return dict.fromkeys(names, 0.5) if isinstance(names, list) else [0.5] * (n or 0) or None
    if learner.live.traits.kind.losses_alone:
        return None
    if n is None:
        return {"a": 1.0}
    return [0.5 if learner.examples else spec.labels[0] if spec.labels else middle] * n


def outcome(spec: Spec, learner: Any) -> Outcome:
    """An outcome that it may have."""
    middle = 0.5 if spec.interval is None else 0.5 * sum(spec.interval)
    if learner.bandit:
        return Outcome(loss=middle)
    if learner.live.traits.kind.losses_alone:
        return Outcome(loss=[middle] * learner.live.shape.n)
    if learner.live.traits.classes:
        return Outcome(y=spec.labels[0] if spec.labels else 1)
    return Outcome(y=middle)
