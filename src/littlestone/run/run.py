"""What `play` returns: predictions, losses, comparators, regret, bound and certificate."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.costs import second_of
from ..core.errors import BadInput, NotKept
from ..core.game import ONE, Game, Traits
from ..core.guarantee import Certificate, Comparators, Symbols, Verdict
from ..core.hooks import hook
from ..core.notebook import InNotebook
from ..core.probabilities import of_scores
from ..core.transcript import Copy, Transcript
from ..engine.target import engine_id
from .certify import certify

if TYPE_CHECKING:
    from pathlib import Path

    from ..core.calibration import Calibration
    from ..core.costs import Costs
    from ..core.learner import Learner
    from ..core.stream import Array
    from ..encode.stream import Stream
    from ..hindsight.folds.reliability import Reliability
    from ..hindsight.search.best_linear import Best
    from .run_kinds import RunKind

K = TypeVar("K", bound=np.generic)


class Run(InNotebook):
    """What `play` returns. Arrays are in the order of the rounds; numbers are totals over the run."""

    def __init__(self, transcript: Transcript, stream: Stream) -> None:
        self.transcript, self.stream = transcript, stream
        self.key = transcript.requested.key
        self.label = self.key + (f", feedback {transcript.how_late}" if transcript.delay else "")
        self.names = transcript.names
        self.seconds = (
            transcript.seconds
        )  # of playing; compiling, which is done once, is not counted
        self.passes = transcript.passes
        self.rows: Any = None  # which rows of the data were its rounds; None: all of them
        self.notes: list[str] = [*stream.changes, *stream.notes, *transcript.remarks]

    @functools.cached_property
    def kind(self) -> RunKind:
        """What is particular to rounds of this kind: comparators, symbols, words."""
        from .run_kinds import (
            RUN_KINDS,  # it imports the searches for comparators, which most runs do not need
        )

        return RUN_KINDS[self.transcript.traits.kind.name](self.transcript, self.stream.world)

    @functools.cached_property
    def learner(self) -> Learner[Any, Any, Any, Any]:
        """The learner after the last round."""
        mine: Learner[Any, Any, Any, Any] = copy.copy(self.transcript.learner)
        return mine.attach(self.transcript.copies[0].live)

    @property
    def rounds(self) -> int:
        return self.transcript.rounds

    @property
    def times(self) -> NDArray[np.datetime64] | None:
        """When each round was (datetime64[s]), where the data say so and all are in memory."""
        times: NDArray[np.datetime64] | None = self.of_rounds(self.stream.times)
        return times

    @property
    def index(self) -> Any:
        """What the user's table calls the rows of the rounds, where it has an index."""
        return self.of_rounds(self.stream.index)

    def of_rounds(self, values: Any) -> Any:
        """Of one value a row of the data, those of this run's rounds; None where they are not known."""
        if values is None:
            return None
        mine = values if self.rows is None else values[self.rows]
        return mine if len(mine) == self.rounds else None

    @property
    def game(self) -> Game:
        """The game that was played: how a decision became an action, and what it cost."""
        return self.transcript.game

    @property
    def traits(self) -> Traits:
        """What the game is like."""
        return self.transcript.traits

    # Arrays.

    def recorded(self, record: Any, what: str = "rounds") -> Array:
        """The rows of a record, where every round was kept."""
        rows: Array
        t, rows = record.gather()
        if record.mode == "none":
            raise NotKept(f'{what} were not recorded: play with record="auto" or record="all"')
        if record.thinned and what == "rounds":
            raise NotKept(
                f"only {len(t):,} of {self.rounds:,} rounds were kept: "
                'play with record="all", or read run.trace'
            )
        if record.thinned:
            more = " (run.weight_trace)" if what == "weights" else ""
            raise NotKept(
                f"{what} of {len(t):,} of {self.rounds:,} rounds were kept{more}; "
                'record="all" keeps every round'
            )
        return rows

    @property
    def predictions(self) -> NDArray[Any]:
        """The predictions; labels as the user wrote them; in the allocation game the experts drawn."""
        found: NDArray[Any] = self.transcript.setting.decode(self.actions)
        return found

    @property
    def actions(self) -> Array:
        """What was done in each round, as the game knows it: labels are coded; T x k for actions of k numbers."""
        return self.recorded(self.transcript.actions)

    @property
    def arms(self) -> NDArray[np.int64]:
        """Of a bandit: the arm that was pulled in each round."""
        return self.actions.astype(int)

    @property
    def scores(self) -> Array:
        """The real number behind each prediction; with several classes one for each."""
        return self.kind.scores(self)

    @property
    def probabilities(self) -> Array:
        """The probability of each class in each round, a column for each of `learner.classes`; NaN: none was known."""
        t = self.transcript
        self.reliability  # noqa: B018 - which refuses learners without probabilities
        unseen = t.setting.coder.unseen(t.started + np.arange(self.rounds))
        p: Array = of_scores(self.scores, t.traits.classes, unseen)
        p[np.isnan(self.actions)] = np.nan
        return p

    @property
    def decisions(self) -> NDArray[Any]:
        """With costs or a threshold: the label of least expected cost in each round."""
        t, costs = self.transcript, self.decided_by
        labels = [t.setting.coder.label(c) for c in range(len(t.setting.coder))]
        p = self.probabilities
        known = np.ones(p.shape, bool) if t.traits.decision == ONE else ~np.isnan(self.scores)
        decided = costs.decide(np.nan_to_num(p), known, self.actions, labels[: p.shape[1]])
        found: NDArray[Any] = t.setting.decode(decided)
        return found

    @property
    def losses(self) -> Array:
        """The loss of each round, expected where the game draws; NaN where the outcome is missing."""
        return self.recorded(self.transcript.costs)

    @property
    def realised(self) -> Array:
        """The loss of each round as it was drawn; where labels are predicted under another loss, the mistakes."""
        t = self.transcript
        return self.recorded(t.costs if t.realised is None else t.realised)

    @property
    def weights(self) -> Array:
        """The weights of each round, T x n."""
        if self.traits.kind.has_examples:
            raise NotKept("there are no experts here, and no weights of them: see run.scores")
        return self.recorded(self.transcript.decisions, "weights")

    @property
    def propensities(self) -> Array:
        """Of a bandit: the probability of each arm in each round, T x n."""
        return self.weights

    @property
    def weight_trace(self) -> tuple[NDArray[np.int64], Array]:
        """The rounds whose weights were kept (counted from 0), and those weights."""
        kept: tuple[NDArray[np.int64], Array] = self.transcript.decisions.gather()
        return kept

    @property
    def trace(self) -> dict[str, Array]:
        """Cumulative numbers at evenly thinned rounds: t, loss, L (each expert), shifting (each k)."""
        trace = self.transcript.folds.trace
        if not trace.t:
            raise NotKept("no trace was kept: play with certify=True")
        return {"t": np.array(trace.t), **{name: trace.column(name) for name in trace.names}}

    # Numbers.

    @property
    def loss(self) -> float:
        return self.transcript.loss

    @property
    def answered(self) -> int:
        """The number of rounds with an outcome: those that count."""
        return int(self.transcript.totals.T)

    @property
    def importance(self) -> float:
        """The total importance of the rounds with an outcome: their number, unless rounds were weighted."""
        totals = self.transcript.totals
        return float(totals.importance if self.traits.kind.has_examples else totals.T)

    @property
    def mean_loss(self) -> float:
        return self.loss / self.importance if self.importance else math.nan

    @property
    def classifies(self) -> bool:
        """Are predictions labels of examples?"""
        return self.traits.kind.has_examples and self.traits.classes != 0

    @property
    def mistakes(self) -> float:
        """Wrong labels (each counted with its importance)."""
        if not self.classifies:
            raise NotKept("predictions are numbers here: there are no labels to be wrong")
        return float(self.transcript.totals.mistakes)

    @property
    def accuracy(self) -> float:
        """The share of right labels, each predicted before it was seen."""
        return 1.0 - self.mistakes / self.importance if self.importance else math.nan

    @property
    def reliability(self) -> Reliability:
        """What was measured of the probabilities."""
        if not (self.classifies and self.traits.scores):
            raise NotKept(
                f"{self.key} has no probabilities of classes; logistic, softmax and online-linear have"
            )
        if self.transcript.reliability is None:
            raise NotKept(
                'probabilities were not measured: play with certify=True or record="auto"'
            )
        found: Reliability = self.transcript.reliability
        return found

    @property
    def has_probabilities(self) -> bool:
        """Does the learner publish probabilities of classes, and were they measured?"""
        return self.transcript.reliability is not None

    @property
    def brier(self) -> float:
        """The Brier score of the probabilities: the mean of 1/2 sum_k (p_k - [k is true])^2; 0 is best.

        Of two classes that is the mean of (p - y)^2. Each was said before the outcome was seen.
        """
        return self.reliability.brier

    def calibration(self, label: Any = None) -> Calibration:
        """How often what was said to be so probable came true, in ten bins.

        Of the probability of this class, one against the rest; without a label, of two classes the second one, of more
        the label that was predicted.
        """
        measured, coder = self.reliability, self.transcript.setting.coder
        if label is None and len(coder) > 2:
            return measured.calibration(None, "the label predicted")
        if label is None:
            code = second_of([coder.label(c) for c in range(len(coder))])
            return measured.calibration(code, str(coder.label(code)))
        if label not in coder.codes:
            known = ", ".join(repr(y) for y in coder.known if y is not None)
            raise BadInput(f"calibration: no class is called {label!r:.80}; there are {known}")
        return measured.calibration(int(coder.codes[label]), str(label))

    @property
    def decided_by(self) -> Costs:
        """The costs that decisions were made by."""
        costs = self.reliability.costs
        if costs is None:
            raise NotKept("nothing says what decisions cost: play with costs= or threshold=")
        return costs

    @property
    def cost(self) -> float:
        """With costs or a threshold: what the decisions of least expected cost really cost, in all."""
        self.decided_by  # noqa: B018 - which refuses runs without costs
        return self.reliability.cost

    @property
    def simple_costs(self) -> dict[str, float]:
        """What simple decisions would have cost: always the most probable label, always the most frequent one."""
        self.decided_by  # noqa: B018 - which refuses runs without costs
        costs: dict[str, float] = hook("simple_costs")(self)
        return costs

    @property
    def mean_cost(self) -> float:
        """The cost a round."""
        return self.cost / self.importance if self.importance else math.nan

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that were used, those left unset filled in by the theorem."""
        return self.learner.parameters

    @property
    def engine_id(self) -> str:
        """What decides the bits of its rules: versions and target (`littlestone.engine_id`)."""
        return engine_id(self.transcript.engine)

    @property
    def facts(self) -> dict[str, Any]:
        t = self.transcript
        copies = f"{t.delay + 1} interleaved copies" if t.interleaved else "one copy"
        return {
            "source": self.stream.source,
            "outcome": self.stream.outcome,
            "rounds": self.rounds,
            **{k: v for k, v in t.facts.items() if v},
            "game": type(t.game).__name__.lower(),
            "feedback": f"{t.how_late}, {copies}" if t.delay else "at once",
            "engine": t.engine,
            "seed": t.seed,
            **self.kind.facts(),
        }

    # Comparators.

    def comparators(self, kind: str) -> Comparators | None:
        """The comparators that theorems call by this name (`Guarantee.against`); None where there are none."""
        return self.kind.comparators(kind)

    @property
    def experts(self) -> Comparators:
        """Each expert: its loss, the regret to it as shown, and the squares of that."""
        return self.kind.experts

    @property
    def sequences(self) -> Comparators | None:
        """The best sequence of experts with k shifts, for k = 0, 1, …"""
        return self.kind.sequences

    @property
    def modes(self) -> Comparators | None:
        """The best choice of experts in each task, of few different ones."""
        return self.kind.modes

    def path(self, k: int) -> list[tuple[int, int, str]]:
        """The best sequence with at most k shifts: (first round, past the last, expert)."""
        if self.transcript.folds.sequences is None:
            raise NotKept("no comparators were computed: play with certify=True")
        return [(a, b, self.names[i]) for a, b, i in self.transcript.folds.sequences.path(k)]

    @property
    def mixture(self) -> tuple[Array, float] | None:
        """The best fixed mixture of experts (square loss): its weights and its loss."""
        return self.kind.mixture

    @property
    def linear(self) -> tuple[Array, float] | None:
        """The best fixed linear combination of experts (square loss): its weights and its loss."""
        return self.kind.linear

    @property
    def uniform_loss(self) -> float | None:
        """The loss of the mean of all experts."""
        return self.kind.uniform_loss

    @property
    def pseudo_regret(self) -> float:
        """Of a bandit: the regret to the best arm in means, where they are known: NaN elsewhere."""
        return self.kind.pseudo_regret

    @property
    def best(self) -> Best | None:
        """Of examples: the best fixed linear predictor in hindsight, its weights `u`, `loss`, and duality `gap`."""
        return self.kind.best

    @property
    def own_best(self) -> Best | None:
        """Of examples: the best of the weights that the learner ended with, held fixed over all rounds."""
        return self.kind.own_best

    @property
    def compared(self) -> dict[str, Comparators]:
        """Of examples: the comparators that were found so far, by the name that theorems give them."""
        return self.kind.compared

    @property
    def codes(self) -> Array | None:
        """Outcomes of the rounds kept; classes as the learner codes them."""
        found: Array | None = self.transcript.codes
        return found

    @property
    def data_symbols(self) -> dict[str, Any]:
        """The symbols of bounds that depend on the examples: their largest and total size."""
        return self.kind.data_symbols

    # Certificate.

    def symbols(self, part: Copy, found: Comparators | None = None, kind: str = "none") -> Symbols:
        """The numbers that a bound may use, of one copy of the learner."""
        return self.kind.symbols(part, found, kind)

    @functools.cached_property
    def certificate(self) -> Certificate:
        """Each theorem of the learner: kept, vacuous, unknown or broken by this run."""
        if not self.transcript.certify:
            raise NotKept("this run was played with certify=False")
        return certify(self.kind, self.transcript.learner.guarantees)

    @property
    def judged(self) -> bool:
        """Has the certificate been made? To make one over examples takes a search."""
        return "certificate" in vars(self)

    @functools.cached_property
    def headline(self) -> Verdict | None:
        """The verdict with the smallest loss + bound of those compared, over all theorems that hold, as in `bound`."""
        return self.certificate.headline

    @functools.cached_property
    def _comparator(self) -> tuple[str, float]:
        return self.kind.comparator(self.headline, self.certificate)

    @property
    def comparator(self) -> str:
        """The comparator with the least loss, which `regret` and `bound` refer to.

        Of experts: the best one (of those that were awake in at least a tenth of the rounds), or a mixture or
        sequence that lost less, where a theorem is about it. The comparator for which a theorem promises most is in
        its verdict: `headline.comparator`.
        """
        return self._comparator[0]

    @property
    def comparator_loss(self) -> float:
        return self._comparator[1]

    @property
    def regret(self) -> float:
        """The loss less that of `comparator`."""
        return self.loss - self.comparator_loss

    @property
    def bound(self) -> float:
        """What the theory promises about `regret`: `allowed` less `comparator_loss`; NaN where no theorem applies.

        A theorem may bound another number, such as mistakes, against another comparator than the best one. Then
        `headline.bound` is its own bound, and this is what follows for the regret.
        """
        return self.kind.bound(self.headline, self.comparator_loss)

    @property
    def allowed(self) -> float:
        """The largest loss that the theorem of the headline allows; NaN where no theorem applies."""
        return self.comparator_loss + self.bound

    def bound_curve(self, v: Verdict) -> tuple[Array, Array, Array] | None:
        """Three arrays along the run: rounds, regret (or what else the theorem is about), and its bound."""
        curve: tuple[Array, Array, Array] | None = hook("bound_curve")(self, v)
        return curve

    # What packages above this one make of it (core/hooks.py).

    def explain(self) -> Any:
        """Which experts had the weight, when, and what leaving each expert out would have cost."""
        return hook("explain")(self)

    def report(self, path: str | Path = "run.html") -> Path:
        """Write one self-contained HTML page."""
        written: Path = hook("report")([self], path)
        return written

    def to_frame(self, weights: bool = False) -> Any:
        """One row a round, in a pandas frame with the index of the frame that was played, or its dates.

        Columns: prediction (of a bandit: arm), outcome where it was kept, loss; with `weights` one for each expert.

        >>> import littlestone as ls
        >>> ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]]).to_frame(weights=True)[
        ...     ["expert 1", "expert 2"]
        ... ].shape
        (2, 2)
        """
        return hook("to_frame")(self, weights)

    def plot(self) -> Any:
        """A matplotlib figure of losses, regret and weights."""
        return hook("plot")(self)

    @property
    def sentence(self) -> str:
        """Would something simple have been better, and does the bound say anything? One plain sentence."""
        sentence: str = hook("plain_sentence")(self)
        return sentence

    def __repr__(self) -> str:
        said = f"{self.sentence}; " if self.sentence else ""
        text = f"<Run {self.label}: {said}{self.rounds:,} rounds, loss {self.loss:.6g}"
        if self.traits.kind.has_examples:
            return text + (f", accuracy {self.accuracy:.4f}>" if self.classifies else ">")
        if self.transcript.certify:
            text += f", regret {self.regret:.6g} to {self.comparator}, bound {self.bound:.6g}"
            text += f", {self.certificate.verdict}"
        return text + ">"


class Runs(InNotebook, Mapping[Any, Run]):
    """One run a key, when a play was split `by` a column.

    >>> import littlestone as ls
    >>> shops = ["north", "south", "north"]
    >>> runs = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], by=shops, engine="plain")
    >>> sorted(runs), runs["north"].rounds, runs.losses.tolist()[:2]
    (['north', 'south'], 2, [0.5, 0.5])
    """

    def __init__(self, made: Mapping[Any, Run] | None = None) -> None:
        self.made: dict[Any, Run] = dict(made or {})
        # learners that were there before and had no round in this table
        self.without_rounds: dict[Any, Any] = {}

    def __getitem__(self, key: Any) -> Run:
        return self.made[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.made)

    def __len__(self) -> int:
        return len(self.made)

    @property
    def predictions(self) -> NDArray[Any]:
        """The predictions of all keys, in the order of the rows of the table."""
        return self.in_order(lambda run: run.predictions)

    @property
    def losses(self) -> Array:
        """The loss of each row of the table, in their order."""
        return self.in_order(lambda run: run.losses)

    @property
    def realised(self) -> Array:
        """The loss of each row as it was drawn; where labels are predicted under another loss, the mistakes."""
        return self.in_order(lambda run: run.realised)

    def in_order(self, of: Callable[[Run], NDArray[K]]) -> NDArray[K]:
        """What each run has of its rounds, in the order of the rows of the table."""
        runs = list(self.values())
        if any(run.rows is None for run in runs):
            raise NotKept("the table was not kept in memory, and with it the order of its rows")
        found = np.concatenate([of(run) for run in runs])
        return found[np.argsort(np.concatenate([run.rows for run in runs]), kind="stable")]

    @property
    def loss(self) -> float:
        return sum(run.loss for run in self.values())

    @property
    def brier(self) -> float:
        """The Brier score of the probabilities of all keys together."""
        parts = [run.reliability for run in self.values()]
        total = math.fsum(part.total for part in parts)
        return math.fsum(part.squares for part in parts) / total if total else math.nan

    def calibration(self, label: Any = None) -> Calibration:
        """How often what was said to be so probable came true, of all keys together; a key may not know the label."""
        found = None
        for run in self.values():
            one = run.transcript.setting.coder
            if label is None or one is None or label in one.codes:
                part = run.calibration(label)
                found = part if found is None else found + part
        if found is None:
            raise BadInput(f"calibration: no key has a class called {label!r:.80}")
        return found

    @property
    def cost(self) -> float:
        """With costs or a threshold: what the decisions of all keys cost, in all."""
        return math.fsum(run.cost for run in self.values())

    @property
    def loss_by_key(self) -> dict[Any, float]:
        """The loss of each key."""
        return {key: run.loss for key, run in self.items()}

    @property
    def rounds(self) -> int:
        return sum(run.rounds for run in self.values())

    @property
    def rounds_by_key(self) -> dict[Any, int]:
        """How many rounds each key has."""
        return {key: run.rounds for key, run in self.items()}

    @property
    def learners(self) -> Mapping[Any, Any]:
        """The learner of each key, as it was at the end: `play(runs.learners, …, by=…, resume=True)` goes on.

        Learners that went on and had no round in this table are among them, as they were.
        """
        return {**self.without_rounds, **{key: run.learner for key, run in self.items()}}

    def save(self, path: str | Path) -> Path:
        """Write the learners of all keys to one file, which `littlestone.load` reads as a dict."""
        from ..live.store import save_by_key

        return save_by_key(self.learners, path)

    def report(self, path: str | Path = "run.html") -> Path:
        """Write one page with a section a key."""
        written: Path = hook("report")(list(self.values()), path)
        return written

    def __repr__(self) -> str:
        return f"<Runs: {len(self)} keys, {self.rounds:,} rounds, loss {self.loss:.6g}>"
