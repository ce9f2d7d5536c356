"""Every learner over examples as a scikit-learn estimator.

    from littlestone.interop.sklearn import OnlineLinearClassifier, LogisticClassifier, OGDRegressor

The classes are made from the registry, one (or two) a learner: `estimators()` lists them. Parameters are those of the
learner, with scikit-learn's `fit_intercept` for its `intercept`, and `passes`, how often `fit` goes over the examples;
`partial_fit` goes over them once, from where the learner is.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ..core import store
from ..core.games import Classes
from ..core.learner import Learner, defaults
from ..core.live_examples import LiveExamples
from ..core.play import play
from ..core.stream import Batch, Stream
from ..core.vectors import Rows
from .facades import facade, kinds, offered, probabilities, written

AnyLearner = Learner[Any, Any, Any, Any]
PASSES = 5


class Estimator(BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressors share."""

    _learner: type[AnyLearner]
    learner_: Any

    def learner(self) -> AnyLearner:
        """The Littlestone learner with these parameters, not begun."""
        given = {
            name: getattr(self, name) for name in defaults(self._learner) if name != "intercept"
        }
        if "intercept" in defaults(self._learner):
            given["intercept"] = self.fit_intercept
        return self._learner(**given)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Begin afresh, and go over the examples `passes` times in the order given."""
        X, y = validate_data(self, X, y, **self._shape())
        h = (
            None
            if sample_weight is None
            else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        )
        y = self._targets(y, None)
        self.learner_ = None
        return self._train(X, y, h, self.passes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Go over the examples once, from where the learner is."""
        first = getattr(self, "learner_", None) is None
        X, y = validate_data(self, X, y, reset=first, **self._shape())
        h = (
            None
            if sample_weight is None
            else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        )
        y = self._targets(y, classes, first)
        if first:
            self.learner_ = None
        return self._train(X, y, h, 1)

    def _shape(self) -> dict[str, Any]:
        return {
            "accept_sparse": "csr" if self._learner.sparse else False,
            "dtype": np.float64,
            "order": "C",
            "y_numeric": not isinstance(self, ClassifierMixin),
            "multi_output": False,
        }

    def _targets(self, y: Any, classes: Any, first: bool = True) -> Any:
        return np.ascontiguousarray(y, float)

    def _train(self, X: Any, y: Any, h: Any, passes: int) -> Any:
        began = self.learner_ is not None
        learner: Any = self.learner_ if began else self.learner()
        rows = examples(binary(X) if self._learner.boolean else X)
        if began and isinstance(rows, Rows) != learner._live.sparse:
            rows = as_kind(rows, learner._live.sparse, self.n_features_in_)
        known = getattr(self, "classes_", None)
        stream = Stream(
            [
                Batch(
                    rows,
                    y,
                    h=None if h is None else np.ascontiguousarray(h, float),
                    width=self.n_features_in_,
                )
            ],
            names_of(self, rows),
            rounds=len(y),
            whole=True,
            labels=None if known is None else [plain(c) for c in known],
            features=True,
        )
        run: Any = play(
            learner,
            stream,
            allocation=False,
            certify=False,
            record="none",
            passes=passes,
            resume=began,
        )
        self.learner_ = run.learner
        self.n_iter_ = passes
        return self

    def _decisions(self, X: Any) -> Any:
        check_is_fitted(self, "learner_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr" if self._learner.sparse else False,
            dtype=np.float64,
            order="C",
        )
        live: LiveExamples = self.learner_._live
        rows = as_kind(
            examples(binary(X) if self._learner.boolean else X), live.sparse, self.n_features_in_
        )
        return live.many(rows)[0]

    @property
    def coef_(self) -> Any:
        """The weights, where the learner is a line: (1, features), or a row a class."""
        return self._weights()[0]

    @property
    def intercept_(self) -> Any:
        return self._weights()[1]

    def _weights(self) -> tuple[Any, Any]:
        check_is_fitted(self, "learner_")
        learner = self.learner_
        found = coefficients(learner)
        if found is None:
            raise AttributeError(
                f"{type(self).__name__} has no coef_: its predictions are not a line"
            )
        w = np.atleast_2d(found)
        start = int(learner._live.intercept)
        w = w[:, : start + self.n_features_in_]
        constant = w[:, 0].copy() if start else np.zeros(len(w))
        return w[:, start:], constant

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        if state.get("learner_") is not None:
            state["learner_"] = store.to_bytes(state["learner_"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("learner_"), bytes):
            state = {
                **state,
                "learner_": store.from_bytes(state["learner_"], "a pickled estimator"),
            }
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._learner.sparse
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return getattr(self, "learner_", None) is not None


def probable(self: Any) -> bool:
    """Do scores mean probabilities?"""
    return probabilities(self.learner().game(False))


class Classifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """A learner of classes."""

    def _targets(self, y: Any, classes: Any, first: bool = True) -> Any:
        """Labels as codes; `classes_` is what they mean."""
        y = column_or_1d(y)
        check_classification_targets(y)
        if first:
            self.classes_ = np.unique(y) if classes is None else np.unique(classes)
            if len(self.classes_) < 2 and classes is None and not self._several():
                raise ValueError(
                    f"{type(self).__name__} needs examples of two classes; there is only one class: "
                    f"{self.classes_[0]!r}"
                )
            if len(self.classes_) > 2 and not self._several():
                raise ValueError(
                    "Only binary classification is supported. "
                    f"The type of the target is {type_of_target(self.classes_)}."
                )
        new = np.setdiff1d(y, self.classes_)
        if len(new):
            if classes is not None or not self._several():
                raise ValueError(f"{type(self).__name__}: unknown classes {new.tolist()[:5]}")
            self.classes_ = np.concatenate(
                [self.classes_, new]
            )  # a class that appears later is learned
        order = np.argsort(self.classes_, kind="stable")
        return order[np.searchsorted(self.classes_, y, sorter=order)].astype(float)

    def _several(self) -> bool:
        return isinstance(self.learner().game(False), Classes)

    def decision_function(self, X: Any) -> Any:
        """The score of each example; with several classes one for each."""
        scores = self._decisions(X)
        if isinstance(self.learner_._live.game, Classes) and len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def predict(self, X: Any) -> Any:
        """The label of the score."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    @available_if(probable)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities, where the learner's scores are their logarithms."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            one = 0.5 * (1.0 + np.tanh(0.5 * scores))
            return np.stack([1.0 - one, one], axis=1)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._several()
        # a few passes over Boolean features, or with a budget, do not fit everything
        tags.classifier_tags.poor_score = self._learner.boolean or self._learner.key in POOR
        return tags


class Regressor(RegressorMixin, Estimator):  # type: ignore[misc]
    """A learner of numbers."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Go over the examples once, from where the learner is."""
        return super().partial_fit(X, y, None, sample_weight)

    def predict(self, X: Any) -> Any:
        """The prediction for each example."""
        return self._decisions(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # a few passes do not fit everything
        return tags


# Learners whose targets are special: Winnow's have no negative weights.
POOR = frozenset({"winnow-eg"})


def coefficients(learner: AnyLearner) -> Any:
    """The weights of the line that the learner predicts with: its own answer, or `w` of its state; None: no line."""
    if hasattr(type(learner), "coefficients"):
        own: Any = getattr(learner, "coefficients")  # noqa: B009
        return None if own is None else own(learner.state)
    return getattr(learner.state, "w", None)


def binary(X: Any) -> Any:
    """Real features for learners over Boolean ones: is it positive?"""
    if hasattr(X, "tocsr"):
        X = X.copy()
        X.data = (X.data > 0).astype(float)
        return X
    return (X > 0).astype(float)


def examples(X: Any) -> Any:
    """A matrix, or the rows of a sparse one."""
    if not hasattr(X, "tocsr"):
        return np.ascontiguousarray(X)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows(
        X.indptr.astype(np.int64), X.indices.astype(np.int32), np.ascontiguousarray(X.data, float)
    )


def as_kind(rows: Any, sparse: bool, width: int) -> Any:
    """Dense or sparse, as the learner began."""
    if isinstance(rows, Rows) == sparse:
        return rows
    from scipy.sparse import csr_array

    if sparse:
        return examples(csr_array(rows))
    return csr_array(
        (rows.value, rows.index, rows.indptr), shape=(len(rows.indptr) - 1, width)
    ).toarray()


def names_of(self: Any, rows: Any) -> tuple[str, ...]:
    if isinstance(rows, Rows):
        return ()
    names = getattr(self, "feature_names_in_", None)
    return tuple(map(str, range(rows.shape[1]) if names is None else names))


def plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


# The classes, one (or two) a learner.


@functools.cache
def estimators() -> dict[str, type[Any]]:
    """Every estimator by its name."""
    return {
        f"{cls.__name__}{kind}": estimator(cls, kind, changes)
        for cls in offered()
        for kind, changes in kinds(cls).items()
    }


def estimator(cls: type[AnyLearner], kind: str, changes: dict[str, Any]) -> type[Any]:
    own = written(cls) | changes
    given = {name: v for name, v in own.items() if name != "intercept"}
    if "intercept" in own:
        given["fit_intercept"] = True
    note = "\n\nFeatures are made Boolean first: is it positive?" if cls.boolean else ""
    note += f"\n\n`fit` goes over the examples {PASSES} times (`passes`)."
    base = Classifier if kind == "Classifier" else Regressor
    return facade(cls, kind, base, given | {"passes": PASSES}, __name__, note)


def __getattr__(name: str) -> Any:
    if name.startswith("_") or name not in estimators():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return estimators()[name]


def __dir__() -> list[str]:
    return sorted([*globals(), *estimators()])


__all__ = ["Classifier", "Regressor", "estimators"]
