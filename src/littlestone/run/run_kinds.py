"""What differs between runs over experts, arms and examples: comparators, symbols of the bounds, the headline."""

from __future__ import annotations

import functools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import NotKept
from ..core.game import ONE, SEVERAL
from ..core.guarantee import (
    MIXED,
    SAME_IMPORTANCE,
    Certificate,
    Comparators,
    Guarantee,
    Symbols,
    Verdict,
    judge,
)
from ..core.learner import measure_symbols
from ..core.transcript import Copy, Transcript
from ..hindsight.folds.linear import Linear
from ..hindsight.folds.task_sequences import TaskSequences
from ..hindsight.folds.totals import LARGE, SMALL
from ..hindsight.search import by_name
from ..hindsight.search.best_linear import Best
from ..hindsight.search.design import Design
from ..hindsight.search.few_modes import few_modes
from ..hindsight.search.kept_rounds import KeptRounds
from .certify import ONE_DRAW, PSEUDO, headline, of_mixture, unmet
from .rounding import blur, farthest

if TYPE_CHECKING:
    from ..core.stream import Array
    from .run import Run

OWN = "its own last weights"  # held fixed, over all rounds
DIGITS_LOST = "squares of such numbers lose their digits, so multiply all of them by a constant"
AWAKE = 0.1  # no expert is called the best that was awake in a smaller share of the rounds
TIGHTEST = "where the bound is tightest"
NO_EXPERTS = "there are no experts here: see run.best for the best fixed predictor"
NO_EXAMPLES = "there are no examples here, and no linear predictor of them: see run.experts and run.comparator"
NO_ARMS = "there are no arms here whose means could be known"


class RunKind:
    """What all kinds of rounds share."""

    def __init__(self, transcript: Transcript, world: Any = None) -> None:
        self.transcript = transcript
        self.world = world  # what drew the losses, where that is known
        # comparators found so far, by the name that theorems give them
        self.compared: dict[str, Comparators] = {}

    # What not every kind of round has.

    @property
    def experts(self) -> Comparators:
        raise NotKept(NO_EXPERTS)

    @property
    def best_expert(self) -> int:
        raise NotKept(NO_EXPERTS)

    @property
    def awake(self) -> Array:
        raise NotKept(NO_EXPERTS)

    def expert_name(self, i: int) -> str:
        raise NotKept(NO_EXPERTS)

    @property
    def sequences(self) -> Comparators | None:
        return None

    @property
    def modes(self) -> Comparators | None:
        return None

    @property
    def mixture(self) -> tuple[Array, float] | None:
        return None

    @property
    def linear(self) -> tuple[Array, float] | None:
        return None

    @property
    def uniform_loss(self) -> float | None:
        return None

    @property
    def pseudo_regret(self) -> float:
        raise NotKept(NO_ARMS)

    @property
    def best(self) -> Best | None:
        raise NotKept(NO_EXAMPLES)

    @property
    def own_best(self) -> Best | None:
        raise NotKept(NO_EXAMPLES)

    @property
    def data_symbols(self) -> dict[str, Any]:
        raise NotKept(NO_EXAMPLES)

    # What every kind has.

    def comparators(self, kind: str) -> Comparators | None:
        """The comparators that theorems call by this name."""
        raise NotImplementedError

    def comparator(self, v: Verdict | None, certificate: Certificate | None) -> tuple[str, float]:
        """The comparator with the least loss: its name and its loss."""
        raise NotImplementedError

    def bound(self, v: Verdict | None, comparator_loss: float) -> float:
        """What the theory promises about the regret to it."""
        raise NotImplementedError

    @property
    def parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = self.transcript.learner.parameters
        return parameters

    @property
    def answered(self) -> int:
        return int(self.transcript.totals.T)

    def scores(self, run: Run) -> Array:
        """The real number behind each prediction."""
        return run.actions

    def facts(self) -> dict[str, Any]:
        """What is special to this kind, for the table of facts."""
        return {"experts": len(self.transcript.names)}

    def symbols(self, part: Copy, found: Comparators | None, kind: str) -> Symbols:
        t = self.transcript
        known = measure_symbols(t.learner, t.game, t.shape)
        notes = dict(zip(t.learner.diagnostics, part.notes.tolist(), strict=True))
        known.__dict__.update(T=part.totals.T, loss=part.totals.loss, **t.waiting, **notes)
        return known

    def beyond(self) -> str:
        """Why numbers of this size cannot be judged in floating point; empty where they can."""
        loss = abs(self.transcript.loss)
        if loss == 0.0 or SMALL**2 < loss < LARGE**2:
            return ""
        return f"the total loss is {loss:.3g}: {DIGITS_LOST}"

    def verdict(self, g: Guarantee, found: Comparators | None, parts: list[Symbols]) -> Verdict:
        return judge(g, found, parts, self.transcript.loss)

    def mixed(self, g: Guarantee, parts: list[Symbols]) -> list[Verdict]:
        return []

    def headline(self, certificate: Certificate) -> Verdict | None:
        return headline(certificate)


class Experts(RunKind):
    """Experts, whose losses were folded as rounds went by."""

    title = "best expert"

    # Comparators.

    @functools.cached_property
    def experts(self) -> Comparators:
        """Each expert: its loss, the regret to it as shown, and the squares of that."""
        t = self.transcript.totals
        more = {"R": t.R, "V": t.V}
        return Comparators("expert", self.expert_name, t.L, more)

    @functools.cached_property
    def awake(self) -> Array:
        """The share of the rounds with an answer in which each expert gave advice."""
        t = self.transcript
        share = np.ones(len(t.totals.L))
        return share if t.asleep is None or not self.answered else share - t.asleep / self.answered

    @functools.cached_property
    def best_expert(self) -> int:
        """The expert with the least loss, of those that were awake in at least a tenth of the rounds, if any were.

        In the rounds in which an expert sleeps it is charged what the learner lost: so it is compared with the
        learner in the others alone. One that hardly ever spoke has hardly been compared.
        """
        L, often = self.transcript.totals.L, np.flatnonzero(self.awake >= AWAKE)
        return int(often[np.argmin(L[often])]) if len(often) else int(np.argmin(L))

    def expert_name(self, i: int) -> str:
        """The name of an expert; it is called the best only if it is."""
        name, share = self.transcript.names[i], float(self.awake[i])
        if share < 1.0:
            name += f", awake in {percent(share)} of the rounds"
        best = i == self.best_expert and share >= AWAKE
        return f"{self.title if best else self.title.removeprefix('best ')} ({name})"

    @functools.cached_property
    def sequences(self) -> Comparators | None:
        """The best sequence of experts with k shifts, for k = 0, 1, …"""
        fold = self.transcript.folds.sequences
        if fold is None:
            return None
        L = fold.values()
        # the best with at most k shifts may need fewer
        k = np.array([int(np.argmax(v == L)) for v in L])
        m = np.minimum(k + 1, len(self.transcript.names))
        try:
            for j in range(len(L)):
                m[j] = len({expert for _, _, expert in fold.path(int(k[j]))})
        except NotKept:
            pass  # the path was not kept: k + 1 is an upper bound on the number of different experts

        def name(i: int) -> str:
            if k[i] == 0 and isinstance(fold, TaskSequences):
                return "best expert of each task"
            if k[i] == 0:  # a sequence that never shifts is an expert, who has a name
                return self.expert_name(int(np.argmin(self.experts.L)))
            return f"best sequence of experts, {'1 shift' if k[i] == 1 else f'{k[i]} shifts'}"

        return Comparators("sequence", name, L, {"k": k, "m": m})

    @functools.cached_property
    def modes(self) -> Comparators | None:
        """The best choice of experts in each task, of few different ones."""
        return few_modes(self)

    def comparators(self, kind: str) -> Comparators | None:
        if kind == "expert":
            return self.experts
        if kind == "sequence":
            return self.sequences
        if kind == "mean":
            return self.mean_of_experts
        return self.modes if kind == "modes" else None

    @functools.cached_property
    def mean_of_experts(self) -> Comparators | None:
        """The mean of all experts."""
        loss = self.uniform_loss
        if loss is None:
            return None
        why = ""
        if self.transcript.facts["missing advice"]:
            why = "some experts were asleep, and the mean of the others is not a fixed mixture"
        return Comparators("mean", lambda i: "all experts alike", np.array([loss]), why=why)

    @functools.cached_property
    def mixture(self) -> tuple[Array, float] | None:
        """The best fixed mixture (square loss): its weights and its loss."""
        t = self.transcript
        t.folds.fold_mixtures(t.data)
        if t.folds.mixture is None or self.answered == 0 or t.facts["missing advice"]:
            return None
        q, loss, _ = t.folds.mixture.best()
        return q, float(loss)

    @functools.cached_property
    def far(self) -> float:
        """The largest |outcome|, where advice is mixed; else 0."""
        t = self.transcript
        if not t.traits.mixes:
            return 0.0
        if t.data is not None:
            return farthest(t.data.y)
        return 0.0 if t.folds.uniform is None else t.folds.uniform.far

    @property
    def uniform_loss(self) -> float | None:
        """The loss of the mean of the advice, over the experts awake."""
        t = self.transcript
        t.folds.fold_mixtures(t.data)
        if t.folds.uniform is not None:
            return float(t.folds.uniform.loss)
        drawn = t.traits.draws and not t.facts["missing advice"]
        return float(self.experts.L.mean()) if t.certify and drawn else None

    @functools.cached_property
    def linear(self) -> tuple[Array, float] | None:
        """The best fixed linear combination (square loss): its weights and its loss."""
        t = self.transcript
        if self.mixture is None:  # the same rounds and the same loss
            return None
        fold = t.folds.linear
        if fold is None:
            if t.data is None:
                return None
            fold = Linear(len(t.names))
            fold.add(t.data.x, t.data.y)
        w, loss = fold.best()
        return w, float(loss)

    def scores(self, run: Run) -> Array:
        """Where experts vote, the weighted mean of their labels."""
        if not self.transcript.traits.classes:
            return run.actions
        if self.transcript.data is None:
            raise NotKept("the scores of a vote need the rounds in memory")
        means: Array = np.nansum(run.weights * self.transcript.data.x, axis=1)
        return means

    # Certificate.

    def symbols(self, part: Copy, found: Comparators | None, kind: str) -> Symbols:
        known, t = super().symbols(part, found, kind), part.totals
        known.__dict__.update(L=t.L, R=t.R, V=t.V, r=t.r)
        if self.far and t.r > 0.0:  # else no round had anything to choose
            total = abs(t.loss) + float(np.max(t.L, initial=0.0, where=np.isfinite(t.L)))
            if total > 0.0:
                loss = self.transcript.traits.loss
                known.__dict__["blur"] = blur(loss, self.far, len(t.L), t.T, total)
        if kind in ("sequence", "modes") and (against := found or self.comparators(kind)):
            alone = len(self.transcript.copies) == 1
            L = against.L if alone else np.full(len(against.L), math.nan)
            known.__dict__.update(L=L, **against.more)
        return known

    def beyond(self) -> str:
        r, small = float(self.transcript.totals.r), self.transcript.small
        if r == 0.0 and small:
            return f"no advice is above {small:.3g}: {DIGITS_LOST}"
        if r == 0.0 or SMALL <= r <= LARGE or math.isinf(r):
            return super().beyond()
        return f"losses differ by at most {r:.3g} in a round: {DIGITS_LOST}"

    def mixed(self, g: Guarantee, parts: list[Symbols]) -> list[Verdict]:
        tangents = self.transcript.traits.tangents
        if g.against != "expert" or not tangents or self.mixture is None:
            return []
        return [of_mixture(g, parts, *self.mixture, self.transcript.loss)]

    def verdict(self, g: Guarantee, found: Comparators | None, parts: list[Symbols]) -> Verdict:
        judged = super().verdict(g, found, parts)
        tightest = judged.verdict == "kept" and g.against == "expert"
        if tightest and judged.index not in (self.best_expert, MIXED):
            judged.comparator += f", {TIGHTEST}"
        return judged

    def comparator(self, v: Verdict | None, certificate: Certificate | None) -> tuple[str, float]:
        """The comparator with the least loss, and its loss: of the best expert, and those that theorems name.

        Of a theorem about sequences that is the one with the number of shifts for which it promises most: with more
        shifts a sequence always loses less.
        """
        if not self.transcript.names:  # there are no experts to name
            return ("none", math.nan) if v is None else (v.comparator, v.comparator_loss)
        i = self.best_expert
        found = [(self.expert_name(i), float(self.experts.L[i]))]
        judged = [v for v in certificate or () if v.verdict in ("kept", "broken")]
        found += [
            (w.comparator, w.comparator_loss)
            for w in (*judged, *([] if v is None else [v]))
            if w.guarantee.against not in ("expert", "none") or w.index == MIXED
            if not self.is_one_expert(w)
        ]
        return min(found, key=lambda pair: pair[1])

    def is_one_expert(self, v: Verdict) -> bool:
        """Is the comparator a sequence that never shifts? It is an expert, and may be one that hardly ever spoke."""
        found = self.sequences
        if v.guarantee.against != "sequence" or found is None or v.index < 0:
            return False
        tasks = isinstance(self.transcript.folds.sequences, TaskSequences)
        return not tasks and bool(found.more["k"][v.index] == 0)

    def bound(self, v: Verdict | None, comparator_loss: float) -> float:
        """The least loss that a theorem allows, less the comparator's."""
        return math.nan if v is None else v.comparator_loss + v.regret_bound - comparator_loss


class Arms(Experts):
    """Arms, of which one loss a round was seen."""

    title = "best arm"

    @property
    def uniform_loss(self) -> float | None:
        """What pulling arms at random would have cost, on average."""
        return float(self.experts.L.mean()) if self.transcript.certify else None

    def symbols(self, part: Copy, found: Comparators | None, kind: str) -> Symbols:
        known, t = super().symbols(part, found, kind), self.transcript
        known.__dict__.update(of_world(self.world), slept=t.slept)
        low = t.game.low  # the best total reward on [0, 1]: losses are low + high - reward
        known.__dict__.update(G=known.T - (np.min(part.totals.L) - known.T * low) / known.B)
        return known

    @functools.cached_property
    def pseudo_regret(self) -> float:
        """The regret to the best arm in means, where they are known: NaN elsewhere."""
        t = self.transcript
        if self.world is None or t.slept:  # it is not kept which arms were missing in a round
            return math.nan
        at, p = t.decisions.gather()
        if len(at) < t.rounds:
            return math.nan
        means = self.world.means_at(at)
        return float(((p * means).sum(axis=1) - means.min(axis=1)).sum())

    def verdict(self, g: Guarantee, found: Comparators | None, parts: list[Symbols]) -> Verdict:
        if g.measures == PSEUDO:
            failed = unmet(g, parts)
            if failed is not None:
                return failed
            bound = float(sum(float(g.bound(s)) for s in parts))
            who = "best arm in means"
            return Verdict(g, "unknown", ONE_DRAW, who, self.pseudo_regret, bound)
        judged = super().verdict(g, found, parts)
        if g.mode != "surely" and judged.verdict in ("kept", "broken"):
            return replace(judged, verdict="unknown", why=ONE_DRAW)
        return judged

    def headline(self, certificate: Certificate) -> Verdict | None:
        first = headline(certificate)
        if first is not None and first.guarantee.measures == "regret":
            return first
        about_regret = [
            v
            for v in certificate
            if v.guarantee.against in ("expert", "sequence")
            and v.guarantee.measures == "regret"
            and math.isfinite(v.regret_bound)
        ]
        return min(about_regret, key=lambda v: v.comparator_loss + v.regret_bound, default=None)


class Examples(RunKind):
    """Examples; comparators are searched for among the rounds that were kept."""

    def facts(self) -> dict[str, Any]:
        t = self.transcript
        n = t.feature_count
        found: dict[str, Any] = {"features": f"up to {n:,}, sparse" if t.sparse else n}
        if t.traits.classes:
            found["classes"] = ", ".join(str(y) for y in t.labels or ())
        if t.passes > 1:
            found["passes"] = t.passes
        return found

    def scores(self, run: Run) -> Array:
        """The score of each round; with several classes one for each."""
        rows = run.recorded(self.transcript.decisions, "scores")
        return rows.reshape(len(rows)) if self.transcript.traits.decision == ONE else rows

    # Comparators.

    @functools.cached_property
    def rounds(self) -> KeptRounds | None:
        """The rounds that were kept; None where none were."""
        return KeptRounds.of(self.transcript)

    def comparators(self, kind: str) -> Comparators | None:
        """Comparators of one kind (hindsight.search.by_name), from the rounds that were kept."""
        if kind == "none":
            return None
        if self.rounds is None:
            return Comparators(kind, str, np.zeros(0), why="the stream was not kept in memory")
        if kind not in self.compared:
            self.compared[kind] = by_name.comparators(kind, self.rounds)
        return self.compared[kind]

    @functools.cached_property
    def data_symbols(self) -> dict[str, Any]:
        """The symbols of bounds that depend on the examples: their largest and total size."""
        t = self.transcript
        if t.data is None:
            return {}
        found = by_name.sizes(t.data.x, t.intercept)
        return {**found, "X2": found["X2"] * t.passes}

    @functools.cached_property
    def far(self) -> float:
        """The largest |outcome| of regression; 0 for labels."""
        t = self.transcript
        return 0.0 if t.data is None or t.traits.classes else farthest(t.codes)

    @functools.cached_property
    def best(self) -> Best | None:
        """The best fixed linear predictor in hindsight: its weights `u`, its `loss`, and the duality `gap`."""
        if self.rounds is None:
            return None
        found = by_name.best(self.rounds, lambda: self.comparators("linear"))
        own = self.own_best
        return found if found is None or own is None or found.loss <= own.loss else own

    @functools.cached_property
    def own_best(self) -> Best | None:
        """The best of the weights that the learner ended with, held fixed over all rounds, where mistakes count.

        Mistakes have no minimiser that can be computed. The weights that the run itself came to are known, and are
        sometimes better than those that were searched for. For other losses minimisers are found to a stated gap.
        """
        t = self.transcript
        if not t.last_weights or t.data is None:
            return None
        D = Design(t.data.x, t.intercept, t.feature_count)
        y, h = t.codes, np.where(np.isnan(t.codes), 0.0, t.data.weights)
        found = []
        for u in t.last_weights:
            z = D.scores(u)
            label = np.where(z == 0.0, t.traits.zero, z > 0.0)
            found.append(Best(u, float(h @ (label != y)), math.nan, OWN))
        return min(found, key=lambda each: each.loss)

    # Certificate.

    def symbols(self, part: Copy, found: Comparators | None, kind: str) -> Symbols:
        known, t = super().symbols(part, found, kind), self.transcript
        known.__dict__.update(self.data_symbols)
        counts = t.totals
        known.__dict__.update(
            d=t.shape.n, even=counts.even, lightest=counts.lightest, weightiest=counts.weightiest,
            passes=t.passes,
        )  # fmt: skip
        if self.far and t.traits.loss is not None:  # a miss of an interval is counted, not measured
            total, rounds = abs(part.totals.loss), part.totals.importance
            known.__dict__["blur"] = blur(t.traits.loss, self.far, t.shape.n, rounds, total)
        if t.traits.classes:
            known.__dict__.update(mistakes=part.totals.mistakes, reserve=part.totals.reserve)
            known.__dict__["declared"] = t.setting.coder is None or t.setting.coder.declared
        if found is not None and not found.why:
            known.__dict__.update(L=found.L, **found.more)
        return known

    def beyond(self) -> str:
        if self.transcript.small:
            return f"no feature is above {self.transcript.small:.3g}: {DIGITS_LOST}"
        return super().beyond()

    def verdict(self, g: Guarantee, found: Comparators | None, parts: list[Symbols]) -> Verdict:
        h, counts = 1.0, self.transcript.totals
        if SAME_IMPORTANCE in g.assumptions and counts.lightest == counts.weightiest:
            h = counts.weightiest  # the same run as with importance 1, but for what is summed up
        parts, found = [divide_symbols(s, h) for s in parts], divided_losses(found, h)
        judged = judge(g, found, parts, self.transcript.loss / h)
        if g.mode == "in expectation" and judged.verdict in ("kept", "broken"):
            return Verdict(g, "unknown", "one run, and it is about the mean over draws")
        traits, loss = self.transcript.traits, self.transcript.loss / h
        sure = traits.counts_mistakes and not traits.draws
        mistakes = set(g.measures.split("|")) <= {"mistakes", "updates"}
        counted = mistakes and (sure or traits.classes == SEVERAL)
        if g.measures not in ("regret", "loss") and not counted:
            judged.regret = math.nan  # a bound on another number says nothing about the loss
        elif "updates" in g.measures and loss > judged.measured:
            # no update is made in the round that brings a class that was not declared: that mistake comes on top
            judged.regret_bound += loss - judged.measured
        judged.regret, judged.regret_bound = h * judged.regret, h * judged.regret_bound
        judged.comparator_loss *= h
        return judged

    # The headline: what the best fixed predictor lost, and how much more the theory allows.

    def comparator(self, v: Verdict | None, certificate: Certificate | None) -> tuple[str, float]:
        """The name of the comparator that lost least, and its loss."""
        certificate = certificate or Certificate()
        kinds = {v.guarantee.against for v in certificate if v.verdict in ("kept", "broken")}
        names = sorted((kinds - {"none"}) | set(self.compared))
        found = [f for f in map(self.comparators, names) if f is not None]
        lists = [best_of(f) for f in found if not f.why and len(f.L)]
        best = self.best if not lists or any(f.kind == "linear" for f in found) else None
        if best is not None and (len(best.u) or not lists):  # else it is in `lists` already
            lists.append((self.best_name(best), float(best.loss) * self.transcript.passes))
        # of comparators with equal losses, the one that was searched for
        return min(reversed(lists), key=lambda pair: pair[1], default=("none", math.nan))

    def best_name(self, best: Best) -> str:
        """What the comparator is called: its name says whether its search proved that it is the best."""
        return OWN if best.how == OWN else best.name

    def is_one_expert(self, v: Verdict) -> bool:
        """Is the comparator a sequence that never shifts? It is an expert, and may be one that hardly ever spoke."""
        found = self.sequences
        if v.guarantee.against != "sequence" or found is None or v.index < 0:
            return False
        tasks = isinstance(self.transcript.folds.sequences, TaskSequences)
        return not tasks and bool(found.more["k"][v.index] == 0)

    def bound(self, v: Verdict | None, comparator_loss: float) -> float:
        """The least loss that a theorem allows, less the comparator's."""
        return math.nan if v is None else v.comparator_loss + v.regret_bound - comparator_loss


def best_of(found: Comparators) -> tuple[str, float]:
    """The name of the best of some comparators, and what it lost."""
    return found.best or found.names(int(np.argmin(found.L))), float(np.min(found.L))


WEIGHTED = (
    "loss",
    "mistakes",
    "reserve",
    "L",
    "H",
    "H2",
)  # sums over the rounds, each times its importance


def divide_symbols(s: Symbols, h: float) -> Symbols:
    """The symbols as they were if every round, all of importance h, had importance 1."""
    if h == 1.0:
        return s
    return Symbols(**{k: v / h if k in WEIGHTED else v for k, v in vars(s).items()})


def divided_losses(found: Comparators | None, h: float) -> Comparators | None:
    if h == 1.0 or found is None or found.why:
        return found
    more = {k: v / h if k in WEIGHTED else v for k, v in found.more.items()}
    return replace(found, L=np.asarray(found.L, float) / h, more=more)


RUN_KINDS: dict[str, type[RunKind]] = {
    "advice": Experts,
    "losses": Experts,
    "arms": Arms,
    "examples": Examples,
}


def percent(share: float) -> str:
    """A share of the rounds, in words.

    >>> percent(0.018), percent(0.452), percent(0.0004), percent(0.9999)
    ('1.8%', '45%', 'under 0.1%', 'over 99%')
    """
    if share < 0.001:
        return "under 0.1%"
    if share > 0.99:
        return "over 99%"
    return f"{100.0 * share:.1f}%" if share < 0.1 else f"{100.0 * share:.0f}%"


def of_world(world: Any) -> dict[str, Any]:
    """The symbols of theorems about independent losses: whether they are independent, means and gaps of the arms."""
    length = (
        math.nan if world is None else world.length
    )  # of theta, where means are linear in features
    if world is None or not world.still:
        why = "nothing says that they are" if world is None else "their means change"
        unknown = np.array([math.nan])
        return {"theta": length, "iid": False, "iid_why": why, "gaps": unknown, "means": unknown}
    mu = world.means[0]
    return {"theta": length, "iid": True, "iid_why": "", "gaps": mu - mu.min(), "means": mu}
