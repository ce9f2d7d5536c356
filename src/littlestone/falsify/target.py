"""What is attacked: a learner, and one of its theorems, or a bound that somebody conjectures in its place."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import losses, registry
from ..core.errors import BadInput, LittlestoneError
from ..core.guarantee import PERFECT, Family, Guarantee, Symbols
from ..core.learner import Learner, hints, measured
from ..core.parameters import split
from ..core.stream import Array, Batch, Stream
from ..games import (
    Advice,
    Allocation,
    Classes,
    Coin,
    Convex,
    Draw,
    Labels,
    Margin,
    Regression,
    Substitution,
    Tangent,
    Vote,
)
from ..live.live import fit
from ..live.live_examples import fit_examples
from ..run.run import Run
from ..run.run_examples import ExampleRun
from ..session.play import play
from .attack import Case, Trial, Volley, ratio
from .expression import parsed

AnyLearner = Learner[Any, Any, Any, Any]
SURELY = "surely"
FAILURES = 8  # that are kept
LONG = 20_000  # rounds from which on the compiled engine is worth its compilation
PLAYED = (
    Allocation, Advice, Substitution, Tangent, Vote, Draw, Labels, Margin, Coin, Regression, Classes, Convex,
)  # fmt: skip


class Target:
    """A learner and a theorem. `trial` plays one case, `ratios` a volley of them."""

    def __init__(
        self,
        learner: AnyLearner | str,
        theorem: str | Guarantee | None = None,
        bound: str | Callable[[Symbols], Any] | None = None,
        **parameters: Any,
    ) -> None:
        self.learner = registry.learner(learner, **parameters)
        self.key = self.learner.key
        defaults = type(self.learner)
        # what the user set is not to be varied
        self.given = frozenset(
            name
            for name, v in self.learner.parameters.items()
            if name in parameters or differs(v, defaults, name)
        )
        self.theorem = chosen(self.learner, theorem)
        self.asked = bound
        g = self.theorem
        self.mentions: frozenset[str] | None = None  # None: all that the theorem is about
        if isinstance(bound, str):
            known = tuple(dict.fromkeys([*g.uses, "T", "d" if self.learner.examples else "n"]))
            expression = parsed(bound, known)
            self.mentions = expression.names
            g = replace(g, bound=expression, statement=f"{g.measures} <= {bound}")
        elif bound is not None:
            self.mentions = frozenset()
            g = replace(g, bound=bound, statement=f"{g.measures} <= a function of the caller")
        self.guarantee: Guarantee = g
        self.failures: list[tuple[str, Case]] = []  # runs on which the rules failed, and how

    # What may be varied.

    @functools.cached_property
    def kinds(self) -> tuple[str, ...]:
        """What its rounds may hold: losses, advice, labels; or examples with two classes, numbers, …"""
        found = []
        for allocation in (True, False):
            try:
                game = self.learner.game(allocation)
            except LittlestoneError:
                continue
            if isinstance(game, Allocation) == allocation and isinstance(game, PLAYED):
                found.append(kind(self.learner, game))
        return tuple(dict.fromkeys(found))

    @functools.cached_property
    def needs_truth(self) -> bool:
        """Is it about streams on which somebody is always right?"""
        g = self.guarantee
        return PERFECT in g.assumptions or (g.against == "none" and g.measures == "mistakes")

    @functools.cached_property
    def free(self) -> dict[str, Any]:
        """Parameters that an attacker may set, and how each is declared.

        The theorem's own bound speaks of every setting within its assumptions; one that a user conjectures speaks of
        those that it mentions, and leaves the others as the theorem tunes them.
        """
        return {
            name: split(hint)
            for name, hint in hints(type(self.learner)).items()
            if name not in self.given and (self.mentions is None or name in self.mentions)
        }

    @property
    def scales(self) -> bool:
        """May losses lie in another interval than [0, 1]?"""
        return self.mentions is None or "B" in self.mentions

    def admits(self, kind: str, n: int, T: int, given: dict[str, Any]) -> bool:
        """Is the theorem about this setting, as far as can be told before it is played?"""
        allocation, told = kind == "losses", T if given["told"] else 0
        try:
            learner = self.learner.but(**given["parameters"])
            game = learner.game(allocation)
            if learner.examples:
                learner, game, shape = fit_examples(learner, n, told, None, False)
            else:
                learner, game, shape = fit(
                    learner, game, n, told, bounds(learner, game, given), None
                )
            s = measured(learner, game, shape)
        except LittlestoneError:
            return False
        s.__dict__.update(T=T, passes=given.get("passes", 1), even=True)
        g = self.guarantee
        if g.delayed:
            s.__dict__.update(lags=T, longest=1, crowd=1, never=0)
        try:
            if g.when is not None and not g.when(s):
                return False
            return all(a.check(s) is None for a in g.assumptions if a is not PERFECT)
        except (AttributeError, TypeError):  # that is only known afterwards
            return True

    # Playing.

    def played(self, case: Case, engine: str | None = None, record: str = "none") -> Run:
        """The run of a case. Raises where the learner, or `play`, says that it cannot be played."""
        learner = self.learner.but(**case.parameters) if case.parameters else self.learner
        allocation = case.x is None
        labels: tuple[Any, ...] | None = None
        y = np.ascontiguousarray(case.y, float)
        if not allocation and learner.labels:
            labels = coded(y, case.x, learner)
            if learner.examples:
                y = np.searchsorted(np.array(labels), y).astype(float)
        x = None if allocation else np.ascontiguousarray(case.x, float)
        width = y.shape[1] if x is None else x.shape[1]
        stream = Stream(
            [Batch(x, y)],
            tuple(f"{'feature' if learner.examples else 'expert'} {i + 1}" for i in range(width)),
            rounds=len(y) if case.told else None,
            whole=case.told,
            labels=labels,
            features=learner.examples,
        )
        if engine is None and len(y) < LONG:
            engine = "plain"
        options: dict[str, Any] = {}
        if case.interval is not None and not learner.examples:
            options["interval"] = case.interval
        if learner.examples:
            options["passes"] = case.passes
        if case.delay:
            options |= {"delay": case.delay, "interleave": False}
        run = play(
            learner,
            stream,
            allocation=allocation,
            engine=engine,
            record=record,
            shifts=min(len(y) - 1, 32) if self.guarantee.against == "sequence" else 0,
            **options,
        )
        assert isinstance(run, Run)
        return run

    def trial(self, case: Case, engine: str | None = None) -> Trial:
        """Play a case, and set what it measured against the bound."""
        try:
            with np.errstate(all="ignore"):
                return judged(self.guarantee, self.played(case, engine))
        except LittlestoneError as refused:
            return Trial(0.0, why=str(refused))
        except (ArithmeticError, ValueError, LookupError) as failed:
            # no theorem falls by it, but a rule ought not to fail on what `play` let through
            said = f"{type(failed).__name__}: {failed}"
            if len(self.failures) < FAILURES:
                self.failures.append((said, case))
            return Trial(0.0, why=f"its rules failed, {said}")

    @functools.cached_property
    def swift(self) -> Any:
        """The compiled loop."""
        from .compiled_volley import Swift

        return Swift(self)

    def ratios(self, volley: Volley) -> Array:
        """The ratio of each run of a volley, compiled where that can be done."""
        found = self.swift.ratios(volley)
        if found is None:
            found = np.array([self.trial(volley.case(b)).ratio for b in range(len(volley))])
        return found  # type: ignore[no-any-return]


def bounds(learner: AnyLearner, game: Any, given: dict[str, Any]) -> tuple[float, float] | None:
    """The interval that `play` would declare for rounds in [0, 1], where none is given."""
    loss = getattr(game, "loss", None)
    free = loss is not None and not losses.declared(loss)
    if given["interval"] is None and learner.bounded and (isinstance(game, Allocation) or free):
        return 0.0, 1.0
    return given["interval"]  # type: ignore[no-any-return]


def differs(v: Any, cls: Any, name: str) -> bool:
    """Is a parameter not what it is by default?"""
    return repr(v) != repr(getattr(cls(), name))


def kind(learner: AnyLearner, game: Any) -> str:
    if isinstance(game, Allocation):
        return "losses"
    if not learner.examples:
        return "labels" if learner.labels else "advice"
    if learner.boolean:
        return "boolean"
    if isinstance(game, Classes):
        return "classes"
    if isinstance(game, Regression):
        return "numbers"
    if isinstance(game, Convex) and not game.signed:
        return "convex"
    return "two"


def coded(y: Any, x: Any, learner: AnyLearner) -> tuple[Any, ...]:
    """The classes; those that experts name are codes already."""
    if learner.examples:
        seen = sorted({float(v) for v in y if v == v})
        if isinstance(learner.game(False), Classes):
            return tuple(float(c) for c in range(max(3, int(max(seen, default=0.0)) + 1)))
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


def sides(g: Guarantee, run: Run) -> tuple[Family | None, Symbols, str]:
    """The comparators of a run, its symbols, and why there is nothing to say."""
    part: Any = run._s.copies[0]
    if isinstance(run, ExampleRun):
        family = run.family(g.against)
        s = run._example_symbols(part, family)
    else:
        family = run._family(g.against)
        s = run._symbols(part, family, g.against)
    if g.when is not None and not g.when(s):
        return family, s, "it is not about this setting"
    if g.delayed != (run._s.delay > 0):
        return family, s, "it is about late feedback" if g.delayed else "feedback came late"
    for assumption in g.assumptions:
        seen = assumption.check(s)
        if seen is not None:
            return family, s, f"{assumption.text}: {seen}"
    if g.against == "none":
        family = Family("none", lambda i: "", np.zeros(1))
    if family is None or family.why:
        why = family.why if family is not None else "its comparator was not computed"
        return family, s, why
    return family, s, ""


def judged(g: Guarantee, run: Run) -> Trial:
    """The comparator of a run that comes closest to the bound, or beyond it."""
    family, s, why = sides(g, run)
    if why or family is None:
        return Trial(0.0, why=why)
    L = np.asarray(family.L, float)
    total = np.broadcast_to(np.asarray(g.bound(s), float), L.shape)
    what = measure(g, s, family, run.loss, L)
    slack = 1e-9 * (1.0 + abs(run.loss) + np.where(np.isfinite(L), np.abs(L), 0.0))
    each = ratio(what, total, slack)
    if isinstance(family.real, np.ndarray):  # others are lower bounds of what nobody may attain
        each = np.where(family.real, each, 0.0)
    i = int(np.argmax(each))
    trial = Trial(
        float(each[i]),
        float(what[i]),
        float(total[i]),
        family.names(i),
        bool(what[i] - total[i] > slack[i]),
    )
    mixed = None if isinstance(run, ExampleRun) else run._mixed(g, [s])
    if mixed is not None:
        beyond = mixed.verdict == "broken"
        part = float(ratio(mixed.measured, mixed.bound, 1e-9 * (1.0 + abs(run.loss))))
        if part > trial.ratio:
            return Trial(part, mixed.measured, mixed.bound, mixed.comparator, beyond)
    return trial


def measure(g: Guarantee, s: Symbols, family: Family, loss: float, L: Array) -> Array:
    """What the theorem speaks of, one entry a comparator."""
    if g.measures == "mistakes":
        wrong = float(vars(s).get("mistakes", math.nan))
        return np.full(len(L), loss if math.isnan(wrong) else wrong)
    if g.measures == "shown regret":
        return np.asarray(family.more["R"], float)
    if g.measures == "regret":
        return loss - L
    return np.full(len(L), max(float(getattr(s, name)) for name in g.measures.split("|")))
