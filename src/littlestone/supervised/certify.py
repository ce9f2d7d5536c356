"""What may be claimed of a model, from rows that had no part in making it: `ls.certify`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.errors import BadInput
from ..core.intervals import confidence
from .claim import EXACT, GROUPS, RANGE, Claim, Fresh, Ground, Limits
from .comparison import Comparison, compare
from .estimators import predicts
from .grounds import (
    WORD,
    group_notes,
    leak_ground,
    order_grounds,
    sampling_grounds,
    selection_ground,
)
from .group_limits import units_of
from .losses_of_rows import labels_differ, losses_of, predicted
from .measured_losses import Measured, limits_by, limits_of
from .row_groups import EACH_GROUP_ONCE, RowGroups, row_groups


@dataclass(frozen=True)
class Request:
    """What is asked of each model: checked once, the same for all."""

    X: Any
    y: Any
    delta: float
    chosen: int  # how many models these rows chose from
    named: bool  # all of them are given
    loss: Any
    interval: Any

    @property
    def share(self) -> float:
        """What may fail for each of the models that the rows chose from."""
        return self.delta / self.chosen

    @property
    def labels(self) -> bool:
        return isinstance(self.loss, str) and self.loss in ("zero-one", "zero_one", "0/1")

    def check(self) -> None:
        """Refuse a loss on numbers without the interval it lies in."""
        if not self.labels and self.interval is None:
            kind = self.loss if isinstance(self.loss, str) else "given"
            raise BadInput(
                f"interval: a claim about the {kind} loss needs the smallest and the largest loss that any row could "
                "have: interval=(low, high). Learned from the rows, it would promise too much"
            )

    def measure(self, model: Any) -> Measured:
        """The losses of one model on the test rows."""
        y, p, _ = predicted(model, self.X, self.y)
        notes: list[str] = []
        if self.labels:
            wrong = labels_differ(y, p, model, notes)
            return Measured(wrong.astype(float), wrong, 0.0, 1.0, True, notes)
        losses, low, high = losses_of(y, p, self.loss, self.interval)
        return Measured(losses, losses > np.median(losses), low, high, False, notes)


def certify(
    model: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    delta: float = 0.05,
    train: Any = None,
    selected_from: int | None = None,
    rival: Any = None,
    groups: Any = None,
    weights: Any = None,
    by: Any = None,
    loss: Any = "zero-one",
    interval: tuple[float, float] | None = None,
    name: str = "",
) -> Claim:
    """What may be claimed of a model, from test rows that had no part in making it.

    model          anything with `predict`, or its predictions: `certify(predictions, None, y)`. Several, by name
                   (`{"a": p, "b": q}`): the claim is about the best of them, corrected for the choice
    delta          the claim fails with at most this probability
    train          the rows it was trained on: test rows among them refute the claim
    selected_from  how many models these same rows chose this one from; of several that are given, as many as there are
    rival          another model, its predictions, or the name of one of several: an exact paired comparison. It was
                   fixed before these rows were seen; the model may have been chosen by them
    groups         what rows share (a patient, a day), one value a row or the name of a column of X_test: groups are
                   independent, rows of one group need not be
    weights        how much each row counts, or the name of a column; "group" lets every group count once
    by             limits for each part of the rows as well, one value a row or the name of a column; all hold together
    loss           "zero-one" for labels; "absolute", "square" or a function of (y, prediction) for numbers, with
    interval       the smallest and the largest loss that any row could have: declared, never learned from the rows

    >>> import numpy as np
    >>> truth = np.zeros(200, int)
    >>> tree = np.where(np.arange(200) % 25 == 0, 1, truth)
    >>> print(certify(tree, None, truth, selected_from=12, name="tree"))
    tree: promised
      with 0.95 confidence the error is at most 9.19%, chosen among 12 by these rows
      measured: 8 errors in 200 rows, 4.00%
      both limits: between 1.12% and 9.70%, with 0.95 confidence (T-VALIDATION-EXACT)
      by Hoeffding's bound: at most 15.71% (T-VALIDATION)
      it rests on:
        the test rows are independent draws of the rows to come: on your word
        the model did not see the test rows: on your word
        12 models were tried on these rows, no more: on your word
        errors do not drift along the rows: measured, p = 0.56
        errors do not cluster in neighbouring rows: measured, p = 1

    The error limits are exact (Clopper and Pearson), at delta/N for a model chosen among N. Rows in groups, or of
    different weights, get the limits of `group_limits.py`, which hold for every number of groups. Ledger: A1.9,
    A1.13, A7.1, A7.2; T-VALIDATION, T-VALIDATION-EXACT, T-VALIDATION-RANGE, T-VALIDATION-GROUPS.
    """
    several = isinstance(model, Mapping)
    models = models_by_name(model, name)
    chosen = chosen_among(selected_from, len(models))
    X, y = (X_test, y_test)
    if y is None and not any(predicts(one) for one in models.values()):
        X, y = None, X_test  # certify(predictions, y)
    asked = Request(X, y, confidence(delta), chosen, several, loss, interval)
    asked.check()
    measured = {called: asked.measure(one) for called, one in models.items()}
    rows = row_groups(len(next(iter(measured.values())).losses), X, groups, weights, by)
    limits = {called: limits_of(v, rows, asked.share) for called, v in measured.items()}
    baseline = rival if several and isinstance(rival, str) else None
    best = best_of(limits, baseline)
    claim = claimed(best, measured[best], limits[best], rows, asked, leak_ground(X, train))
    claim.judge = fresh_rows(models[best], rows)
    if several:
        claim.models = limits
    if rival is not None:
        claim.rival = against_rival(rival, baseline, asked, measured, best, rows)
    elif several and asked.labels:
        claim.versus = against_others(asked, measured, best, rows)
    claim.by = limits_by(measured[best], rows, asked.share)
    return refuted(claim) if claim.verdict != "promised" else claim


def models_by_name(model: Any, name: str) -> dict[str, Any]:
    """Several models by their keys; one by the name that was given, or that of its class."""
    if isinstance(model, Mapping):
        if name:
            raise BadInput(
                f"name: several models are called by their keys; leave name={name!r} out"
            )
        return dict(model)
    return {name or (type(model).__name__ if predicts(model) else "predictions"): model}


def refuted(claim: Claim) -> Claim:
    """A claim with a ground that does not hold: nothing that came of the same rows may be claimed either."""
    why = "a ground below does not hold"
    claim.models = {name: found._replace(why=why) for name, found in claim.models.items()}
    claim.by = {name: found._replace(why=why) for name, found in claim.by.items()}
    claim.versus = {name: found._replace(why=why) for name, found in claim.versus.items()}
    if claim.rival is not None:
        claim.rival = claim.rival._replace(why=why)
    return claim


def chosen_among(selected_from: Any, given: int) -> int:
    """How many models the rows chose from: as many as are given, or as many as are said."""
    if not given:
        raise BadInput("there is no model: give one, or several by name, as in {'a': p, 'b': q}")
    if selected_from is None:
        return given
    whole = isinstance(selected_from, (int, np.integer)) and not isinstance(selected_from, bool)
    if not whole or selected_from < 1:
        raise BadInput(
            f"selected_from must be a whole number, 1 or more, not {selected_from!r}: "
            "how many models these rows chose from"
        )
    if selected_from < given:
        raise BadInput(
            f"selected_from={selected_from}: these rows choose among {given} models that are given; leave it out, or "
            "count those as well that were tried and are not given"
        )
    return int(selected_from)


def best_of(limits: dict[str, Limits], baseline: str | None) -> str:
    """The model with the smallest mean loss; the one that others are compared with is not chosen."""
    if baseline is not None and baseline not in limits:
        raise BadInput(f"rival: there is no model {baseline!r} among {', '.join(limits)}")
    others = [called for called in limits if called != baseline]
    if not others:
        raise BadInput(
            f"rival: {baseline!r} is the only model; give another one to compare with it"
        )
    return min(others, key=lambda called: limits[called].mean)


def claimed(
    name: str, found: Measured, limits: Limits, rows: RowGroups, asked: Request, leak: Ground
) -> Claim:
    """The claim about one model, without rivals and parts."""
    grounds = [*sampling_grounds(rows), leak, *selection_ground(asked.chosen, asked.named)]
    if not found.labels:
        grounds.append(Ground(f"every loss lies in [{found.low:g}, {found.high:g}]", WORD))
    grounds += order_grounds(found.wrong, rows)
    theorem = GROUPS if not rows.plain else EXACT if found.labels else RANGE
    return Claim(
        name, limits.rows, limits.mean, limits.both, limits.upper, limits.hoeffding, asked.delta, asked.chosen,
        limits.errors, grounds, theorem, found.losses, (found.low, found.high), rows.groups,
        notes=[*group_notes(found.wrong, rows), *found.notes],
    )  # fmt: skip


def against_rival(
    rival: Any, baseline: str | None, asked: Request, measured: dict[str, Measured], best: str, rows: RowGroups
) -> Comparison:  # fmt: skip
    """The chosen model and a rival that was fixed beforehand: as many comparisons as models could have been chosen."""
    if not asked.labels:
        raise BadInput("rival: the paired comparison is of labels; leave loss= and interval= out")
    among = asked.chosen
    if baseline is not None:
        other, among = measured[baseline].wrong, among - 1
    else:
        other = asked.measure(rival).wrong
    return compare_rivals(measured[best].wrong, other, asked.delta, among, rows)


def compare_rivals(wrong: Any, other: Any, delta: float, among: int, rows: RowGroups) -> Comparison:
    """A comparison, and what speaks against it in the order of the rival's errors."""
    why = "; ".join(f"of the rival, {g}" for g in order_grounds(other, rows) if not g.holds)
    return compare(wrong, other, delta, among, rows.group, rows.weights)._replace(why=why)


def against_others(
    asked: Request, measured: dict[str, Measured], best: str, rows: RowGroups
) -> dict[str, Comparison]:
    """The best model and each of the others: which pair it is was chosen among all pairs."""
    pairs = asked.chosen * (asked.chosen - 1) // 2
    wrong = measured[best].wrong
    return {
        other: compare_rivals(wrong, found.wrong, asked.delta, pairs, rows)
        for other, found in measured.items()
        if other != best
    }


def fresh_rows(model: Any, rows: RowGroups) -> Any:
    """What holds the claim against fresh rows; of predictions, `check` takes fresh ones in the place of rows."""

    def judge(X: Any, y: Any, groups: Any, weights: Any) -> Fresh:
        truth, said, given = predicted(model if predicts(model) else X, X, y)
        wrong = labels_differ(truth, said, model, [])
        if rows.group is not None and groups is None:
            raise BadInput(
                "check: the claim is about rows in groups; say those of the fresh rows, with groups="
            )
        if rows.weights is not None and weights is None:
            if not rows.each_group_once:
                raise BadInput(
                    "check: the claim is about weighted rows; say what the fresh rows weigh, with weights="
                )
            weights = EACH_GROUP_ONCE
        fresh = row_groups(len(wrong), given, groups, weights)
        units = None if fresh.plain else units_of(wrong, fresh.group, fresh.weights)
        return Fresh(len(wrong), int(wrong.sum()), units)

    return judge
