"""What is attacked: a learner, and one of its theorems, or a bound that the user conjectures in its place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import registry
from ..core.errors import BadInput, BadRule, LittlestoneError, NotFinite
from ..core.game import ONE, PAIR, PER_COORDINATE, SEVERAL, Traits
from ..core.guarantee import PERFECT, Guarantee, Symbols
from ..core.learner import Learner, hints, measure_symbols
from ..core.parameters import split_hint
from ..core.stream import Array, Batch
from ..encode.stream import Stream
from ..play.options import PlayOptions
from ..play.play_stream import play_stream
from ..run.run import Run
from .attack import Case, Trial, Volley
from .compiled_volley import CompiledVolleys
from .condition import condition
from .conjecture import Conjecture, symbols
from .expression import parse_expression
from .judge import judge_guarantee
from .prepare import prepare_case
from .printed_verdict import unanswered
from .worlds import WORLDS

AnyLearner = Learner[Any, Any, Any, Any]
SURELY = "surely"
FAILURES = 8  # so many failures are kept
LONG = 20_000  # with more rounds the compiled engine is worth its compilation


class Target:
    """A learner and a theorem. `trial` plays one case, `ratios` a volley of them."""

    def __init__(
        self,
        learner: AnyLearner | str,
        theorem: str | Guarantee | None = None,
        bound: str | Callable[[Symbols], Any] | None = None,
        where: str | None = None,
        **parameters: Any,
    ) -> None:
        self.learner = registry.learner(learner, **parameters)
        self.key = self.learner.key
        defaults = type(self.learner)
        # attackers do not vary what the user set
        self.given = frozenset(
            name
            for name, v in self.learner.parameters.items()
            if name in parameters or differs(v, defaults, name)
        )
        self.theorem = chosen(self.learner, theorem)
        self.conjecture = bound  # None: the theorem's own bound is attacked
        self.where = where  # a condition that the user adds to those of the theorem
        g = self.theorem
        known = symbols(g, self.learner.examples)
        extra = None if where is None else condition(where, known)
        # the symbols of the user's bound and condition; None: the theorem's own bound is attacked
        self.mentions: frozenset[str] | None = None
        text = g.statement
        used: Callable[[Symbols], Any] = g.bound
        if isinstance(bound, str):
            expression = parse_expression(bound, known)
            self.mentions = expression.names | (frozenset() if extra is None else extra.names)
            used, text = expression, f"{g.measures} <= {bound}"
        elif bound is not None:
            self.mentions = frozenset()
            used, text = bound, f"{g.measures} <= a function of the caller"
        if bound is not None or extra is not None:
            text += "" if extra is None else f", where {extra}"
            g = replace(g, bound=Conjecture(g, used, extra), statement=text)
        self.guarantee: Guarantee = g
        self.failures: list[tuple[str, Case]] = []  # runs on which the rules failed, and how

    # What may be varied.

    @functools.cached_property
    def kinds(self) -> tuple[str, ...]:
        """What its rounds may hold: losses, advice, labels; or examples with two classes, numbers, …

        It is empty where the search cannot make rounds for the game: bandits, actions that are vectors.
        """
        found = []
        for allocation in (True, False):
            try:
                traits = self.learner.game(allocation).traits()
            except LittlestoneError:
                continue
            if traits.kind.losses_alone == allocation:
                found.append(kind(self.learner, traits))
        return tuple(word for word in dict.fromkeys(found) if word)

    @functools.cached_property
    def places(self) -> int:
        """How many numbers an example has, where these number places (vertices, points); else 0."""
        limits = self.learner.limits
        if limits is not None:
            return len(limits)
        return 1 if any(name in self.free for name in WORLDS) else 0

    @property
    def expression(self) -> str | None:
        """The bound that the user wrote in place of the theorem's; None where there is none, or it is a function."""
        return self.conjecture if isinstance(self.conjecture, str) else None

    @functools.cached_property
    def needs_truth(self) -> bool:
        """Is the theorem about streams on which one of the comparators is always right?"""
        g = self.guarantee
        return PERFECT in g.assumptions or (g.against == "none" and g.measures == "mistakes")

    @functools.cached_property
    def free(self) -> dict[str, Any]:
        """Parameters that an attacker may set, and how each is declared.

        The theorem's own bound is about every setting within its assumptions; one that a user conjectures is about the
        parameters that it mentions, and the others stay as the theorem tunes them.
        """
        return {
            name: split_hint(hint)
            for name, hint in hints(type(self.learner)).items()
            if name not in self.given
            and (self.mentions is None or name in self.mentions or name in WORLDS)
        }

    @property
    def scales(self) -> bool:
        """May losses lie in another interval than [0, 1]?"""
        return self.mentions is None or "B" in self.mentions

    def admits(self, kind: str, n: int, T: int, given: dict[str, Any]) -> bool:
        """Is the theorem about this setting, as far as that is known before it is played?"""
        try:
            learner = self.learner.replace(**given["parameters"])
            rounds = T if given["horizon_known"] else 0
            s = measure_symbols(
                *prepare_case(learner, kind == "losses", n, rounds, given["interval"])
            )
        except LittlestoneError:
            return False
        s.__dict__.update(
            T=T, passes=given.get("passes", 1), even=True, lightest=1.0, weightiest=1.0
        )
        g = self.guarantee
        if g.delayed:
            s.__dict__.update(lags=T, lag=1, crowd=1, never=0)
        try:
            if g.when is not None and not g.when(s):
                return False
            return all(a.check(s) is None for a in g.assumptions if a is not PERFECT)
        except (AttributeError, TypeError):  # the assumption can be checked only after the run
            return True

    # Playing.

    def played(self, case: Case, engine: str | None = None, record: str = "none") -> Run:
        """The run of a case. Raises where the learner, or `play`, says that it cannot be played."""
        learner = self.learner.replace(**case.parameters) if case.parameters else self.learner
        if engine is None and len(case.y) < LONG:
            engine = "plain"
        options: dict[str, Any] = {}
        if case.interval is not None and not learner.examples:
            options["interval"] = case.interval
        if learner.examples:
            options["passes"] = case.passes
        if case.delay:
            options |= {"delay": case.delay, "interleave": False}
        shifts = min(len(case.y) - 1, 32) if self.guarantee.against == "sequence" else 0
        how = PlayOptions(engine=engine, record=record, shifts=shifts, **options)
        run = play_stream(learner, stream_of(case, learner), how, allocation=case.x is None)
        assert isinstance(run, Run)
        return run

    def trial(self, case: Case, engine: str | None = None) -> Trial:
        """Play a case, and set what it measured against the bound."""
        try:
            with np.errstate(all="ignore"):
                run = self.played(case, engine)
                lost = unanswered(run, case)
                return judge_guarantee(self.guarantee, run) if not lost else self.failed(lost, case)
        except NotFinite as problem:
            # the learner may refuse extreme numbers; elsewhere this is a bug
            return (
                self.failed(str(problem), case) if ordinary(case) else Trial(0.0, why=str(problem))
            )
        except BadRule as problem:
            return self.failed(str(problem), case)
        except LittlestoneError as refused:
            return Trial(0.0, why=str(refused))
        except (ArithmeticError, ValueError, LookupError) as problem:
            # this breaks no theorem, but a rule must not fail on rounds that `play` accepts
            return self.failed(f"{type(problem).__name__}: {problem}", case)

    def failed(self, said: str, case: Case) -> Trial:
        """Note that the learner's rules failed on a case."""
        if len(self.failures) < FAILURES:
            self.failures.append((said, case))
        return Trial(0.0, why=f"its rules failed, {said}")

    @functools.cached_property
    def compiled(self) -> CompiledVolleys:
        """Plays volleys in compiled code, where that can be done."""
        return CompiledVolleys(self.learner, self.guarantee)

    def ratios(self, volley: Volley) -> Array:
        """The ratio of each run of a volley, compiled where that can be done."""
        found: Array | None = self.compiled.ratios(volley)
        if found is None:
            return np.array([self.trial(volley.case(b)).ratio for b in range(len(volley))])
        lost = np.flatnonzero(np.isnan(found))
        for b in lost[:FAILURES]:  # its loss is not a number; the plain rules show why
            case = volley.case(int(b))
            if not self.trial(case).why:
                self.failed("its loss is not a number in compiled code", case)
        found[lost] = 0.0
        return found


def differs(v: Any, cls: Any, name: str) -> bool:
    """Does a parameter differ from its default?"""
    return repr(v) != repr(getattr(cls(), name))


def kind(learner: AnyLearner, traits: Traits) -> str:
    """The word for the rounds of a game; "" where the search knows no rounds for it."""
    if traits.kind.losses_alone:
        return "losses"
    if traits.width == PAIR and traits.kind.has_examples:
        return "interval"
    if traits.width != ONE or not traits.kind.has_outcomes:
        return ""
    if traits.kind.has_advice:
        return "labels" if learner.labels else "advice"
    if learner.boolean:
        return "boolean"
    if traits.classes == SEVERAL:
        return "classes"
    if traits.classes == 2:
        return "two"
    return "convex" if traits.decision == PER_COORDINATE else "numbers"


def classes_of(y: Any, x: Any, learner: AnyLearner) -> tuple[Any, ...]:
    """The classes of a case: as the learner's game names them; for experts 0, 1, … up to the largest that occurs."""
    if learner.examples:
        seen = sorted({float(v) for v in y if v == v})
        if learner.game(False).traits().classes == SEVERAL:
            least = 3 if learner.limits is None else 2
            return tuple(float(c) for c in range(max(least, int(max(seen, default=0.0)) + 1)))
        return (-1.0, 1.0) if set(seen) <= {-1.0, 1.0} else (0.0, 1.0)
    top = max(np.nanmax(x), np.nanmax(y), 1.0)
    return tuple(range(int(top) + 1))


def chosen(learner: AnyLearner, theorem: str | Guarantee | None) -> Guarantee:
    """One of the learner's theorems, by id; the first that holds surely where none is named."""
    if isinstance(theorem, Guarantee):
        return theorem
    sure = [g for g in learner.guarantees if g.mode == SURELY]
    if theorem is None:
        if not sure:
            raise BadInput(
                f"{learner.key} has no theorem that holds surely, and one run cannot break another"
            )
        return sure[0]
    for g in learner.guarantees:
        if g.id.lower() == theorem.lower():
            if g.mode != SURELY:
                raise BadInput(
                    f"{g.id} of {learner.key} holds {g.mode}: one run cannot break it; "
                    f"surely hold {', '.join(s.id for s in sure) or 'none'}"
                )
            return g
    known = ", ".join(g.id for g in learner.guarantees) or "none"
    raise BadInput(f"{learner.key} has no theorem {theorem!r}; its theorems: {known}")


def ordinary(case: Case) -> bool:
    """Are all numbers of a case 0, or of a size that can be squared and multiplied?"""
    given = [np.abs(np.asarray(v, float)).ravel() for v in (case.x, case.y) if v is not None]
    sizes = np.concatenate(given)
    sizes = sizes[np.isfinite(sizes) & (sizes > 0.0)]
    return not len(sizes) or bool(sizes.min() > 1e-50 and sizes.max() < 1e50)


def stream_of(case: Case, learner: Any) -> Stream:
    """The rounds of a case, as this learner is given them."""
    labels: tuple[Any, ...] | None = None
    y = np.ascontiguousarray(case.y, float)
    if case.x is not None and learner.labels:
        labels = classes_of(y, case.x, learner)
        if learner.examples:
            y = np.searchsorted(np.array(labels), y).astype(float)
    x = None if case.x is None else np.ascontiguousarray(case.x, float)
    width = y.shape[1] if x is None else x.shape[1]
    return Stream(
        [Batch(x, y)],
        tuple(f"{'feature' if learner.examples else 'expert'} {i + 1}" for i in range(width)),
        rounds=len(y) if case.horizon_known else None,
        whole=case.horizon_known,
        labels=labels,
        features=learner.examples,
    )
