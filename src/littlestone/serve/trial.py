"""A bandit beside today's policy: who decides, how much better the learner is, and when the baseline takes over again.

The mathematics are `offpolicy/baseline.py` (T-BASELINE) and `core/e_process.py` (T-BETTING). Outcomes are folded in
the order of their rounds, up to the oldest open one: which of them come first may depend on what they are.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..core.e_process import Evidence, Sums, add, bet, found_at, limits, p_value
from ..core.intervals import Interval
from ..core.numeric import uniform
from ..offpolicy.baseline import beside, mixed, probability, widest
from .requests import Baseline, Question
from .rounds import AnyLearner, given_row

WHO_DECIDES = 7  # which of the uniform numbers of a round
LEARNER, BASELINE, CLIENT, GUARD = "learner", "baseline", "client", "guard"


class Beside(Struct, omit_defaults=True):
    """Who decided a round, and what the learner would have done."""

    by: str
    taken: bool  # the arm was the baseline's
    own: float = 0.0  # the probability with which the learner would have taken this arm
    own_baseline: float = 0.0  # ... and that of the baseline
    propensity: float = 0.0  # of the client's arm, where the client decided


class Trial(Struct):
    """What is known of a learner beside its baseline."""

    next: int = 0  # the first round that is not folded yet
    waiting: dict[str, tuple[float, Beside]] = {}  # rewards of rounds behind an open one
    rounds: int = 0
    rewards: float = 0.0
    by: dict[str, tuple[int, float]] = {}  # rounds and rewards of whoever decided
    worse: Evidence = Evidence()
    better: Evidence = Evidence()
    low: Sums = Sums()  # of how much better the learner was, in [0, 1]
    high: Sums = Sums()
    returned: int | None = None  # the event after which the baseline decides alone


def choose(
    learner: Any, plan: Baseline, trial: Trial, question: Question
) -> tuple[Question, Beside | None]:
    """Who decides this round: the question as the learner is asked it, and what will be compared."""
    live, x = learner.live, given_row(question.x)
    arms = live.setting
    if question.arm is not None:
        if question.propensity is None:
            return question, None
        own = learner.propensities(x, question.available)
        a = arms.arm(question.arm)
        p = float(own[a])
        return question, Beside(CLIENT, False, p, 0.0, question.propensity)
    arm = plan.arm if question.baseline is None else question.baseline
    if arm is None:
        return question, None
    b = arms.arm(arm)
    if question.available is not None and b not in {arms.arm(a) for a in question.available}:
        return question, None  # the learner decides alone
    own = learner.propensities(x, question.available)
    if trial.returned is not None:
        return taken(question, arm, 1.0), Beside(GUARD, True)
    by = BASELINE if uniform(live.seed, live.t, WHO_DECIDES) < plan.share else LEARNER
    chosen = arm if by == BASELINE else learner.predict(x, question.available)
    a = arms.arm(chosen)
    p = float(own[a])
    found = Beside(by, a == b, p, float(own[b]))
    return taken(question, chosen, min(1.0, probability(p, a == b, plan.share))), found


def taken(question: Question, arm: Any, propensity: float) -> Question:
    """The question in which this arm was taken with this probability."""
    return Question(question.x, question.available, arm, propensity)


def settle(
    trial: Trial, plan: Baseline, learner: AnyLearner, round_: int, seq: int,
    known: tuple[float, Beside] | None,
) -> bool:  # fmt: skip
    """Fold what is known up to the oldest open round; does the baseline take over with that?

    `known`: the reward of the round that was told, in [0, 1], and who decided it.
    """
    live: Any = learner.live
    if known is not None:
        trial.waiting[str(round_)] = known
    last = live.tickets.oldest(live.t)
    while trial.next < last:
        found = trial.waiting.pop(str(trial.next), None)
        if found is not None:
            fold(trial, plan, plan.margin / float(live.setting.high - live.setting.low), *found)
        trial.next += 1
    if plan.guard and trial.returned is None and found_at(trial.worse, plan.level):
        trial.returned = seq
        return True
    return False


def fold(trial: Trial, plan: Baseline, margin: float, reward: float, b: Beside) -> None:
    """One round more."""
    n, total = trial.by.get(b.by, (0, 0.0))
    trial.by[b.by] = n + 1, total + reward
    if b.by == GUARD:
        return  # the baseline decided alone: nothing is compared
    centre = trial.rewards / trial.rounds if trial.rounds else 0.5
    most = widest(plan.share)
    if b.by == CLIENT:
        c = beside(reward, b.own, b.propensity, most + 1.0)
    else:
        c = mixed(reward, b.taken, b.own, b.own_baseline, plan.share, centre)
    trial.rounds, trial.rewards = trial.rounds + 1, trial.rewards + reward
    trial.worse = bet(trial.worse, -c.high - margin, c.reach_high + margin)
    trial.better = bet(trial.better, c.low, c.reach_low)
    trial.low = add(trial.low, share_of(c.low, most))
    trial.high = add(trial.high, share_of(c.high, most))


def share_of(v: float, most: float) -> float:
    """A number in [-most, most] as one in [0, 1]."""
    return min(1.0, max(0.0, 0.5 + 0.5 * v / most))


def difference(trial: Trial, plan: Baseline) -> Interval:
    """How much more reward a round the learner brings than the baseline, as a share of the interval: at all times."""
    most = widest(plan.share)
    low, high = limits(trial.low, plan.level).low, limits(trial.high, plan.level).high
    return Interval(most * (2.0 * low - 1.0), most * (2.0 * high - 1.0)).within(-1.0, 1.0)


def described(trial: Trial, plan: Baseline, low: float, high: float) -> dict[str, object]:
    """What is said of it; rewards live on [low, high]."""
    limits_, n, most = difference(trial, plan), trial.rounds, widest(plan.share)
    middle = [most * (2.0 * s.total / n - 1.0) for s in (trial.low, trial.high)] if n else []
    decided = sum(m for m, _ in trial.by.values())
    return {
        "rounds": n,
        "certified": trial.next,
        "difference": 0.5 * sum(middle) * (high - low) if middle else None,
        "interval": [v * (high - low) for v in limits_],
        "level": plan.level,
        "p_worse": p_value(trial.worse),
        "p_better": p_value(trial.better),
        "returned": trial.returned,
        "guard": "off" if not plan.guard else "watching" if trial.returned is None else "returned",
        "mean": {by: low + (high - low) * r / m for by, (m, r) in sorted(trial.by.items())},
        "share": {by: m / decided for by, (m, _) in sorted(trial.by.items())},
    }  # fmt: skip
