"""The transcript of a run over examples."""

from __future__ import annotations

import functools
import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import NotKept
from ..core.guarantee import Certificate, Family, Symbols, Verdict, judge
from ..core.learner import measured
from ..core.rows import join, take
from ..core.stream import Array, Batch
from ..games import Classes, Labels
from ..hindsight.search import families
from ..hindsight.search.best_linear import Best
from ..hindsight.search.design import Design
from ..session.session_examples import ExampleCopy, ExampleSession
from .run import Run, how_late, single, waiting

if TYPE_CHECKING:
    from ..core.stream import Stream

OWN = "its own last weights"  # held fixed, over all rounds


@dataclass
class Examples:
    """The rounds of a run, where they were kept."""

    x: Any  # dense or sparse, without the constant of an intercept
    y: Any  # coded
    h: Any

    @classmethod
    def of_key(cls, kept: list[Batch], key: Any) -> Examples:
        mine = []
        for b in kept:
            rows = np.flatnonzero(b.key == key)
            h = None if b.h is None else b.h[rows]
            mine.append(Batch(take(b.x, rows), b.y[rows], h=h))
        return gathered(mine)


def gathered(kept: list[Batch]) -> Examples:
    """Batches as one."""
    weights = [np.ones(len(b.y)) if b.h is None else b.h for b in kept]
    if len(kept) == 1:
        return Examples(kept[0].x, kept[0].y, weights[0])
    x = (
        functools.reduce(join, [b.x for b in kept])
        if len(kept) < 8
        else tree_join([b.x for b in kept])
    )
    return Examples(x, np.concatenate([b.y for b in kept]), np.concatenate(weights))


def tree_join(parts: list[Any]) -> Any:
    """Join many parts in pairs, so that nothing is copied more than a few times."""
    while len(parts) > 1:
        parts = [
            join(*parts[i : i + 2]) if i + 1 < len(parts) else parts[i]
            for i in range(0, len(parts), 2)
        ]
    return parts[0]


def last(state: Any) -> Any:
    return getattr(state, "w", None)


def last_weights(s: ExampleSession) -> list[Array]:
    """Linear predictors that a run came to: the last weights of each copy, and their average if it has one."""
    if not isinstance(s.game, Labels):
        return []
    combined = getattr(s.learner, "coefficients", last)
    if combined is None:  # its weights alone are not what it predicts with
        return []
    found = []
    for c in s.copies:
        found += [last(c.live.state), combined(c.live.state)]
    known = [w for w in found if isinstance(w, np.ndarray) and w.shape == (s.shape.n,)]
    return [w.copy() for w in known if np.isfinite(w).all()]


class ExampleRun(Run):
    """What `play` returns for learners over examples."""

    _s: ExampleSession

    def __init__(
        self, session: ExampleSession, stream: Stream, data: Examples | None, passes: int = 1
    ) -> None:
        super().__init__(session, stream, data)
        self.passes = session.passes = passes
        # now, since whoever goes on with the learner moves them
        self._came_to = [] if data is None else last_weights(session)
        if session.certify:
            session.take_notes()

    # Arrays.

    @property
    def predictions(self) -> Any:
        """The predictions; labels as the user wrote them."""
        a = self._lines(0)
        coder = self._s.copies[0].live.coder
        return a if coder is None else coder.labels(a)

    @property
    def scores(self) -> Any:
        """The real number behind each prediction; with several classes one for each."""
        record = self._s.weights
        t, rows = record.gather()
        if record.mode == "none":
            raise NotKept('scores were not recorded: play with record="auto" or record="all"')
        if record.thinned:
            raise NotKept(
                f'scores of {len(t):,} of {self.rounds:,} rounds were kept; record="all" keeps every round'
            )
        return rows if self._s.vectors else rows.reshape(-1)

    # Numbers.

    @property
    def loss(self) -> float:
        return self._s.books.loss  # type: ignore[no-any-return,attr-defined]

    @property
    def answered(self) -> int:
        return self._s.books.T  # type: ignore[no-any-return,attr-defined]

    @property
    def mean_loss(self) -> float:
        total = self._s.books.importance  # type: ignore[attr-defined]
        return self.loss / total if total else math.nan

    @property
    def mistakes(self) -> float:
        """Wrong labels (each counted with its importance)."""
        if not self._s.two:
            raise NotKept("predictions are numbers here: there are no labels to be wrong")
        return self._s.books.mistakes  # type: ignore[no-any-return,attr-defined]

    @property
    def accuracy(self) -> float:
        """The share of right labels, each predicted before it was seen."""
        total = self._s.books.importance  # type: ignore[attr-defined]
        return 1.0 - self.mistakes / total if total else math.nan

    @property
    def facts(self) -> dict[str, Any]:
        s = self._s
        found = super().facts
        del found["experts"]
        n = s.shape.n - int(s.intercept)
        found["features"] = f"up to {n:,}, sparse" if s.sparse else n
        if s.two:
            found["classes"] = ", ".join(str(y) for y in s.copies[0].live.labels or ())
        if self.passes > 1:
            found["passes"] = self.passes
        return found

    # Comparators.

    @functools.cached_property
    def experts(self) -> Family:
        raise NotKept("there are no experts here: see run.best for the best fixed predictor")

    sequences = mixture = linear = uniform_loss = None

    def family(self, kind: str) -> Family | None:
        """Comparators of one kind (hindsight.families), from the rounds that were kept."""
        if kind == "none":
            return None
        if self._data is None:
            return Family(kind, str, np.zeros(0), why="the stream was not kept in memory")
        if kind not in self._families:
            self._families[kind] = families.of(kind, self)
        return self._families[kind]

    @functools.cached_property
    def _families(self) -> dict[str, Family]:
        return {}

    @property
    def compared(self) -> dict[str, Family]:
        """The comparators that were found so far, by the name that theorems give them."""
        return self._families

    @property
    def own_best(self) -> Best | None:
        """The best of the weights that the learner ended with, held fixed over all rounds; `how` is its name."""
        return self._own_best

    @functools.cached_property
    def codes(self) -> Any:
        """Classes of the rounds kept, as the learner codes them (a stream may code them otherwise)."""
        y, map_ = self._data.y, self._s.recode
        if map_ is None:
            return y
        known = ~np.isnan(y)
        return np.where(known, map_[np.where(known, y, 0.0).astype(int)], np.nan)

    @functools.cached_property
    def data_symbols(self) -> dict[str, Any]:
        """What bounds ask of the examples: their largest and total size."""
        if self._data is None:
            return {}
        found = families.sizes(self._data.x, self._s.intercept)
        return {**found, "X2": found["X2"] * self.passes}

    @functools.cached_property
    def best(self) -> Any:
        """The best fixed linear predictor in hindsight: its weights `u`, its `loss`, and the duality `gap`."""
        found = None if self._data is None else families.best(self)
        own = self._own_best
        return found if found is None or own is None or found.loss <= own.loss else own

    @functools.cached_property
    def _own_best(self) -> Best | None:
        """The best fixed linear predictor of those that the run itself came to, where mistakes count.

        They are nobody's minimisers; but what the run found, hindsight knows as well. For other losses minimisers are
        found to a gap.
        """
        s, data = self._s, self._data
        if not self._came_to or data is None:
            return None
        D = Design(data.x, s.intercept, s.shape.n - int(s.intercept))
        y, h = self.codes, np.where(np.isnan(self.codes), 0.0, data.h)
        found = []
        for u in self._came_to:
            z = D.scores(u)
            label = np.where(z == 0.0, s.game.zero, z > 0.0)  # type: ignore[union-attr]
            found.append(Best(u, float(h @ (label != y)), math.nan, OWN))
        return min(found, key=lambda each: each.loss)

    # Certificate.

    def _example_symbols(self, part: ExampleCopy, family: Family | None) -> Symbols:
        s, t = self._s, part.totals
        known = measured(s.learner, s.game, s.shape)
        known.__dict__.update(self.data_symbols)
        known.__dict__.update(
            T=t.T, loss=t.loss, d=s.shape.n, even=self._s.books.even, passes=self.passes,  # type: ignore[attr-defined]
            **dict(zip(s.learner.noted, part.notes.tolist(), strict=True)), **waiting(s),
        )  # fmt: skip
        if s.two:
            known.__dict__["mistakes"] = t.mistakes
        if family is not None and not family.why:
            known.__dict__.update(L=family.L, **family.more)
        return known

    @functools.cached_property
    def certificate(self) -> Certificate:
        if not self._s.certify:
            raise NotKept("this run was played with certify=False")
        found: list[Verdict] = []
        parts = [c for c in self._s.copies if c.totals.T or len(self._s.copies) == 1]
        for g in self.learner.guarantees:
            if g.delayed and not single(self._s):
                continue
            if g.when is not None and not g.when(self._example_symbols(parts[0], None)):
                continue
            if self._s.started:
                why = f"it counts from the first round, and this run went on after {self._s.started:,}"
                found.append(Verdict(g, "unknown", why))
                continue
            if self.answered == 0:
                found.append(Verdict(g, "unknown", "no round had an answer"))
                continue
            if single(self._s) and not (g.late or g.delayed):
                why = f"feedback came {how_late(self._s)} to a single copy"
                found.append(Verdict(g, "vacuous", why))
                continue
            family = self.family(g.against)
            symbols = [self._example_symbols(c, family) for c in parts]
            if family is not None and family.why:
                found.append(Verdict(g, "unknown", family.why))
                continue
            v = judge(g, family, symbols, self.loss)
            if g.mode == "in expectation" and v.verdict in ("kept", "broken"):
                why = "one run, and it is about the mean over draws"
                found.append(Verdict(g, "unknown", why))
                continue
            counted = isinstance(self._s.game, (Labels, Classes)) or g.measures == "loss"
            if g.measures != "regret" and not counted:
                v.regret = math.nan  # a bound on mistakes says nothing about another loss
            found.append(v)
        return Certificate(found)

    # The headline: what the best fixed predictor lost, and how much more the theory allows.

    @functools.cached_property
    def _best(self) -> tuple[str, float]:
        """Who lost least of those compared with, and what."""
        kinds = {
            v.guarantee.against for v in self.certificate if v.verdict in ("kept", "broken")
        } - {"none"}
        found = [
            f
            for kind in sorted(kinds | set(self._families))
            if (f := self.family(kind)) is not None
        ]
        lists = [
            (f.names(int(np.argmin(f.L))), float(np.min(f.L)))
            for f in found
            if not f.why and len(f.L)
        ]
        own = self._own_best
        if own is not None and any(f.kind == "linear" for f in found):
            lists.append((OWN, own.loss * self.passes))  # as families count it
        if lists:
            return min(lists, key=lambda pair: pair[1])
        if self.best is not None:
            name = OWN if self.best.how == OWN else "best linear predictor"
            return name, float(self.best.loss) * self.passes
        return "none", math.nan

    @property
    def comparator(self) -> str:
        """The best fixed predictor in hindsight, of those that a theorem compares with."""
        return self._best[0]

    @property
    def comparator_loss(self) -> float:
        return self._best[1]

    @property
    def bound(self) -> float:
        """What the theory promises about `regret`: the least loss that a theorem allows, less the comparator's."""
        if self.headline is None:
            return math.nan
        return self.headline.comparator_loss + self.headline.regret_bound - self.comparator_loss

    def bound_curve(self, v: Verdict) -> tuple[Any, Any, Any] | None:
        """Rounds, regret (or what else the theorem is about) and its bound along the run."""
        found: tuple[Any, Any, Any] | None = importlib.import_module(
            "littlestone.report.curves"
        ).bound_curve(self, v)
        return found

    @property
    def classifies(self) -> bool:
        return self._s.two

    def __repr__(self) -> str:
        text = f"<Run {self.label}: {self.rounds:,} rounds, loss {self.loss:.6g}"
        return text + (f", accuracy {self.accuracy:.4f}>" if self._s.two else ">")
