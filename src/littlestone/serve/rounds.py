"""The one place that calls a learner: it begins, it is asked, it is told; and what each answer looks like in JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.registry import learner as make_learner
from ..live.tickets import Ticket
from .problems import Problem
from .requests import Outcome, Question, Spec

AnyLearner = Learner[Any, Any, Any, Any]


def begin(spec: Spec, mark: int) -> AnyLearner:
    """The learner of a spec, before its first round."""
    learner: Any = make_learner(spec.learner, **spec.parameters)
    known: dict[str, Any] = {"rounds": spec.rounds, "seed": spec.seed, "mark": mark}
    known["interval"] = spec.interval
    if learner.bandit:
        refuse_fields(spec, "a bandit", ("labels", "losses"))
        learner.start(spec.n, names=spec.names, features=spec.features or 0, **known)
    else:
        refuse_fields(spec, "no bandit", ("features",))
        n = spec.n
        sparse = learner.examples and learner.sparse and n is None and spec.names is None
        learner.start(
            n, names=spec.names, labels=spec.labels, allocation=spec.losses, sparse=sparse, **known
        )
    if spec.books:
        learner.keep_books()
    if spec.alarm is not None:
        a = spec.alarm
        learner.alarm(a.level, claimed=a.claimed, reference=a.reference, largest=a.largest)
    if spec.baseline is not None:
        check_baseline(spec, learner)
    found: AnyLearner = learner
    return found


def check_baseline(spec: Spec, learner: Any) -> None:
    """Refuse a baseline of what is no bandit, and one that takes an arm that there is not."""
    if not learner.bandit:
        raise BadInput(
            f"{spec.learner} is no bandit: leave baseline out of its spec", field="baseline", value={}
        )  # fmt: skip
    if spec.baseline is not None and spec.baseline.arm is not None:
        learner.live.setting.arm(spec.baseline.arm)


def refuse_fields(spec: Spec, what: str, fields: tuple[str, ...]) -> None:
    """Refuse fields of a spec that say nothing of a learner of this kind."""
    values = {name: getattr(spec, name) for name in fields}
    for name, value in values.items():
        if value not in (None, False):
            raise BadInput(
                f"{spec.learner} is {what}: leave {name} out of its spec", field=name, value=value
            )


def ask(learner: AnyLearner, question: Question) -> Ticket:
    """Decide a round."""
    x = given_row(question.x)
    more: dict[str, Any] = {
        "available": question.available,
        "arm": question.arm,
        "propensity": question.propensity,
    }
    given = {k: v for k, v in more.items() if v is not None}
    if given and not learner.bandit:
        field = next(iter(given))
        raise BadInput(
            f"{learner.key} is no bandit: leave {field} out of the round",
            field=field,
            value=given[field],
        )
    ticket: Any = learner.ask(x, **given)
    assert isinstance(ticket, Ticket)
    return ticket


def given_row(x: Any) -> Any:
    """What is known of a round, as a learner takes it: null in a list is a number that is missing."""
    return [math.nan if v is None else v for v in x] if isinstance(x, list) else x


def tell(learner: AnyLearner, ticket: str, outcome: Outcome) -> None:
    """Learn what became of a round."""
    told: Any = learner
    y: Any = outcome.y if outcome.loss is None else outcome.loss
    if outcome.never:
        told.tell(ticket, None)
    elif learner.bandit:
        known = {"reward": outcome.reward, "loss": outcome.loss, "importance": outcome.importance}
        if outcome.y is not None:
            raise BadInput(
                f"{learner.key} is a bandit: its outcome is a reward or a loss, not y",
                field="y",
                value=outcome.y,
            )
        told.tell(ticket, **{k: v for k, v in known.items() if v is not None})
    elif outcome.reward is not None:
        raise BadInput(
            f"{learner.key} is no bandit: its outcome is y, or the loss of each expert, not a reward",
            field="reward",
            value=outcome.reward,
        )
    elif outcome.importance is None:
        told.tell(ticket, y)
    else:
        told.tell(ticket, y, outcome.importance)


def answer_of(learner: AnyLearner, decision: str, ticket: Ticket) -> dict[str, object]:
    """What is answered to a question."""
    found: dict[str, object] = {
        "id": decision,
        "round": ticket.round,
        "prediction": as_json(ticket.prediction),
    }
    if learner.bandit:
        found["probability"] = float(ticket.decision[int(ticket.action)])
    return found


def as_json(v: Any) -> Any:
    """A prediction as JSON: numbers, text or lists; what is not finite is null."""
    if isinstance(v, np.ndarray):
        return [as_json(part) for part in v.tolist()]
    if isinstance(v, (list, tuple)):
        return [as_json(part) for part in v]
    if isinstance(v, np.generic):
        v = v.item()
    return None if isinstance(v, float) and not math.isfinite(v) else v


def cost_of(learner: AnyLearner, prediction: Any, outcome: Outcome) -> float | None:
    """What a round cost, for the mean that is shown: the loss of the arm, a mistake, a miss, or the squared error."""
    live: Any = learner.live
    if outcome.never:
        return None
    if learner.bandit:
        low, high = live.setting.low, live.setting.high
        if outcome.reward is not None:
            return float(low + high - outcome.reward)
        return float(outcome.loss) if isinstance(outcome.loss, (int, float)) else None
    y = outcome.y
    if live.traits.action == "set":
        if not isinstance(y, (int, float)) or not isinstance(prediction, list):
            return None
        low, high = (math.inf if v is None else v for v in prediction)
        return float(not (low == math.inf or low <= y) or not y <= high)
    if live.traits.classes:
        return float(prediction != y)
    if isinstance(y, (int, float)) and isinstance(prediction, (int, float)):
        return float((prediction - y) ** 2)
    return None


def measure(learner: AnyLearner) -> str:
    """What `cost_of` measures, in words."""
    live: Any = learner.live
    if learner.bandit:
        return "loss"
    if live.traits.action == "set":
        return "share of misses"
    if live.traits.kind.losses_alone:
        return ""
    return "share of mistakes" if live.traits.classes else "squared error"


def not_loaded(name: str, why: object) -> Problem:
    """A learner whose log cannot be played again here."""
    return Problem(
        500, "learner cannot be loaded", f"the log of {name!r} cannot be replayed: {why}"
    )
