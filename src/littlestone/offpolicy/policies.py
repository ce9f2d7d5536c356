"""A policy as a user says it, by names or numbers of arms, as probabilities in the order of a log's arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.learner import Learner
from ..core.stream import Array
from ..encode.named_rows import columns_of, named_row, some
from ..engine.checks import array
from .logged import LoggedDecisions

CERTAIN = 1e-6  # how far probabilities may be from a sum of 1


def policy(log: LoggedDecisions, target: Any) -> Array:
    """T x n probabilities of the policy whose value is asked for.

    target   an arm that is always played, by its name or number; n probabilities, or a dict of them by the arm's name
             (an arm that is left out has 0); T x n of them, or a frame whose columns are arms; the names of T arms; a
             function of a context (None where the log has none) that returns an arm or n probabilities; or a live
             learner, which stays as it is

    >>> policy(LoggedDecisions(["red", "green"], rewards=[1.0, 0.0], propensities=0.5), "red")
    array([[0., 1.],
           [0., 1.]])
    """
    T, n = len(log), log.n
    p = whole_policy(log, target)
    if p.shape == (n,):
        p = np.tile(p, (T, 1))
    if p.shape != (T, n):
        raise BadInput(f"target: shape {p.shape}; it must be {n} probabilities, or {T} x {n}")
    total = p.sum(axis=1)
    bad = np.flatnonzero(~((p >= 0.0).all(axis=1) & (np.abs(total - 1.0) <= CERTAIN)))
    if len(bad):
        t = int(bad[0])
        raise BadInput(f"target, row {t + 1}: {p[t]} is no distribution; its sum is {total[t]:g}")
    return p


def whole_policy(log: LoggedDecisions, target: Any) -> Array:
    """n probabilities, or T x n of them, which are not checked yet."""
    if isinstance(target, Learner):
        return of_learner(log, target)
    ask: Callable[[Any], Any] | None = getattr(target, "propensities", None)
    if ask is None and callable(target):
        ask = target
    if ask is not None:
        if log.known is None:
            return chances(log, ask(None), "target")
        return each_row(log, [ask(log.known.row(t)) for t in range(len(log))])
    columns = columns_of(target)
    if columns is not None and any(isinstance(c, str) for c in columns):
        values = [array(target[c], f"target, column {c!r}", 1) for c in columns]
        return in_places(log, columns, np.column_stack(values), "target")
    if said_by_name(target):
        if len(target) != len(log):
            raise BadInput(
                f"target: {len(target):,} arms for {len(log):,} rows; there must be one a row"
            )
        return each_row(log, target)
    return chances(log, target, "target", None)


def said_by_name(target: Any) -> bool:
    """Is it a list of arms, or of probabilities by name, and not of numbers?"""
    if not isinstance(target, (list, tuple, np.ndarray)) or not len(target):
        return False
    return all(isinstance(v, str) or named_row(v) is not None for v in target)


def each_row(log: LoggedDecisions, answers: Sequence[Any]) -> Array:
    found = [chances(log, v, f"target, row {t + 1}") for t, v in enumerate(answers)]
    return np.array(found)


def chances(log: LoggedDecisions, answer: Any, where: str, ndim: int | None = 1) -> Array:
    """The probabilities of the log's arms: an arm has them all, a dict says them by name, numbers are in order."""
    if isinstance(answer, (str, int, np.integer)) and not isinstance(answer, bool):
        return np.asarray(np.eye(log.n)[log.number(answer, where)])
    row = named_row(answer)
    if row is not None:
        return in_places(log, list(row), array(list(row.values()), where, 1), where)
    p: Array = array(answer, where, np.ndim(answer) if ndim is None else ndim)
    if ndim == 1 and len(p) != log.n:
        raise BadInput(f"{where}: {len(p)} probabilities for {log.n} arms ({some(log.names)})")
    return p


def in_places(log: LoggedDecisions, names: Sequence[Any], p: Array, where: str) -> Array:
    """Probabilities by the names of arms, in the last dimension, in the order of the log."""
    found = np.zeros((*p.shape[:-1], log.n))
    for i, name in enumerate(names):
        if not p[..., i].any() and name not in log.names:
            continue  # it is never played
        found[..., log.number(name, where)] = p[..., i]
    return found


def of_learner(log: LoggedDecisions, learner: Any) -> Array:
    """The propensities of a live bandit, matched by the names of its arms where log and learner have names."""
    if not learner.bandit:
        raise BadInput(f"target: {learner.key} is no bandit: it has no propensities")
    setting = learner.begun().setting
    if not learner.contexts:
        p = np.asarray(learner.propensities())
    elif log.known is None:
        raise BadInput(f"target: {learner.key} looks at features, and this log has no contexts")
    else:
        x = [log.known.features(t, setting.columns) for t in range(len(log))]
        p = np.array([learner.propensities(v) for v in x])
    if setting.arm_names is not None and log.named:
        return in_places(log, setting.arm_names, p, "target")
    return p
