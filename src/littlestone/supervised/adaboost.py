"""AdaBoost over exact decision stumps, or over any scikit-learn classifier, with its theorem round by round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..core.errors import BadInput
from ..core.guarantee import Certificate
from ..core.stream import Array
from ..engine.compile import has_numba
from .boosting_rounds import Rounds, boosted, certificate
from .checked_rows import check_rows, first_weights, two_classes, whole
from .stumps import CONSTANT, TIE, Columns, Stump, best_stump, columns

SMALL = 1_000_000  # with at most so many rows x columns x rounds NumPy is done before compiled code is loaded


class AdaBoost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boost weak hypotheses: each round fits the rows that the rounds before got wrong.

    rounds     how many, at most: it ends early when no hypothesis has an edge, or one makes no error
    constants  are the two constant stumps in the class? (T-STUMP-COUNT counts them)
    estimator  instead of stumps: a scikit-learn classifier whose `fit` takes `sample_weight`

    The stump of a round is the one with the least weighted error, exactly (scikit-learn's stumps have the least Gini
    impurity, which is another one at times); ties go to the lowest feature, then to the lowest threshold. A score of 0
    is the second class, and counts as a mistake in the theorems.

    After `fit`: `classes_`, `hypotheses_`, `alphas_`, `rounds_` (errors, bounds, training errors, smallest margins: an
    entry a round), `margins_` (of the rows it was fitted to, sorted, after 1, 10, 100, … rounds and after the last),
    `stopped_` (why it ended early), `certificate`.

    >>> X = [[1, 7], [2, 1], [5, 9], [7, 6], [8, 5], [3, 4], [4, 3], [6, 2], [9, 10], [10, 8]]
    >>> y = [1] * 5 + [-1] * 5
    >>> model = AdaBoost(rounds=3).fit(X, y)
    >>> for h, a in zip(model.hypotheses_, model.alphas_):
    ...     print(f"{a:.4f}  {h}")
    0.4236  +1 if x[0] <= 2.5, else -1
    0.6496  +1 if x[0] <= 8.5, else -1
    0.9229  -1 if x[1] <= 4.5, else +1
    >>> print(model.certificate)
    T-BOOST-TRAINING: kept, mistakes 0 against 5.1623 (rows with y f(x) <= 0, after 3 rounds)
    T-BOOST-MARGINS: kept, mistakes 3 against 6 (rows with margin at most 0.07533, where it is closest)

    A round takes O(n m) time for stumps. Freund & Schapire (1997). Ledger: A-ADABOOST, A-STUMP; A4.8, A4.9, A4.11.
    """

    def __init__(self, rounds: int = 100, *, constants: bool = True, estimator: Any = None) -> None:
        self.rounds = rounds
        self.constants = constants
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> AdaBoost:
        limit = whole("AdaBoost: rounds", self.rounds)
        if not isinstance(self.constants, (bool, np.bool_)):
            raise BadInput(f"AdaBoost: constants must be True or False, not {self.constants!r}")
        X, y = check_rows(self, X, y, first=True)
        self.classes_, signs = two_classes(y, "AdaBoost")
        D = first_weights(sample_weight, len(X), "AdaBoost")
        if self.estimator is not None:
            found, rounds = boosted(self._weak(X, signs), signs, D, limit)
        else:
            sample = columns(X)
            if has_numba() and X.size * limit > SMALL:
                found, rounds = compiled_rounds(sample, signs, D, limit, bool(self.constants))
            else:
                found, rounds = plain_rounds(sample, X, signs, D, limit, bool(self.constants))
        self.rounds_: Rounds = rounds
        self.hypotheses_: list[Any] = found
        self.alphas_: Array = rounds.alphas
        self.stopped_ = why(rounds, limit)
        last = len(rounds)
        at = sorted(
            {t for t in (10**k for k in range(9)) if t < last} | ({last} if last else set())
        )
        self.margins_ = {t: np.sort(self._margins(X, signs, t)) for t in at}
        self._sample = self._margins(X, signs, last), D
        return self

    def _weak(self, X: Array, y: Array) -> Any:
        def fitted(D: Array) -> tuple[Any, Array]:
            try:
                h = clone(self.estimator).fit(X, y, sample_weight=D * len(y))
            except TypeError as error:
                raise BadInput(
                    f"AdaBoost: the estimator must take sample_weight: {error}"
                ) from None
            return h, h.predict(X)

        return fitted

    def labels(self, t: int, X: Any) -> Array:
        """The labels, -1 or 1, that the hypothesis of round t (counted from 0) gives to checked rows."""
        h = self.hypotheses_[t]
        found: Array = h.labels(X) if isinstance(h, Stump) else h.predict(X)
        return found

    def decision_function(self, X: Any) -> Array:
        """f(x) = sum_t alpha_t h_t(x) of each row."""
        check_is_fitted(self)
        X = check_rows(self, X)
        if self.estimator is None:
            return additive(self.hypotheses_, self.alphas_, X)
        found = np.zeros(len(X))
        for t, a in enumerate(self.alphas_):
            if a != 0.0:
                found += a * self.labels(t, X)
        return found

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """f(x) of each row after each round."""
        check_is_fitted(self)
        X = check_rows(self, X)
        found = np.zeros(len(X))
        for t, a in enumerate(self.alphas_):
            found = found + a * self.labels(t, X)
            yield found

    def predict(self, X: Any) -> Any:
        """The label of each row; a score of 0 is the second class."""
        check_is_fitted(self)
        return self.classes_[(self.decision_function(X) >= 0.0).astype(int)]

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """The label of each row after each round."""
        for scores in self.staged_decision_function(X):
            yield self.classes_[(scores >= 0.0).astype(int)]

    def margins(self, X: Any, y: Any, rounds: int | None = None) -> Array:
        """y f(x) / sum_t alpha_t of each row, in [-1, 1], after so many rounds (after all)."""
        check_is_fitted(self)
        X, y = check_rows(self, X, y)
        unknown = ~np.isin(y, self.classes_)
        if unknown.any():
            r = int(np.argmax(unknown))
            raise BadInput(
                f"AdaBoost: y of row {r + 1} is {y.tolist()[r]!r}, which is none of {self.classes_.tolist()}"
            )
        t = len(self.rounds_) if rounds is None else whole("AdaBoost: rounds", rounds)
        if t > len(self.rounds_):
            raise BadInput(f"AdaBoost: there were {len(self.rounds_)} rounds, not {t}")
        return self._margins(X, np.where(y == self.classes_[1], 1.0, -1.0), t)

    def _margins(self, X: Array, signs: Array, t: int) -> Array:
        mass = float(self.alphas_[:t].sum())
        if mass == 0.0:
            return np.zeros(len(X))
        if self.estimator is None:
            F = additive(self.hypotheses_[:t], self.alphas_[:t], X)
        else:
            F = sum(
                (a * self.labels(s, X) for s, a in enumerate(self.alphas_[:t])), np.zeros(len(X))
            )
        return np.clip(signs * F / mass, -1.0, 1.0)

    @property
    def certificate(self) -> Certificate:
        """What the theorems say of the rows that it was fitted to."""
        check_is_fitted(self)
        return certificate(self.rounds_, *self._sample)

    def plot(self) -> Any:
        """Training error and its bounds by round, and the distribution of margins after some rounds (matplotlib)."""
        from .pictures import boosting

        check_is_fitted(self)
        return boosting(self)

    def report(self, path: str | Path = "boosting.html") -> Path:
        """One page: both theorems, and the training error beside its bounds, round by round."""
        from ..report.result import Result, report_result

        check_is_fitted(self)
        done = self.rounds_
        lines = {"training error": done.training, "prod Z": done.bounds,
                 "exp(-2 sum of edges²)": done.edge_bounds}  # fmt: skip
        numbers: dict[str, float] = {"rounds": len(done), "rows": len(self._sample[0])}
        if len(done):
            numbers |= {
                "training error": float(done.training[-1]),
                "smallest margin": float(done.least[-1]),
            }
        curves = {"Training error and its bounds": lines, "Smallest margin": {"margin": done.least}}
        return report_result(
            Result("AdaBoost", numbers, self.certificate, curves if len(done) else {}), path
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def plain_rounds(
    sample: Columns, X: Array, y: Array, D: Array, rounds: int, constants: bool
) -> tuple[list[Any], Rounds]:
    """The rounds with NumPy."""

    def weak(D: Array) -> tuple[Any, Array]:
        h, _ = best_stump(sample, D * y, constants)
        return h, h.labels(X)

    return boosted(weak, y, D, rounds)


def compiled_rounds(
    sample: Columns, y: Array, D: Array, rounds: int, constants: bool
) -> tuple[list[Any], Rounds]:
    """The rounds of `plain_rounds` in one compiled loop."""
    from .compiled_boost_loop import compiled

    features, signs = np.zeros(rounds, np.int64), np.zeros(rounds)
    thresholds, errors, training, least = (np.zeros(rounds) for _ in range(4))
    D = D.copy()
    T = compiled(
        *sample, y, D, rounds, constants, TIE, features, thresholds, signs, errors, training, least
    )
    found: list[Any] = [
        Stump(int(j), float(z), int(s))
        for j, z, s in zip(features[:T], thresholds[:T], signs[:T], strict=True)
    ]
    perfect = bool(T and errors[T - 1] == 0.0)
    return found, Rounds(errors[:T], training[:T], least[:T], D, perfect)


def additive(stumps: list[Stump], alphas: Array, X: Array) -> Array:
    """sum_t alpha_t h_t(x): a step function of each feature, looked up instead of T stumps one after another."""
    found = np.zeros(len(X))
    feature = np.array([h.feature for h in stumps], np.int64)
    z = np.array([h.threshold for h in stumps])
    weight = alphas * np.array([h.sign for h in stumps], float)
    found += weight[feature == CONSTANT].sum()
    for j in np.unique(feature[feature != CONSTANT]):
        mine = feature == j
        order = np.argsort(z[mine], kind="stable")
        steps = np.concatenate([[0.0], np.cumsum(weight[mine][order])])
        # thresholds below x say -weight, the others +weight
        below = np.searchsorted(z[mine][order], X[:, j], side="left")
        found += steps[-1] - 2.0 * steps[below]
    return found


def why(rounds: Rounds, limit: int) -> str:
    """Why boosting ended before the last round; "" where it did not."""
    T = len(rounds)
    if rounds.perfect:
        return f"the hypothesis of round {T} makes no error: it is the whole model"
    if limit > T:
        return f"no hypothesis has an edge in round {T + 1}: each has weighted error 1/2"
    return ""
