"""What another policy would have earned, from the log of the one that played."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from ..core.errors import BadInput
from .estimates import Estimate, Estimates
from .importance_weights import Weighed, importance_weights
from .intervals import NONE, Interval, bernstein_half, normal, quantile, spread
from .logged import Columns, log_of
from .reward_models import folds_of, predictions

GROUPS = 10  # the jackknife leaves out so many groups of rows in turn
DEPENDENT = "the policy of the log learned from its rows: no limits for sure"


def ips(v: Weighed) -> Estimate:
    """Inverse propensity scores: the mean of w r. Unbiased if no arm that the policy plays had propensity 0.

    Horvitz and Thompson (1952). Ledger: A-IPS; T-IPS-UNBIASED, T-BERNSTEIN.
    """
    z = v.w * v.r
    low, high = v.log.interval
    ends = min(0.0, v.top * low), max(0.0, v.top * high)
    sure = v.limits(z, *ends).within(low, high)
    note = f"terms in [{ends[0]:.4g}, {ends[1]:.4g}] ({v.why})"
    return Estimate(
        "ips", "A-IPS", float(z.mean()), normal(z, v.delta).within(low, high), sure, note
    )


def snips(v: Weighed) -> Estimate:
    """Self-normalised: sum of w r over sum of w. A little biased, often far steadier; never outside the outcomes.

    The value u is where E[w (r - u)] = 0, as E w = 1. So the limits are the u for which the mean of w (r - u) is as
    near to 0 as T-BERNSTEIN allows: each of these u was tested, and the right one passes with probability 1 - delta.

    Hajek (1971); Swaminathan and Joachims (2015). Ledger: A-SNIPS; T-SNIPS-BERNSTEIN.
    """
    w, r, T, delta = v.w, v.r, len(v.log), v.delta
    low, high = v.log.interval
    total = float(w.sum())
    if total == 0.0:
        nothing = Interval(low, high)
        return Estimate("snips", "A-SNIPS", math.nan, nothing, nothing, "no row has any weight")
    value = float((w * r).sum()) / total
    half = quantile(delta) * math.sqrt(float((w**2 * (r - value) ** 2).sum())) / total
    about = Interval(value - half, value + half).within(low, high)
    length = v.top * (high - low)

    def excess(u: float, sign: float) -> float:
        """How far the mean of w (r - u) is beyond what chance explains: positive where u is ruled out."""
        z = w * (r - u)
        return sign * float(z.mean()) - bernstein_half(spread(z), T, length, delta / 2.0)

    # sign * mean - half is concave in u (the spread is the length of a vector that is linear in u), so it changes
    # its sign once between the end, where it may be positive, and the other end, where it is not
    sure = Interval(
        crossing(lambda u: excess(u, 1.0), low, high),
        crossing(lambda u: excess(u, -1.0), high, low),
    )
    if v.log.adaptive:
        return Estimate("snips", "A-SNIPS", value, about, NONE, DEPENDENT)
    note = f"by testing every value, terms in an interval of {length:.4g} ({v.why})"
    return Estimate("snips", "A-SNIPS", value, about, sure, note)


def crossing(f: Callable[[float], float], start: float, end: float) -> float:
    """Where f stops being positive on the way; the start if it is not positive there."""
    if not f(start) > 0.0:
        return start
    for _ in range(60):
        middle = (start + end) / 2.0
        start, end = (middle, end) if f(middle) > 0.0 else (start, middle)
    return start


def clipped(v: Weighed, clip: float | None = None) -> Estimate:
    """Weights cut at `clip` (None: sqrt T): the mean of min(w, clip) r. Biased towards 0, with a smaller variance.

    Its limits are about the value itself, not about what the cut estimate estimates: with s = min(w, clip),
    low + E[s (r - low)] <= value <= high - E[s (high - r)], whatever the propensities are; neither a floor nor
    support is needed, only that the terms are at most clip (high - low).

    Ionides (2008); Bottou et al. (2013). Ledger: A-CLIPPED-IPS; T-CLIPPED-BERNSTEIN.
    """
    T, (low, high) = len(v.log), v.log.interval
    clip = math.sqrt(T) if clip is None else clip
    if not (isinstance(clip, (int, float, np.number)) and clip > 0.0):
        raise BadInput(f"clip must be a positive number, not {clip!r}")
    s = np.minimum(v.w, clip)
    below, above = s * (v.r - low), s * (high - v.r)
    length = min(float(clip), v.top) * (high - low)
    about = Interval(low + normal(below, v.delta).low, high - normal(above, v.delta).low)
    sure = Interval(low + v.limits(below, 0.0, length).low, high - v.limits(above, 0.0, length).low)
    if clip > v.top:  # no weight can be cut, and the limits of ips are tighter
        same = ips(v)
        note = f"no weight can reach {clip:.4g}, so nothing is cut: the same as ips"
        return Estimate("clipped", "A-CLIPPED-IPS", same.value, same.normal, same.bernstein, note)
    note = f"{int((v.w > clip).sum()):,} weights cut at {clip:.4g}; limits allow for the cut"
    return Estimate(
        "clipped",
        "A-CLIPPED-IPS",
        float((s * v.r).mean()),
        about.within(low, high),
        sure.within(low, high),
        note,
    )


def direct(v: Weighed, model: Any = None, folds: int = 2) -> Estimate:
    """The mean of sum_a p_a q_a: the outcome that a model expects. Its bias is that of the model.

    The limits are those of a jackknife that leaves out a tenth of the rows at a time: they know how much the model
    would change with other rows, and nothing about its bias. So there are no limits for sure.

    Ledger: A-DIRECT.
    """
    log, (low, high) = v.log, v.log.interval
    value = float((v.p * predictions(log, model, folds)).sum(axis=1).mean())
    about, note = NONE, "a model, whose bias is in no limits"
    if (model is None or isinstance(model, str)) and len(log) >= 2 * GROUPS * folds:
        # neighbouring blocks of rows, and not every tenth row: those would be the same fold
        group = np.arange(len(log)) * GROUPS // len(log)
        without = []
        for g in range(GROUPS):
            q = predictions(log.where(group != g), model, folds)
            without.append(float((v.p[group != g] * q).sum(axis=1).mean()))
        half = quantile(v.delta) * math.sqrt((GROUPS - 1) * float(np.var(without)))
        about = Interval(value - half, value + half).within(low, high)
    return Estimate("direct", "A-DIRECT", value, about, NONE, note)


def doubly_robust(v: Weighed, model: Any = None, folds: int = 2) -> Estimate:
    """The outcome that a model expects, corrected by the weighted errors of the model: the mean of

        sum_a p_a q_a + w (r - q of the logged arm)

    Unbiased whatever the model is, since q of a row was fitted without that row, and steadier than `ips` where the
    model is good. For sure: each fold has T-BERNSTEIN limits given the other folds, all of them hold with
    probability 1 - delta, and the value is in their mean.

    Robins, Rotnitzky and Zhao (1994); Dudik, Langford and Li (2011). Ledger: A-DR; T-DR-UNBIASED, T-DR-BERNSTEIN.
    """
    log, p, T, (low, high) = v.log, v.p, len(v.log), v.log.interval
    q = predictions(log, model, folds)
    expected = (p * q).sum(axis=1)
    z = expected + v.w * (v.r - q[np.arange(T), log.arms])
    # what a term could have been: the context and the model are given, the arm and its outcome are not
    weight = p * (v.top / float(p.max()))
    most = expected + (weight * (high - q)).max(axis=1)
    least = expected - (weight * (q - low)).max(axis=1)
    fixed = not (model is None or isinstance(model, str))
    fold = np.zeros(T, dtype=np.int64) if fixed else folds_of(T, folds)
    parts = int(fold.max()) + 1
    half = 0.0
    for k in range(parts):
        here = fold == k
        length = float(most[here].max() - least[here].min())
        one = bernstein_half(spread(z[here]), int(here.sum()), length, v.delta / (2.0 * parts))
        half += one * float(here.mean())
    value = float(z.mean())
    sure = Interval(value - half, value + half).within(low, high)
    if log.adaptive:
        return Estimate("dr", "A-DR", value, normal(z, v.delta).within(low, high), NONE, DEPENDENT)
    note = (
        f"terms in [{least.min():.4g}, {most.max():.4g}] ({v.why}), {parts} fold{'s' * (parts > 1)}"
    )
    return Estimate("dr", "A-DR", value, normal(z, v.delta).within(low, high), sure, note)


METHODS = ("ips", "snips", "clipped", "direct", "dr")


def off_policy_value(
    log: Any,
    target: Any,
    *,
    methods: Sequence[str] = METHODS,
    delta: float = 0.05,
    floor: float | None = None,
    clip: float | None = None,
    model: Any = None,
    folds: int = 2,
    **columns: Unpack[Columns],
) -> Estimates:
    """The value of a policy, its mean outcome a round, by each of the methods.

    log      a LoggedDecisions, or a frame or file with its columns named, as `LoggedDecisions.read` takes them
    target   an arm by its name or number, n probabilities (or a dict of them by name), T x n of them, a function of
             the context that returns one of these, or a live learner
    delta    an interval misses with at most this probability: about ("normal"), or for sure ("Bernstein")
    floor    the smallest propensity that the logging policy ever gave; the limits for sure rest on it
    clip     where the weights of `clipped` are cut
    model    of `direct` and `dr`: "mean", "logistic", "linear", or T x n predictions
    folds    the model predicts a fold from the others

    >>> from littlestone.offpolicy.logged import LoggedDecisions
    >>> log = LoggedDecisions([0, 1, 0, 1], rewards=[1.0, 0.0, 0.0, 0.0], propensities=0.5)
    >>> e = off_policy_value(log, [1.0, 0.0], methods=["ips", "snips"])
    >>> (
    ...     e["ips"].value,
    ...     e["snips"].value,
    ...     e.effective,
    ... )  # two of four rows have weight 2, the others 0
    (0.5, 0.5, 2.0)
    >>> rows = [
    ...     {"colour": "red", "click": 1, "p": 0.5},
    ...     {"colour": "green", "click": 0, "p": 0.5},
    ... ]
    >>> off_policy_value(rows, "red", arm="colour", reward="click", propensity="p")["ips"].value
    1.0
    """
    log = log_of(log, columns)
    v = importance_weights(log, target, delta, floor)
    unknown = [m for m in methods if m not in METHODS]
    if unknown:
        raise BadInput(f"there is no method {unknown[0]!r}; the methods are {', '.join(METHODS)}")
    how: dict[str, Callable[[], Estimate]] = {
        "ips": lambda: ips(v),
        "snips": lambda: snips(v),
        "clipped": lambda: clipped(v, clip),
        "direct": lambda: direct(v, model, folds),
        "dr": lambda: doubly_robust(v, model, folds),
    }
    found = [how[m]() for m in methods]
    return Estimates(found, len(log), log.n, v.effective, float(v.w.max()), v.delta, v.caution)
