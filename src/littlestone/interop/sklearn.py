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
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ..core.errors import BadInput
from ..core.game import SEVERAL, Traits
from ..core.learner import Learner, defaults
from ..core.stream import Batch
from ..core.vectors import Rows
from ..encode.stream import Stream
from ..live import store
from ..play.options import PlayOptions
from ..play.play_stream import play_stream
from .facades import FORMER, as_kind_of, facade, facade_name, kinds, offered, write_defaults
from .lines import line

AnyLearner = Learner[Any, Any, Any, Any]
PASSES = 5
JUST = float(np.finfo(float).tiny)  # a score of 0 that means the second class


class Estimator(BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressors share."""

    _learner: type[AnyLearner]
    learner_: Any
    run_: Any

    def learner(self) -> AnyLearner:
        """The Littlestone learner with these parameters, not begun."""
        given = {
            name: getattr(self, name) for name in defaults(self._learner) if name != "intercept"
        }
        if "intercept" in defaults(self._learner):
            given["intercept"] = self.fit_intercept
        return as_kind_of(
            type(self).__name__, self._learner(**given), isinstance(self, ClassifierMixin)
        )

    def _traits(self) -> Traits | None:
        """The traits of the game of these parameters; None where they are refused, which `fit` will say."""
        try:
            return self.learner().game(False).traits()  # type: ignore[no-any-return]
        except (BadInput, TypeError):
            return None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Begin afresh, and go over the examples `passes` times in the order given."""
        X, y = validate_data(self, X, y, **self._shape())
        h = importance(sample_weight, X)
        h = self._by_class(y, h, whole=True)
        y, classes = self._targets(y, None, [], whole=True)
        self.learner_ = None
        return self._train(X, y, h, classes, self.passes, bool(self.certify))

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Go over the examples once, from where the learner is."""
        first = getattr(self, "learner_", None) is None
        X, y = validate_data(self, X, y, reset=first, **self._shape())
        h = importance(sample_weight, X)
        h = self._by_class(y, h)
        y, known = self._targets(y, classes, [] if first else getattr(self, "classes_", []))
        if first:
            self.learner_ = None
        return self._train(X, y, h, known, 1)

    def _shape(self) -> dict[str, Any]:
        return {
            "accept_sparse": "csr" if self._learner.sparse else False,
            "dtype": np.float64,
            "order": "C",
            "y_numeric": not isinstance(self, ClassifierMixin),
            "multi_output": False,
        }

    def _targets(self, y: Any, classes: Any, known: Any, whole: bool = False) -> tuple[Any, Any]:
        """Outcomes for the learner, and the classes that are known with them."""
        return np.ascontiguousarray(y, float), None

    def _by_class(self, y: Any, h: Any, whole: bool = False) -> Any:
        """The importance of the examples, with what the class of each one counts."""
        return h

    def _train(
        self, X: Any, y: Any, h: Any, classes: Any, passes: int, certify: bool = False
    ) -> Any:
        began = self.learner_ is not None
        learner: Any = self.learner_ if began else self.learner()
        rows = examples(binary(X) if self._learner.boolean else X)
        if began and isinstance(rows, Rows) != learner.live.sparse:
            rows = as_kind(rows, learner.live.sparse, self.n_features_in_)
        stream = Stream(
            [Batch(rows, y, h=h, width=self.n_features_in_)],
            names_of(self, rows),
            rounds=len(y),
            whole=True,
            labels=None if classes is None else [as_python(c) for c in classes],
            features=True,
        )
        run: Any = play_stream(
            learner,
            stream,
            PlayOptions(certify=certify, record="none", passes=passes, resume=began),
            allocation=False,
        )
        self.learner_, self.run_ = run.learner, run if certify else None
        self.n_iter_ = passes
        if classes is not None:  # not before: examples may have been refused
            self.classes_ = classes
        return self

    def _decisions(self, X: Any) -> tuple[Any, Any]:
        """The score of each example (with several classes one for each), and what the learner makes of it."""
        check_is_fitted(self, "learner_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr" if self._learner.sparse else False,
            dtype=np.float64,
            order="C",
        )
        live: Any = self.learner_.live
        rows = as_kind(
            examples(binary(X) if self._learner.boolean else X), live.sparse, self.n_features_in_
        )
        return live.many(rows)  # type: ignore[no-any-return]

    @property
    def certificate_(self) -> Any:
        """Each theorem of the learner: kept, vacuous, unknown or broken by the run of `fit`."""
        check_is_fitted(self, "learner_")
        if getattr(self, "run_", None) is None:
            raise AttributeError(
                f"{type(self).__name__} has no certificate_: fit with certify=True keeps what it is made of"
            )
        return self.run_.certificate

    @property
    def coef_(self) -> Any:
        """The weights, where the learner is a line: (1, features), or a row a class; of a regressor (features)."""
        return self._line()[0]

    @property
    def intercept_(self) -> Any:
        """The constants, one a row of `coef_`."""
        return self._line()[1]

    def _line(self) -> tuple[Any, Any]:
        check_is_fitted(self, "learner_")
        # of features as they are: whether one is positive is no line
        found = None if self._learner.boolean else line(self.learner_, self.n_features_in_)
        if found is None:
            raise AttributeError(
                f"{type(self).__name__} has no coef_: its predictions are not a line"
            )
        return found

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state.pop("run_", None)  # it holds the examples
        if state.get("learner_") is not None:
            state["learner_"] = store.to_bytes(state["learner_"])
        return state

    def __setstate__(self, state: Any) -> None:
        if isinstance(state.get("learner_"), bytes):
            state = {
                **state,
                "learner_": store.from_bytes(state["learner_"], path="a pickled estimator"),
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
    traits = self._traits()
    return traits is not None and bool(traits.scores)


class Classifier(ClassifierMixin, Estimator):  # type: ignore[misc]
    """A learner of classes."""

    def _targets(self, y: Any, classes: Any, known: Any, whole: bool = False) -> tuple[Any, Any]:
        """Labels as their places among the classes, which are sorted; a class may appear later than others."""
        y = column_or_1d(y)
        check_classification_targets(y)
        name, several = type(self).__name__, self._several()
        found = known_with(name, np.asarray(known), np.unique(y), classes, several)
        if len(found) > 2 and not several:
            raise ValueError(
                "Only binary classification is supported. "
                f"The type of the target is {type_of_target(found)}."
            )
        if len(found) < 2 and whole and not several:
            raise ValueError(
                f"{name} needs examples of two classes; there is only one class: {as_python(found[0])!r}"
            )
        return np.searchsorted(found, y).astype(float), found

    def _by_class(self, y: Any, h: Any, whole: bool = False) -> Any:
        weight = getattr(self, "class_weight", None)
        if weight is None:
            return h
        if isinstance(weight, str) and not whole:
            raise ValueError(
                f"class_weight={weight!r} needs all examples at once: for partial_fit pass a dict"
            )
        each = np.asarray(compute_sample_weight(weight, column_or_1d(y)), float)
        return each if h is None else each * h

    def _several(self) -> bool:
        traits = self._traits()
        return traits is not None and traits.classes == SEVERAL

    def _places(self) -> Any:
        """For each class its place in the learner, which counts classes in the order in which they came."""
        codes = self.learner_.live.coder.codes
        return np.array([int(codes[as_python(c)]) for c in self.classes_])

    def decision_function(self, X: Any) -> Any:
        """The score of each example; with several classes one for each.

        A score of 0 that the learner takes for the second class (Winnow at its threshold) is the least number above 0.
        """
        scores, answers = self._decisions(X)
        places = self._places()
        traits = self.learner_.live.game.traits()
        if traits.classes == SEVERAL:
            scores = scores[:, places]
            return scores[:, 1] - scores[:, 0] if len(places) == 2 else scores
        second = places[1] if len(places) == 2 else 1 - places[0]
        if second == 0:
            scores = -scores
        if not traits.scores:
            scores = np.where((scores == 0.0) & (answers == second), JUST, scores)
        return scores

    def _line(self) -> tuple[Any, Any]:
        w, b = super()._line()
        places = self._places()
        if self.learner_.live.game.traits().classes == SEVERAL:
            w, b = w[places], b[places]
            return (w[1:] - w[:1], b[1:] - b[:1]) if len(places) == 2 else (w, b)
        second = places[1] if len(places) == 2 else 1 - places[0]
        return (w, b) if second == 1 else (-w, -b)

    def predict(self, X: Any) -> Any:
        """The label of the score."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:  # so far
            return np.repeat(self.classes_, len(scores))
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    @available_if(probable)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities, where the learner's scores are their logarithms."""
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.ones((len(scores), 1))
        if scores.ndim == 1:
            one = 0.5 * (1.0 + np.tanh(0.5 * scores))
            return np.stack([1.0 - one, one], axis=1)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self._several()
        tags.classifier_tags.poor_score = self._learner.key in POOR
        return tags


class Regressor(RegressorMixin, Estimator):  # type: ignore[misc]
    """A learner of numbers."""

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Go over the examples once, from where the learner is."""
        return super().partial_fit(X, y, None, sample_weight)

    def predict(self, X: Any) -> Any:
        """The prediction for each example."""
        return self._decisions(X)[0]

    def _line(self) -> tuple[Any, Any]:
        w, b = super()._line()
        return w[0], b

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # a rate set by hand may be too low for a few passes
        tags.regressor_tags.poor_score = getattr(self, "alpha", None) is not None
        return tags


# Their targets are special: disjunctions, conjunctions, weights that are not negative.
POOR = frozenset(
    {"dnf-winnow", "elimination", "elimination-conjunction", "winnow1", "winnow2", "winnow-eg"}
)


# A heavy class does not win here: scikit-learn's check of class weights fails.
UNWEIGHTED = frozenset({"perceptron-disjunction"})


def known_with(name: str, known: Any, met: Any, classes: Any, several: bool) -> Any:
    """The classes known before, those of `classes`, and those met now."""
    if classes is not None:
        said = np.unique(classes)
        lost, new = np.setdiff1d(known, said), np.setdiff1d(said, known)
        if len(known) and (len(lost) or (len(new) and not several)):
            raise ValueError(
                f"`classes={classes!r}` is not the same as on the last call to partial_fit, where it was "
                f"{quote_all(known)}"
            )
        if len(np.setdiff1d(met, said)):
            raise ValueError(
                f"{name}: y has classes that `classes` has not: {quote_all(np.setdiff1d(met, said))}"
            )
        return said
    if not len(known):
        return met
    if (known.dtype.kind in "OUS") != (met.dtype.kind in "OUS"):
        raise ValueError(f"{name}: y has labels of type {met.dtype}, before it was {known.dtype}")
    found = np.union1d(known, met)
    if len(found) > 2 and not several:
        raise ValueError(
            f"{name} tells two classes apart, {quote_all(known)}; y has {quote_all(np.setdiff1d(met, known))}, too: "
            "SoftmaxClassifier and OnlineLinearClassifier take any number"
        )
    return found


def quote_all(classes: Any) -> str:
    return ", ".join(repr(as_python(c)) for c in classes[:5]) + (", …" if len(classes) > 5 else "")


def importance(sample_weight: Any, X: Any) -> Any:
    if sample_weight is None:
        return None
    return np.ascontiguousarray(
        _check_sample_weight(sample_weight, X, ensure_non_negative=True), float
    )


def binary(X: Any) -> Any:
    """Real features for learners over Boolean ones: is it positive?"""
    if hasattr(X, "tocsr"):
        return type(X)(((X.data > 0).astype(float), X.indices, X.indptr), shape=X.shape)
    return (X > 0).astype(float)


def examples(X: Any) -> Any:
    """A matrix, or the rows of a sparse one."""
    if not hasattr(X, "tocsr"):
        return np.ascontiguousarray(X)
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows(  # as they are, where the types are right
        np.ascontiguousarray(X.indptr, np.int64),
        np.ascontiguousarray(X.indices, np.int32),
        np.ascontiguousarray(X.data, float),
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


def as_python(label: Any) -> Any:
    """A label as a value of Python, not of NumPy: so it is saved with the learner, and written in messages."""
    return label.item() if isinstance(label, np.generic) else label


CERTIFY = "\n\nWith `certify` `fit` keeps its run: `run_`, and its theorems held against it: `certificate_`."

# The classes, one (or two) a learner.


@functools.cache
def estimators() -> dict[str, type[Any]]:
    """Every estimator by its name."""
    return {
        facade_name(cls, kind): estimator(cls, kind, changes)
        for cls in offered()
        for kind, changes in kinds(cls).items()
    }


def estimator(cls: type[AnyLearner], kind: str, changes: dict[str, Any]) -> type[Any]:
    own = write_defaults(cls) | changes
    given = {name: v for name, v in own.items() if name != "intercept"}
    if "intercept" in own:
        given["fit_intercept"] = True
    note = "\n\nFeatures are made Boolean first: is it positive?" if cls.boolean else ""
    note += f"\n\n`fit` goes over the examples {PASSES} times (`passes`)."
    note += CERTIFY
    base = Classifier if kind == "Classifier" else Regressor
    given |= {"passes": PASSES, "certify": False}
    if kind == "Classifier" and cls.key not in UNWEIGHTED:
        given["class_weight"] = None
        note += '\n\n`class_weight` multiplies the weights of the examples: a dict, or "balanced" (`fit` alone).'
    return facade(cls, kind, base, given, __name__, note)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .sklearn_experts import mixtures
    from .sklearn_intervals import IntervalRegressor

    own = {"IntervalRegressor": IntervalRegressor}
    name, every = FORMER.get(name, name), estimators() | mixtures() | own
    if name not in every:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return every[name]


def __dir__() -> list[str]:
    from .sklearn_experts import mixtures

    return sorted([*globals(), *estimators(), *mixtures(), "IntervalRegressor"])


__all__ = ["Classifier", "Regressor", "estimators"]
