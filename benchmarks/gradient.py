"""How well do the learners of docs/linear/gradient.md predict, with no parameter set?

    python -m benchmarks.gradient           its table, as Markdown

Test, then train, in the given order: accuracy / mean log loss of the scores as they are; Vowpal Wabbit in its default
beside them. Real data come from ../shared/data beside the project; a stream whose file is missing is left out, and
named.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

import littlestone as ls

from . import peers
from .example_streams import DATA, Stream, adult, electricity, reuters

KEYS = (
    "ogd",
    "logistic",
    "adagrad",
    "normalized-adaptive",
    "ftrl-proximal",
    "online-newton",
    "passive-aggressive",
    "arow",
    "coin-betting",
    "scale-free",
)
WIDE = 2000  # features; online-newton keeps a number for each pair of them


def both_parts_of_adult() -> Stream:
    """a1a, then a1a.t, as one stream of 32,561 examples."""
    parts = [adult(name) for name in ("a1a", "a1a.t")]
    return sparse.vstack([X for X, _ in parts], format="csr"), np.concatenate([y for _, y in parts])


STREAMS: dict[str, Callable[[], Stream]] = {
    "a1a, a1a.t": both_parts_of_adult,
    "electricity": electricity,
    "rcv1_small": reuters,
}


def learner(key: str) -> Any:
    """Features are scaled, and there is an intercept; ogd, whose loss would be the hinge, has the logistic one."""
    more = {"ogd": {"loss": "logistic"}, "passive-aggressive": {"variant": "II"}}.get(key, {})
    scaled = {"normalise": True} if "normalise" in ls.learner(key).parameters else {}
    return ls.learner(key, intercept=True, **scaled, **more)


def ours(key: str) -> Callable[[Any, Any], str]:
    def play(X: Any, y: Any) -> str:
        if key == "online-newton" and X.shape[1] > WIDE:
            return "too wide"
        run = ls.play(learner(key), X, y, certify=False, record="all")
        return cell(np.mean(run.predictions == y), run.scores, y)

    return play


def theirs(X: Any, y: Any) -> str:
    score = peers.wabbit(["--loss_function", "logistic"])(X, y)
    return cell(np.mean(np.where(score > 0, 1, -1) == y), score, y)


def cell(accuracy: Any, score: Any, y: Any) -> str:
    """Accuracy / mean log loss, to three places."""
    loss = np.mean(np.logaddexp(0.0, -y * score))
    return " / ".join(f"{v:.3f}".removeprefix("0") for v in (accuracy, loss))


def streams() -> dict[str, Stream]:
    found = {}
    for name, load in STREAMS.items():
        try:
            found[name] = load()
        except FileNotFoundError as problem:
            print(f"{name}: left out: {problem}", file=sys.stderr)
    return found


def table() -> Iterator[str]:
    data, release = streams(), version("vowpalwabbit").rpartition(".")[0]
    yield f"| learner | {' | '.join(data)} |\n| --- {'| --- ' * len(data)}|"
    rows = {f"`{key}`": ours(key) for key in KEYS} | {f"vw {release}": theirs}
    for name, play in rows.items():
        yield f"| {name} | {' | '.join(play(X, y) for X, y in data.values())} |"


def main() -> int:
    if not DATA.is_dir():
        print(f"no folder {DATA}: the streams of this table are read from there", file=sys.stderr)
        return 2
    for line in table():
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
