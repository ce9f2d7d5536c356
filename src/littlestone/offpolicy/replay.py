"""Replay a log: estimate what a learner would have earned, had it chosen the arms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.numeric import uniform
from ..core.registry import learner as made
from ..core.stream import Array
from .estimates import table
from .intervals import Interval, adaptive, binomial, confidence
from .logged import Columns, LoggedDecisions, log_of
from .policies import chances

METHODS = ("match", "reject", "weighted")
IDS = {"match": "A-REPLAY", "reject": "A-REPLAY-REJECT", "weighted": "A-REPLAY-WEIGHTED"}
THIN, ACCEPT = 1, 2  # which of the uniform numbers of a row


@dataclass(frozen=True)
class Replayed:
    """One learner on one log."""

    name: str
    method: str
    earned: float  # the sum of outcomes over the rows that count, weighted where the method weighs
    counted: int  # rows that count
    learned: int  # rows that the learner learned from: its own rounds
    rate: float  # the estimate of its mean outcome a round
    binomial: Interval  # the interval of a binomial share, as if each round were a toss of one coin
    bernstein: Interval  # for any number of rows, and learners that change


@dataclass(frozen=True)
class Replays:
    """Several learners on one log."""

    rows: Sequence[Replayed]
    log: LoggedDecisions
    delta: float

    def __getitem__(self, name: str) -> Replayed:
        for row in self.rows:
            if row.name == name:
                return row
        raise BadInput(f"no policy {name!r}; there are {', '.join(r.name for r in self.rows)}")

    def __str__(self) -> str:
        sure = f"{1.0 - self.delta:.6g}"
        head = ["policy", "method", "earned", "counted", "learned", "rate"]
        head += [f"{sure} binomial", f"{sure} Bernstein"]
        body = [
            [
                r.name,
                r.method,
                f"{r.earned:.4g}",
                f"{r.counted:,}",
                f"{r.learned:,}",
                "-" if math.isnan(r.rate) else f"{r.rate:.4g}",
                str(r.binomial),
                str(r.bernstein),
            ]
            for r in self.rows
        ]
        log, mean = self.log, float(self.log.outcomes.mean())
        first = f"{len(log):,} rows, {log.n} arms; the log itself earned {mean:.4g} a row"
        return "\n".join([first, *table([head, *body])])


def replay(
    log: Any,
    policies: Any,
    *,
    method: str = "match",
    delta: float = 0.05,
    floor: float | None = None,
    seed: int = 0,
    **columns: Unpack[Columns],
) -> Replays:
    """Play learners on a log, and say what each would have earned a round.

        match      each row:  the learner picks an arm;  if the log has that arm the row counts, and is learned from
        reject     each row counts, and is learned from, with probability p(arm) floor / (propensity M), where p are
                   the learner's propensities, and M = max p, or 1 for a learner with contexts: more rows than `match`
                   for a learner that mixes. (With contexts M must be the same for all, or rows would be picked by
                   their contexts.)
        weighted   every row counts, with weight p(arm) / propensity;  those that match are learned from

    log        a LoggedDecisions, or a frame or file with its columns named, as `LoggedDecisions.read` takes them
    policies   a learner, a key of the registry, anything with predict(x) -> arm, update(x, arm, loss) and, for
               `reject` and `weighted`, propensities(x), where an arm is its name or its number; or a list or dict of
               those. Each begins as it is, and is changed by what it learns; keys and learners of the registry begin
               afresh.
    floor      the smallest propensity of any arm in the log; None: 1/n where the log is uniform, else the smallest
               seen. `match` keeps a row with probability floor / propensity, so that all arms are alike in what is
               left.

    In the rows that count, arms and outcomes are as they would have been with the learner in charge: with rows that
    are drawn independently, the first m of them are distributed as m rounds live (Li et al. 2011, theorem 1). The
    limits are about the mean over these rounds of the value of what the learner was then, in this one run.
    "binomial" is the interval of a coin, for `weighted` with the effective number of rows (sum w)^2 / sum w^2: about
    right. "Bernstein" holds for any number of rows and for learners that change.

    Rewards become losses in [0, 1] for the learner, and stay rewards in the table. O(T) rounds of the learner.

    Li, Chu, Langford and Wang (2011); Mandel, Liu, Brunskill and Popovic (2016) for `reject`.
    Ledger: A-REPLAY, A-REPLAY-REJECT, A-REPLAY-WEIGHTED; T-REPLAY-LIVE, T-BERNSTEIN-ADAPTIVE.
    """
    if method not in METHODS:
        raise BadInput(f"there is no method {method!r}; the methods are {', '.join(METHODS)}")
    delta = confidence(delta)
    log = log_of(log, columns)
    floor = log.floor(floor)
    rows = [
        one(log, name, learner, method, delta, floor, seed)
        for name, learner in named_policies(policies)
    ]
    return Replays(rows, log, delta)


def named_policies(policies: Any) -> list[tuple[str, Any]]:
    """The policies with their names; a learner is copied, so that the caller keeps its own."""
    if isinstance(policies, Mapping):
        pairs = [(str(k), v) for k, v in policies.items()]
    else:
        many = policies if isinstance(policies, list | tuple) else [policies]
        pairs = [
            (p.key if isinstance(p, Learner) else p if isinstance(p, str) else "policy", p)
            for p in many
        ]
    found = []
    for name, p in pairs:
        if isinstance(p, str):
            p = made(p)
        elif isinstance(p, Learner):
            p = p.replace()
        if not (hasattr(p, "predict") and hasattr(p, "update")):
            raise BadInput(
                f"{name}: a policy has predict(x) and update(x, arm, loss); {p!r} has not"
            )
        found.append((name, p))
    return found


def one(
    log: LoggedDecisions,
    name: str,
    learner: Any,
    method: str,
    delta: float,
    floor: float,
    seed: int,
) -> Replayed:
    """Play one learner over all rows."""
    T = len(log)
    contexts = begin(learner, log, seed)
    arms, losses, propensities = log.arms.tolist(), log.losses.tolist(), log.propensities.tolist()
    counted, weight, reach = np.zeros(T, dtype=bool), np.zeros(T), np.ones(T)
    by_name = False  # does the policy call arms by their names?
    for t in range(T):
        x = contexts(t)
        a, q = arms[t], propensities[t]
        if method != "match":
            p, by_name = probabilities(learner, x, log, name)
            weight[t], reach[t] = p[a] / q, min(1.0, p.max())
        if method == "reject":
            M = 1.0 if x is not None else float(p.max())
            take = uniform(seed, t, ACCEPT) * M < weight[t] * floor
        else:
            take = uniform(seed, t, THIN) * q < floor
            if take:
                picked = learner.predict(x)
                by_name = isinstance(picked, str)
                where = f"{name}, row {t + 1}"
                take = log.number(picked if by_name else int(picked), where) == a
        if take:
            learner.update(x, log.names[a] if by_name else a, losses[t])
            counted[t] = True
    learned = int(counted.sum())
    low, high = log.interval
    if method == "weighted":
        z = weight * log.outcomes
        ends = min(0.0, low / floor), max(0.0, high / floor)
        sure = adaptive(z, *ends, delta, reach).within(low, high)
        rows = T
        squares = float((weight**2).sum())
        effective = float(weight.sum()) ** 2 / squares if squares else 0.0
    else:
        z = log.outcomes[counted]
        sure = adaptive(z, low, high, delta)
        effective = rows = learned
    rate = float(z.mean()) if len(z) else math.nan
    # where few outcomes differ from 0 their spread is unreliable: the binomial interval rests on the number of rows
    scaled = min(max((rate - low) / (high - low), 0.0), 1.0) if len(z) else 0.5
    score = binomial(scaled, effective, delta)
    about = Interval(low + (high - low) * score.low, low + (high - low) * score.high)
    return Replayed(name, method, float(z.sum()), rows, learned, rate, about, sure)


def begin(learner: Any, log: LoggedDecisions, seed: int) -> Callable[[int], Any]:
    """Start a learner of the package with the number of arms; return what a policy may look at in a row."""
    known = log.known
    if not isinstance(learner, Learner):
        return (lambda t: None) if known is None else known.row
    if not learner.bandit:
        raise BadInput(f"{learner.key} is no bandit: it needs more than the loss of one arm")
    x = log.contexts if learner.contexts else None
    bandit: Any = learner  # whose `start` takes features
    bandit.start(log.n, features=0 if x is None else x.shape[1], seed=seed)
    return (lambda t: None) if x is None else x.__getitem__


def probabilities(learner: Any, x: Any, log: LoggedDecisions, name: str) -> tuple[Array, bool]:
    """The propensities of a policy; and whether it says them by name."""
    if not hasattr(learner, "propensities"):
        raise BadInput(f"{name} tells no propensities: only method='match' can replay it")
    said = learner.propensities(x)
    p = chances(log, said, name)
    if not abs(float(p.sum()) - 1.0) < 1e-6:
        raise BadInput(f"{name}: propensities {p} are no distribution over {log.n} arms")
    return p, isinstance(said, (str, Mapping))
