"""The books of a live learner over experts: what its rounds cost, and what its comparators would have cost.

Outcomes come in any order. They are folded in the order of the rounds, up to the oldest one that is still open: what
the books say is certified up to there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.errors import BadFile, BadInput
from ..core.game import ONE
from ..core.stream import Array
from ..engine.compile import ready
from ..engine.loops import Out, charge_rounds
from ..engine.memory import read_only
from ..hindsight.folds.totals import Trace
from .fold_numbers import numbers_of, put_numbers

if TYPE_CHECKING:
    from .live import Live

CHUNK = 256  # rounds that are folded together: one call of the loop, and of each comparator
NOTED = 128  # rounds of which it is written down what bounds need beside totals
NONE1, NONE2 = np.empty(0), np.empty((0, 0))


class BookedRound(NamedTuple):
    """A round whose outcome is known, or will never be (NaN)."""

    x: Any  # the advice; of losses alone a row of no numbers
    y: Any  # the outcome, or the losses
    decision: Any
    action: Any


class Books:
    """Totals and comparators over the rounds of a live learner, and how late their outcomes came."""

    def __init__(self, live: Live) -> None:
        refuse_kind(live)
        s = live.setting
        self.folds = s.folds(
            s.game, s.shape.n, rounds=s.shape.T, started=0, whole=False, shifts=s.shifts, kept=False
        )  # fmt: skip
        self.totals = self.folds.totals()
        self.noted = Trace(NOTED, s.shape.T)  # its rounds are among those of the trace of the folds
        self.folded = 0  # rounds
        self.settled: list[BookedRound] = []  # those after them, in their order
        self.later: dict[int, BookedRound] = {}  # and those after one that is open
        self.came: dict[int, int] = {}  # of each open round: outcomes that had come when it began
        self.played, self.arrived, self.never = 0, 0, 0
        self.lags, self.longest, self.crowd = 0, 0, 0  # lags, counted in outcomes
        self.delay = 0  # the longest, counted in rounds
        self.missing = 0  # entries of advice that were not there
        self.asleep = np.zeros(
            s.shape.n
        )  # of each expert, rounds with an outcome in which it slept

    @property
    def certified(self) -> int:
        """Rounds up to the oldest one that is still open: those that the books are about."""
        return self.folded + len(self.settled)

    @property
    def rounds(self) -> int:
        """Rounds with an outcome, of those that are certified."""
        return int(self.totals.T)

    @property
    def loss(self) -> float:
        """What those rounds have cost."""
        return float(self.totals.loss)

    @property
    def behind(self) -> int:
        """Rounds after them whose outcomes came already."""
        return len(self.later)

    @property
    def open(self) -> int:
        """Rounds whose outcome is not known yet."""
        return len(self.came)

    def begin_round(self, t: int) -> None:
        """Round t begins."""
        self.came[t] = self.arrived
        self.played = max(self.played, t + 1)

    def settle(self, live: Live, t: int, round_: BookedRound, known: bool = True) -> None:
        """The outcome of round t came; `known=False`: it never will."""
        came = self.came.pop(t)
        if known:
            self.lags += self.arrived - came
            self.longest = max(self.longest, self.arrived - came)
            self.crowd = max(self.crowd, self.played - self.arrived - 1)
            self.delay = max(self.delay, self.played - 1 - t)
            self.arrived += 1
        else:
            self.never += 1
        self.later[t] = round_
        before = self.certified
        while (found := self.later.pop(self.certified, None)) is not None:
            self.settled.append(found)
        self.note(live, before)
        if len(self.settled) >= CHUNK:
            self.fold(live)

    def note(self, live: Live, before: int) -> None:
        """Write down what bounds need beside totals, where a round to be noted was certified just now.

        Those are how late outcomes came so far, and the diagnostics of the learner; NaN where it has learned from
        later rounds, too.
        """
        t = self.certified - self.certified % self.noted.step
        if t <= before:
            return
        diagnostics = np.zeros(len(live.learner.diagnostics))
        if self.later or t < self.certified:
            diagnostics[:] = np.nan
        elif len(diagnostics):
            live.params.write_diagnostics(live.state, diagnostics)
        waiting = np.array(list(self.waiting().values()))
        if len(self.noted.marks(t - 1, 1)):  # the step may be longer now
            columns = {"waiting": waiting[None], "notes": diagnostics[None]}
            self.noted.add(np.array([t]), columns)

    def noted_rows(self) -> tuple[list[int], list[dict[str, Any]]]:
        """Rounds that are folded and were noted, and the symbols of each: totals, delays and diagnostics."""
        totals = dict(zip(self.folds.trace.t, self.folds.trace.rows, strict=True))
        rounds, rows = [], []
        for t, noted in zip(self.noted.t, self.noted.rows, strict=True):
            if t in totals:
                waiting = dict(zip(self.waiting(), noted["waiting"].tolist(), strict=True))
                rounds.append(t)
                rows.append({**totals[t], **waiting, "notes": noted["notes"]})
        return rounds, rows

    def fold(self, live: Live) -> None:
        """Fold the rounds that are settled."""
        if not self.settled:
            return
        s, rows = live.setting, len(self.settled)
        X, Y, D, A = map(np.array, zip(*self.settled, strict=True))
        D, A = D.reshape(rows, -1), A.reshape(rows, -1)
        absent = np.isnan(X)
        game = s.sleeper if s.sleeper is not None and absent.any() else s.game
        marks = self.folds.trace.marks(self.folded, rows)
        shown = np.empty((rows, s.shape.n)) if s.traits.tangents else NONE2
        out = Out(A, np.empty(rows), NONE1, np.empty((rows, s.shape.n)), shown, NONE2, NONE2)
        fill_costs(live, game, X, Y, D, out)
        self.folds.fold([self.totals], self.folded, X, Y, out, marks)
        if X.shape[1] == s.shape.n:
            self.missing += int(absent.sum())
            self.asleep = self.asleep + absent[~np.isnan(out.costs)].sum(axis=0)
        self.folded += rows
        self.settled = []

    def waiting(self) -> dict[str, int]:
        """What theorems about late feedback use."""
        return {"lags": self.lags, "lag": self.longest, "crowd": self.crowd, "never": self.never}

    # Files.

    def body(self) -> dict[str, Any]:
        """What a file holds of the books."""
        plain = {k: v for k, v in vars(self).items() if isinstance(v, int)}
        return {
            "numbers": plain,
            "asleep": self.asleep,
            "settled": list(self.settled),
            "later": [[t, *round_] for t, round_ in self.later.items()],
            "came": [[t, came] for t, came in self.came.items()],
            "totals": numbers_of(self.totals),
            "folds": numbers_of(self.folds),
            "noted": numbers_of(self.noted),
        }

    @classmethod
    def revive(cls, live: Live, body: dict[str, Any]) -> Books:
        """The books again, of a file."""
        made = cls(live)
        if set(body["numbers"]) != {k for k, v in vars(made).items() if isinstance(v, int)}:
            raise BadFile("its books are from another version")
        vars(made).update(body["numbers"])
        made.asleep = body["asleep"]
        made.settled = [BookedRound(*v) for v in body["settled"]]
        made.later = {int(t): BookedRound(*v) for t, *v in body["later"]}
        made.came = {int(t): int(came) for t, came in body["came"]}
        put_numbers(made.totals, body["totals"])
        put_numbers(made.folds, body["folds"])
        if "noted" in body:  # 0.15.0 noted nothing
            put_numbers(made.noted, body["noted"])
        return made

    def copied(self, live: Live) -> Books:
        """Books of their own for a copy of the learner."""
        return Books.revive(live, self.body())


def booked_round(live: Live, decision: Any, action: Any) -> BookedRound:
    """The round in the buffers of the setting, with what was decided and done in it."""
    s = live.setting
    y = s.Y[0].copy() if s.Y.ndim > 1 else float(s.Y[0])
    return BookedRound(s.X[0].copy(), y, decision, action)


def never_told(live: Live, x: Any, decision: Any, action: Any) -> BookedRound:
    """A round whose outcome will never be known."""
    s = live.setting
    s.restore(x)
    s.Y[:] = np.nan
    return booked_round(live, decision, action)


def fill_costs(live: Live, game: Any, X: Array, Y: Array, D: Array, out: Out) -> None:
    """What each round cost, and what the experts would have: as the loop of `play` writes it down."""
    loop = ready(charge_rounds, live.params, game, live.engine)
    like = 0.0 if live.traits.decision == ONE else D[0]
    act = 0.0 if live.traits.width == ONE else out.actions[0]
    last = live.scratch.last.copy()
    loop(live.params, game, live.state, *map(read_only, (X, Y)), D, like, act, out, live.scratch)
    live.scratch.last[:] = last


def refuse_kind(live: Live) -> None:
    """Refuse books where they could say nothing."""
    key = live.learner.key
    if live.traits.kind.has_arms:
        raise BadInput(
            f"the regret of {key} cannot be observed: of each round it sees the loss of one arm; play its log with "
            "`ls.play(key, log=…)`, or estimate with littlestone.offpolicy"
        )
    if live.examples or live.learner.tasked:
        raise BadInput(
            f"books are for learners over experts; the comparators of {key} are searched for among all rounds: "
            "play them, and read run.certificate"
        )
