"""What can be claimed of a learner: theorems where books are kept, estimates of a bandit's arms; off the writer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from starlette.concurrency import run_in_threadpool

from ..core.guarantee import Certificate
from ..offpolicy.logged import LoggedDecisions
from ..offpolicy.off_policy import off_policy_value
from ..report.live_curve import live_curve
from .log_lines import learner_row
from .past import entry_at
from .rounds import AnyLearner
from .service import LOGGED, SETTLED, Answer, Entry, Service
from .store import DECIDED, TOLD, Store
from .writer import Writer

T = TypeVar("T")
ENOUGH = (
    100  # rounds that importance weights must be worth before the normal approximation is shown
)
MOST_ROUNDS = 100_000  # of a bandit's log: the newest are used


class Read(Protocol):
    """Reads the log in a thread."""

    def __call__(self, call: Callable[[], T], /) -> Awaitable[T]: ...


async def certificate_of(
    writer: Writer, read: Read, reader: Store, name: str, curve: bool = False
) -> Answer:
    """What can be claimed of a learner as it is now; `curve`: with regret and bound round by round."""
    taken: list[tuple[AnyLearner, int, dict[str, object]]] = []

    def take(service: Service) -> Answer:
        entry = service.entry(name)
        kept = entry.learner.live.books is not None
        learner = entry.learner.__copy__() if kept else entry.learner
        taken.append((learner, entry.seq, tested(service, entry)))
        return 200, {}

    status, found = await writer.do(take, name)
    if status != 200:
        return status, found
    learner, seq, tests = taken[-1]
    if learner.bandit:
        claimed = await read(lambda: claims_of_bandit(reader, name, learner, seq))
    else:
        claimed = await run_in_threadpool(claims_of_others, learner, curve)
    return 200, {"name": name, "event": seq, **claimed, **tests}


def certificate_at(
    service: Service, reader: Store, name: str, at: int, curve: bool = False
) -> Answer:
    """What could be claimed of a learner after event `at`; read from the log."""
    entry = entry_at(service, reader, name, at)
    if entry.learner.bandit:
        claimed = claims_of_bandit(reader, name, entry.learner, at)
    else:
        claimed = claims_of_others(entry.learner, curve)
    return 200, {"name": name, "event": at, **claimed, **tested(service, entry)}


def tested(service: Service, entry: Entry) -> dict[str, object]:
    """What the tests by betting say: the difference to the baseline, and the alarm."""
    found = service.describe(entry)
    return {key: found[key] for key in ("baseline", "alarm") if key in found}


def claims_of_bandit(reader: Store, name: str, learner: Any, last: int) -> dict[str, object]:
    """What the log says of each arm, up to event `last`."""
    setting = learner.live.setting
    arms = (
        [str(a) for a in setting.names_there]
        if setting.says_names
        else list(range(setting.shape.n))
    )
    return estimates(reader, name, arms, (setting.low, setting.high), last)


def claims_of_others(learner: AnyLearner, curve: bool) -> dict[str, object]:
    """The theorems of a learner that keeps books."""
    if learner.live.books is not None:
        return theorems(learner, curve)
    return {
        "verdict": None,
        "note": 'no theorem is checked live: make the learner with "books": true (experts only), '
        "or play its log",
    }


def theorems(learner: AnyLearner, curve: bool = False) -> dict[str, object]:
    """Each theorem of a learner over experts, up to its oldest open round."""
    books, certificate = learner.books, learner.certificate
    more = {"curve": curve_of(learner)} if curve else {}
    return {
        "certified": books.certified,
        "behind": books.behind,
        "open": books.open,
        "loss": books.loss,
        "regret": learner.regret if books.rounds else None,
        "bound": bound_of(certificate),
        "verdict": certificate.verdict,
        "theorems": [
            {"id": v.guarantee.id, "verdict": v.verdict, "why": v.why, "bound": number(v.bound)}
            for v in certificate
        ],
        "notes": list(certificate.notes),
        **more,
    }


def curve_of(learner: AnyLearner) -> dict[str, object] | None:
    """Regret and bound round by round, up to the oldest open round; None before the first outcome."""
    live: Any = learner.live
    found = live_curve(live, live.books)
    if found is None:
        return None
    return {
        **found._asdict(),
        "regret": list(map(number, found.regret)),
        "bound": list(map(number, found.bound)),
    }


def bound_of(certificate: Certificate) -> float | None:
    """The bound of the theorem in the headline."""
    head = certificate.headline
    return None if head is None else number(head.regret_bound)


def number(v: object) -> float | None:
    """A number, where it is one."""
    return float(v) if isinstance(v, (int, float, np.floating)) and np.isfinite(v) else None


def estimates(
    reader: Store, name: str, arms: list[Any], interval: tuple[float, float], last: int
) -> dict[str, object]:
    """The value of always pulling each arm, estimated from the log by importance weights, with 95% intervals:
    `about` is right for many rounds, `sure` for any number of them."""
    row = learner_row(reader, name)
    pulled, rewards, p = [], [], []
    low, high = interval
    answers: dict[str, dict[str, Any]] = {}
    for event in reader.events(row.id, max(0, last - 2 * MOST_ROUNDS)):
        if event.seq > last:
            break
        if event.kind == DECIDED:
            answers[event.id] = LOGGED.decode(event.body).answer
            continue
        if event.kind != TOLD:
            continue
        known = answers.pop(event.id, None)
        outcome = SETTLED.decode(event.body).outcome
        if known is None or event.cost is None or outcome.importance is not None:
            continue
        pulled.append(known["prediction"])
        rewards.append(low + high - event.cost)
        p.append(known["probability"])
    found: dict[str, object] = {
        "verdict": None,
        "answered": len(pulled),
        "mean_reward": float(np.mean(rewards)) if rewards else None,
        "note": "the regret of a bandit cannot be observed: of each round it sees one arm",
    }
    if len(pulled) < 2:
        return found
    if min(p) == max(p) == 1.0:
        found["note"] = (
            "every arm was chosen with probability 1: no other arm's value can be estimated"
        )
        return found
    log = LoggedDecisions(
        arms=pulled,
        rewards=np.array(rewards),
        propensities=np.array(p),
        interval=interval,
        adaptive=True,
    )
    found["arms"] = {str(arm): estimate(log, arm) for arm in arms if arm in set(pulled)}
    return found


def estimate(log: LoggedDecisions, arm: Any) -> dict[str, object]:
    """The value of one arm, and the interval of its reward."""
    found = off_policy_value(log, arm, methods=["ips"])
    one = found["ips"]
    enough = (
        found.effective >= ENOUGH and not found.caution
    )  # else a few rounds have all the weight, and the normal limits are too narrow
    return {
        "reward": number(one.value),
        "about": list(map(number, one.normal)) if enough else None,
        "sure": list(map(number, one.bernstein)),
        "pulled": int(np.sum(log.arms == log.names.index(arm))),
    }
