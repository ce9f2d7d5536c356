"""The transcript of a run: what was predicted, what it cost, who would have done better, what was promised."""

from __future__ import annotations

import functools
import importlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import NotKept
from ..core.guarantee import MIXED, Certificate, Family, Guarantee, Symbols, Verdict, judge
from ..core.learner import measured
from ..games import DRAWN, Allocation, Tangent, Vote, inside
from ..hindsight.folds.linear import Linear
from ..hindsight.folds.task_sequences import TaskSequences
from ..hindsight.search.few_modes import few_modes
from ..session.session import Copy, Session

if TYPE_CHECKING:
    from ..core.learner import Learner
    from ..core.stream import Stream


class Run:
    """What `play` returns. Arrays are in the order of the rounds; numbers are totals over the run."""

    def __init__(self, session: Session, stream: Stream, data: Any = None) -> None:
        self._s, self.stream, self._data = session, stream, data
        self.transcript: Any = session
        session.data = data
        self.learner: Learner[Any, Any, Any, Any] = session.learner.but()
        self.learner._live = session.copies[0].live
        self.key = session.asked.key
        self.label = self.key + late(session)
        self.rounds: int = session.t - session.started
        self.names: tuple[str, ...] = session.names
        self.seconds: float = session.seconds
        self.notes: list[str] = [*stream.notes, *session.remarks]

    @property
    def game(self) -> Any:
        """The game that was played: how a decision became an action, and what it cost."""
        return self.transcript.game

    @property
    def traits(self) -> Any:
        """What the game is like (`core.game.Traits`)."""
        return self.transcript.traits

    # Arrays.

    def _lines(self, column: int) -> Any:
        lines = self._s.lines
        record = lines[min(column, len(lines) - 1)]
        t, rows = record.gather()
        if record.mode == "none":
            raise NotKept('rounds were not recorded: play with record="auto" or record="all"')
        if record.thinned:
            raise NotKept(
                f"only {len(t):,} of {self.rounds:,} rounds were kept: "
                'play with record="all", or read run.trace'
            )
        return rows

    @property
    def predictions(self) -> Any:
        """The predictions; labels as the user wrote them; in the allocation game the experts drawn."""
        a = self._lines(0)
        if self._s.labels is not None:
            return np.array(self._s.labels)[a.astype(int)]
        return a

    @property
    def actions(self) -> Any:
        """What was done in each round, as the game knows it: labels are coded 0, 1, …"""
        return self._lines(0)

    @property
    def scores(self) -> Any:
        """The real number behind each prediction: where experts vote, the weighted mean of their labels."""
        if isinstance(inside(self._s.game), Vote):
            if self._data is None:
                raise NotKept("the scores of a vote need the rounds in memory")
            return np.nansum(self.weights * self._data.x, axis=1)
        return self._lines(0)

    @property
    def losses(self) -> Any:
        """The loss of each round, expected where the game draws; NaN where the world gave no answer."""
        return self._lines(1)

    @property
    def realised(self) -> Any:
        """The loss of each round as it was drawn."""
        return self._lines(2)

    @property
    def weights(self) -> Any:
        """The weights of each round, T x n."""
        record = self._s.weights
        t, rows = record.gather()
        if record.mode == "none" or not self._s.experts:
            raise NotKept('weights were not recorded: play with record="auto" or record="all"')
        if record.thinned:
            raise NotKept(
                f"weights of {len(t):,} of {self.rounds:,} rounds were kept (run.weight_trace); "
                'record="all" keeps every round'
            )
        return rows

    @property
    def weight_trace(self) -> tuple[Any, Any]:
        """The rounds whose weights were kept (counted from 0), and those weights."""
        return self._s.weights.gather()

    @property
    def trace(self) -> dict[str, Any]:
        """Cumulative numbers at evenly thinned rounds: t, loss, L (each expert), shifting (each k)."""
        trace = self._s.books.trace
        if not trace.t:
            raise NotKept("no trace was kept: play with certify=True")
        return {"t": np.array(trace.t), **{name: trace.column(name) for name in trace.rows[0]}}

    # Numbers.

    @property
    def loss(self) -> float:
        return float(self._s.totals.loss if self._s.certify else self._s.loss)

    @property
    def answered(self) -> int:
        """Rounds with an answer: those that count."""
        return self._s.totals.T if self._s.certify else sum(c.totals.T for c in self._s.copies)

    @property
    def mean_loss(self) -> float:
        return self.loss / self.answered if self.answered else math.nan

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that were used, those left unset filled in by the theorem."""
        return self.learner.parameters

    @property
    def facts(self) -> dict[str, Any]:
        s = self._s
        return {
            "source": self.stream.source,
            "outcome": self.stream.outcome,
            "experts": s.n,
            "rounds": self.rounds,
            **{k: v for k, v in s.facts.items() if v},
            "game": type(inside(s.game)).__name__.lower(),
            "feedback": "at once"
            if not s.delay
            else f"{how_late(s)}, "
            + (f"{s.delay + 1} interleaved copies" if s.interleave else "one copy"),
            "engine": s.which,
            "seed": s.seed,
        }

    # Comparators.

    @functools.cached_property
    def experts(self) -> Family:
        """Each expert: its loss, the regret to it as shown, and the squares of that."""
        t = self._s.totals
        return Family(
            "expert", lambda i: f"best expert ({self.names[i]})", t.L, {"R": t.R, "V": t.V}
        )

    @functools.cached_property
    def sequences(self) -> Family | None:
        """The best sequence of experts with k shifts, for k = 0, 1, …"""
        fold = self._s.books.sequences
        if fold is None:
            return None
        L = fold.values()
        # the best with at most k shifts may need fewer
        k = np.array([int(np.argmax(v == L)) for v in L])
        m = np.minimum(k + 1, self._s.n)
        try:
            for j in range(len(L)):
                m[j] = len({expert for _, _, expert in fold.path(int(k[j]))})
        except NotKept:
            pass  # then k + 1 different experts is what is sure

        def name(i: int) -> str:
            if k[i] == 0 and isinstance(fold, TaskSequences):
                return "best expert of each task"
            if k[i] == 0:  # a sequence that never shifts is an expert, who has a name
                return self.experts.names(int(np.argmin(self.experts.L)))
            return f"best sequence of experts, {shifts(int(k[i]))}"

        return Family("sequence", name, L, {"k": k, "m": m})

    def path(self, k: int) -> list[tuple[int, int, str]]:
        """The best sequence with at most k shifts: (first round, past the last, expert)."""
        if self._s.books.sequences is None:
            raise NotKept("no comparators were computed: play with certify=True")
        return [(a, b, self.names[i]) for a, b, i in self._s.books.sequences.path(k)]

    @functools.cached_property
    def modes(self) -> Family | None:
        """The best choice of experts in each task, of few different ones."""
        return few_modes(self)

    def _family(self, kind: str) -> Family | None:
        if kind == "modes":
            return self.modes
        return {"expert": self.experts, "sequence": self.sequences}.get(kind)

    @functools.cached_property
    def mixture(self) -> tuple[Any, float] | None:
        """The best fixed mixture (square loss): its weights and its loss."""
        fold = self._s.books.mixture
        if fold is None or self.answered == 0 or self._s.facts["missing advice"]:
            return None
        q, loss, _ = fold.best()
        return q, float(loss)

    @property
    def uniform_loss(self) -> float | None:
        """What all experts alike would have lost: the plain average of the advice, over those awake."""
        if self._s.books.uniform is not None:
            return self._s.books.uniform.loss
        drawn = isinstance(inside(self._s.game), DRAWN) and not self._s.facts["missing advice"]
        return float(self.experts.L.mean()) if self._s.certify and drawn else None

    @functools.cached_property
    def linear(self) -> tuple[Any, float] | None:
        """The best fixed linear combination (square loss): its weights and its loss."""
        if self.mixture is None:  # the same rounds and the same loss
            return None
        fold = self._s.books.linear
        if fold is None:
            if self._data is None:
                return None
            fold = Linear(self._s.n)
            fold.add(self._data.x, self._data.y)
        w, loss = fold.best()
        return w, float(loss)

    # Certificate.

    def _symbols(self, part: Copy, family: Family | None, kind: str) -> Symbols:
        s, t = self._s, part.totals
        known = measured(s.learner, s.game, s.shape)
        known.__dict__.update(
            T=t.T,
            loss=t.loss,
            L=t.L,
            R=t.R,
            V=t.V,
            r=t.r,
            **waiting(s),
            **dict(zip(s.learner.noted, part.notes.tolist(), strict=True)),
        )
        if kind in ("sequence", "modes") and family is not None:
            known.__dict__.update(
                L=family.L if len(s.copies) == 1 else np.full(len(family.L), math.nan),
                **family.more,
            )
        return known

    @functools.cached_property
    def certificate(self) -> Certificate:
        """Each theorem of the learner: kept, vacuous, unknown or broken by this run."""
        if not self._s.certify:
            raise NotKept("this run was played with certify=False")
        found: list[Verdict] = []
        for g in self.learner.guarantees:
            if g.delayed and not single(self._s):
                continue
            family = self._family(g.against)
            parts = [
                self._symbols(c, family, g.against)
                for c in self._s.copies
                if c.totals.T or len(self._s.copies) == 1
            ]
            if g.when is not None and not g.when(parts[0]):
                continue
            if self._s.started:
                why = f"it counts from the first round, and this run went on after {self._s.started:,}"
                found.append(Verdict(g, "unknown", why))
                continue
            if self.answered == 0:
                found.append(Verdict(g, "unknown", "no round had an answer"))
                continue
            if single(self._s) and not (g.late or g.delayed):
                found.append(
                    Verdict(g, "vacuous", f"feedback came {how_late(self._s)} to a single copy")
                )
                continue
            found.append(self._judged(g, family, parts))
            mixed = self._mixed(g, parts)
            if mixed is not None and found[-1].verdict == "kept":
                found.append(mixed)
        return Certificate(found)

    def _judged(self, g: Guarantee, family: Family | None, parts: list[Symbols]) -> Verdict:
        return judge(g, family, parts, self.loss)

    def _mixed(self, g: Guarantee, parts: list[Symbols]) -> Verdict | None:
        """With the gradient trick, a bound against every expert is one against every mixture of them."""
        if (
            g.against != "expert"
            or not isinstance(inside(self._s.game), Tangent)
            or self.mixture is None
        ):
            return None
        q, L = self.mixture
        total = sum(np.broadcast_to(np.asarray(g.bound(s), float), q.shape) for s in parts)
        bound = float(q @ total)
        regret = self.loss - L
        verdict = "kept" if regret <= bound + 1e-9 * (1 + abs(self.loss)) else "broken"
        return Verdict(g, verdict, "", "best fixed mixture", regret, bound, regret, bound, L, MIXED)

    @functools.cached_property
    def headline(self) -> Verdict | None:
        """The comparator with the smallest loss + bound, over all theorems that hold here."""
        usable = [
            v
            for v in self.certificate
            if v.verdict in ("kept", "broken") and not math.isnan(v.regret)
        ]
        return min(usable, key=lambda v: v.comparator_loss + v.regret_bound, default=None)

    @property
    def comparator(self) -> str:
        """Whom `regret` and `bound` refer to."""
        if self.headline is not None:
            return self.headline.comparator
        return self.experts.names(int(np.argmin(self.experts.L))) if self._s.experts else "none"

    @property
    def comparator_loss(self) -> float:
        if self.headline is not None:
            return self.headline.comparator_loss
        return float(np.min(self.experts.L)) if self._s.experts else math.nan

    @property
    def regret(self) -> float:
        """The loss less that of `comparator`."""
        return self.loss - self.comparator_loss

    @property
    def bound(self) -> float:
        """What the theory promises about `regret`; NaN where no theorem applies."""
        return self.headline.regret_bound if self.headline is not None else math.nan

    def bound_curve(self, v: Verdict) -> tuple[Any, Any, Any] | None:
        """Rounds, regret and bound of one verdict's comparator along the run."""
        s = self._s
        if (
            len(s.copies) > 1
            or not s.books.trace.t
            or v.verdict not in ("kept", "broken")
            or v.index == MIXED
            or v.guarantee.delayed  # who was waited for is counted at the end
        ):
            return None
        base = measured(s.learner, s.game, s.shape)
        family = {"expert": self.experts, "sequence": self.sequences}.get(v.guarantee.against)
        if family is None:
            return None
        t, regret, bound = [], [], []
        for at, row in zip(s.books.trace.t, s.books.trace.rows, strict=True):
            L = row["shifting"] if family.kind == "sequence" else row["L"]
            known = Symbols(
                **(vars(base) | {**row, **family.more, "L": L, "R": row["R"], "V": row["V"]})
            )
            if "notes" in row:
                known.__dict__.update(zip(s.learner.noted, row["notes"].tolist(), strict=True))
            total = np.broadcast_to(np.asarray(v.guarantee.bound(known), float), L.shape)[v.index]
            shift = L[v.index] if v.guarantee.measures == "mistakes" else 0.0
            t.append(at)
            regret.append(row["loss"] - L[v.index])
            bound.append(total - shift)
        return np.array(t), np.array(regret), np.array(bound)

    # Views, looked up when asked: they live in rooms that may import this one.

    def explain(self) -> Any:
        """Who carried the weight, when, and what leaving each expert out would have cost."""
        return importlib.import_module("littlestone.report.explain").explain(self)

    def report(self, path: str | Path = "run.html") -> Path:
        """Write one self-contained HTML page."""
        page: Path = importlib.import_module("littlestone.report.payload").report([self], path)
        return page

    def plot(self) -> Any:
        """A matplotlib figure of losses, regret and weights."""
        return importlib.import_module("littlestone.report.figure").figure(self)

    def __repr__(self) -> str:
        text = f"<Run {self.label}: {self.rounds:,} rounds, loss {self.loss:.6g}"
        if self._s.certify:
            text += f", regret {self.regret:.6g} to {self.comparator}, bound {self.bound:.6g}"
            text += f", {self.certificate.verdict}"
        return text + ">"


class Runs(dict[Any, Run]):
    """One run a key, when a play was split `by` a column."""

    @property
    def loss(self) -> float:
        return sum(run.loss for run in self.values())

    @property
    def rounds(self) -> int:
        return sum(run.rounds for run in self.values())

    def report(self, path: str | Path = "run.html") -> Path:
        """Write one page with a section a key."""
        page: Path = importlib.import_module("littlestone.report.payload").report(
            list(self.values()), path
        )
        return page

    def __repr__(self) -> str:
        return f"<Runs: {len(self)} keys, {self.rounds:,} rounds, loss {self.loss:.6g}>"


def late(s: Session) -> str:
    return f", feedback {how_late(s)}" if s.delay else ""


def how_late(s: Session) -> str:
    """In words: 24 rounds late, or up to as many."""
    text = f"{s.delay} round{'s' * (s.delay > 1)} late"
    if s.delays is None:
        return text
    never = int((s.delays < 0).sum())
    return f"up to {text}" + (f", {never:,} of {len(s.delays):,} never" if never else "")


def single(s: Session) -> bool:
    """Does one copy learn late?"""
    return s.delay > 0 and not s.interleave


def waiting(s: Session) -> dict[str, int]:
    """What the theorems about late feedback are made of."""
    names = ("lags", "longest", "crowd", "never")
    return {name: getattr(s.past, name) for name in names} if single(s) else {}


def shifts(k: int) -> str:
    return "1 shift" if k == 1 else f"{k} shifts"


@dataclass
class Data:
    """The rounds of a run that is still in memory."""

    x: Any
    y: Any


def is_allocation(run: Run) -> bool:
    return isinstance(run._s.game, Allocation)
