"""Which task is played: the one of `task=` or `--task`, or the one that learner and data suggest."""

from __future__ import annotations

from ..core.errors import BadInput
from ..encode.lags import list_lags
from ..encode.stream import Stream
from .request import AnyLearner, Request

FROM_ITSELF = "what it was"
NOTHING_ELSE = "there is nothing else to learn from"


def with_task(request: Request, task: str) -> Request:
    """The request with what a task decides: whether columns are losses, and whether outcomes are classes."""
    learner, read = request.learner, request.read
    if read.losses is not None and read.losses != (task == "losses"):
        raise BadInput(f"task={task!r} and losses={read.losses}: say it once")
    if task in ("classification", "regression") and read.labels is not None:
        raise BadInput(f"task={task!r} and labels=: say it once")
    check_task(learner, task)
    if task == "losses":
        return request.read_with(losses=True)
    if task == "forecasting":
        return request.read_with(losses=False)
    if task == "regression":
        return request.read_with(losses=False, labels=False)
    return request.read_with(losses=False, labels="classes" if learner.examples else True)


def check_task(learner: AnyLearner, task: str) -> None:
    """Refuse a learner that cannot play the task."""
    if task in ("losses", "forecasting") and learner.examples:
        raise BadInput(
            f"task={task!r}: {learner.key} learns from examples; tracker combines experts"
        )
    if task == "forecasting" and learner.bandit:
        raise BadInput(f"task={task!r}: {learner.key} is a bandit, which is given losses")
    if task == "regression" and not learner.examples:
        raise BadInput(
            f"task={task!r}: {learner.key} combines experts; online-linear learns from examples"
        )
    if task == "regression" and learner.labels and learner.for_numbers() is None:
        raise BadInput(
            f"task={task!r}: {learner.key} tells classes apart; online-linear takes numbers too"
        )
    if task == "classification" and not learner.labels:
        what = "predicts numbers" if learner.examples else "combines forecasts of numbers"
        raise BadInput(f"task={task!r}: {learner.key} {what}; online-linear tells classes apart")


def task_of(request: Request, stream: Stream) -> str:
    """One of `streams.options.TASKS`: what is played."""
    if request.read.losses:
        return "losses"
    if not request.learner.examples:
        return "forecasting"
    return "regression" if stream.labels is None else "classification"


def describe_task(request: Request, stream: Stream, scale: str = "") -> str:
    """The task, and why it was understood so; `scale`: which columns are on the scale of the outcome, in words.

    classification of 'label', as it holds text
    """
    task, learner, outcome = task_of(request, stream), request.learner, f"{stream.outcome!r}"
    count = len(stream.names)
    said = "as task= says" if request.read.task else ""
    if task == "losses":
        return f"losses of {count:,} {'arm' if learner.bandit else 'expert'}{'s' * (count != 1)}, as losses= says"
    if task == "forecasting":
        experts = f"{count:,} expert{'s' * (count != 1)}"
        reason = " and ".join(filter(None, [stream.why, scale]))
        why = f", {said}" if said else f": {reason}" * bool(reason)
        return f"forecasting {outcome} with {experts}{why}"
    seen = f"as {stream.why}" if stream.why else ""
    if task == "regression":
        why = seen or f"which {learner.key} predicts as a number"
        why += f" and {scale}" if scale else ""
        return f"regression of {outcome}{columns_in_words(stream)}, {said or why}"
    classes = len(stream.labels or ())
    why = said or seen or f"as {learner.key} tells classes apart"
    many = f" ({classes:,} classes)" if classes > 1 else ""
    return f"classification of {outcome}{many}, {why}"


def columns_in_words(stream: Stream) -> str:
    """The columns of a table that are features, the first few by name, and the rows before whose outcomes are, too."""
    hashed = tuple(name for name, _ in stream.columns)
    names = stream.categories.names or hashed or stream.names
    if stream.lags is not None and names is stream.names:
        names = stream.lags.without(names)
    back = "" if stream.lags is None else f"{FROM_ITSELF} {list_lags(stream.lags.rows)}"
    if not names or stream.source == "arrays":
        return f" from {back}" if back else ""
    shown = ", ".join(repr(name) for name in names[:3]) + ", …" * (len(names) > 3)
    more = f" and {back}" if back else ""
    return f" from {len(names):,} column{'s' * (len(names) != 1)} ({shown}){more}"
