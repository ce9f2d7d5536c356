"""Models of scikit-learn and River as experts: what they forecast, round by round, before they see the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from ..core.stream import Batch
from ..encode.stream import Stream


def forecasts(
    models: Any,
    X: Any,
    y: Any,
    *,
    batch: int = 100,
    learn: bool = True,
) -> Stream:
    """A stream for learners over experts: one column a model, its forecast of each outcome.

    models  scikit-learn estimators (with `partial_fit` they go on learning; others stay as they are), River models,
            or functions of one example; a dict names them, a list numbers them
    X, y    examples (a matrix, dense or sparse, a frame, a list of dicts) and their outcomes: numbers, or labels of
            two classes, of which the second in alphabetical order counts as 1, the other as 0
    batch   scikit-learn models forecast so many rounds and then learn from them; River models learn after each round
    learn   False: no model learns, all stay as they were fitted

    Classifiers forecast the mean of the classes under their probabilities (of 0 and 1 that is the probability of 1), or
    their label where they know none. A forecast of NaN or None is missing: that expert sleeps. So does one that is not
    fitted yet and can learn, until it has seen a batch. No model learns from an outcome that is missing (NaN). A model
    that fails stops the run, and is named.

    >>> import littlestone as ls
    >>> run = ls.play(
    ...     "hedge",
    ...     forecasts({"zero": lambda x: 0.0, "same": lambda x: x[0]}, [[1.0], [1.0]], [1.0, 1.0]),
    ... )
    >>> run.names, run.experts.L.tolist()
    (('zero', 'same'), [2.0, 0.0])
    """
    models = name_models(models)
    if not isinstance(batch, (int, np.integer)) or batch < 1:
        raise BadInput(f"batch must be a whole number of at least 1, not {batch!r}")
    if not hasattr(X, "shape") and not hasattr(X, "__len__"):
        raise BadInput(
            f"X must be a matrix, a frame or a list of examples, not a {type(X).__name__}"
        )
    truth = outcomes(y)
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(truth.y) != rows:
        raise BadInput(f"X has {rows} rows, y has {len(truth.y)}")
    refuse_silent(models)
    made = batches(models, X, truth, int(batch), learn)
    return Stream(made, tuple(map(str, models)), rounds=rows, source="models")


def name_models(models: Any) -> Mapping[Any, Any]:
    """The models by name; those of a list are numbered."""
    if not isinstance(models, (Mapping, list, tuple)):
        raise BadInput(f"models must be a dict or a list of them, not a {type(models).__name__}")
    if not models:
        raise BadInput("models: there are none")
    if isinstance(models, Mapping):
        return models
    return {f"{i + 1} {type(m).__name__}": m for i, m in enumerate(models)}


def refuse_silent(models: Mapping[Any, Any]) -> None:
    """Refuse what forecasts nothing: a class instead of a model, and anything that cannot predict."""
    for name, m in models.items():
        if isinstance(m, type):
            raise BadInput(
                f"models: {name!r} is the class {m.__name__}; make one of it: {m.__name__}()"
            )
        if not (callable(m) or hasattr(m, "predict") or hasattr(m, "predict_one")):
            raise BadInput(f"models: {name!r} is a {type(m).__name__}, which forecasts nothing")


class Truth(NamedTuple):
    """The outcomes of some rounds."""

    y: Any  # as numbers; NaN where missing
    labels: Any  # as they were written, where they were labels; else None
    worth: dict[Any, float]  # what each label counts as; empty where outcomes are numbers
    classes: Any  # every outcome there is in the whole stream, as it was written

    def part(self, at: int, size: int) -> Truth:
        labels = None if self.labels is None else self.labels[at : at + size]
        return self._replace(y=self.y[at : at + size], labels=labels)

    def number(self, c: Any) -> float:
        """What a forecast of c counts as."""
        if isinstance(c, np.generic):
            c = c.item()
        if c is None or c in self.worth:
            return float("nan") if c is None else self.worth[c]
        if isinstance(c, str):
            said = sorted(self.worth) if self.worth else "numbers"
            raise BadInput(
                f"it forecasts the class {c!r}, and y has {said}: give y as the model knows it"
            )
        return float(c)

    def whole(self) -> Any:
        """Outcomes for a classifier: whole numbers as such."""
        if self.labels is not None:
            return self.labels
        return self.y.astype(int) if (self.y == np.floor(self.y)).all() else self.y


def outcomes(y: Any) -> Truth:
    a = np.asarray(y)
    if a.ndim != 1:
        raise BadInput(f"y must have one outcome a row; its shape is {a.shape}")
    if a.dtype.kind not in "biuf":
        try:
            a = a.astype(float)
        except (TypeError, ValueError):
            return two_labels(a)
    v = a.astype(float)
    known = np.unique(v[~np.isnan(v)])
    return Truth(v, None, {}, known.astype(int) if (known == np.floor(known)).all() else known)


def two_labels(a: Any) -> Truth:
    there = np.array([v is not None and v == v for v in a], bool)
    known = sorted(set(a[there].tolist()), key=str)
    if len(known) > 2:
        raise BadInput(
            f"y has {len(known)} labels, {', '.join(map(repr, known[:3]))}, …: models forecast numbers, or two classes"
        )
    worth = {c: float(i) for i, c in enumerate(known)}
    v = np.array([worth[c] if ok else np.nan for c, ok in zip(a.tolist(), there, strict=True)])
    return Truth(v, a, worth, np.array(known))


def batches(
    models: Mapping[Any, Any], X: Any, truth: Truth, size: int, learn: bool
) -> Iterator[Batch]:
    sparse = hasattr(X, "tocsr")
    X = X.tocsr() if sparse else X
    for at in range(0, len(truth.y), size):
        some, now = piece(X, at, size), truth.part(at, size)
        columns = []
        for name, m in models.items():
            one = hasattr(m, "predict_one") or not hasattr(m, "predict")
            ask = one_by_one if one else at_once
            columns.append(ask(f"model {name!r}", m, some, now, learn, at))
        yield Batch(
            np.ascontiguousarray(np.stack(columns, axis=1)), np.ascontiguousarray(now.y), at
        )


def piece(X: Any, at: int, size: int) -> Any:
    return X.iloc[at : at + size] if hasattr(X, "iloc") else X[at : at + size]


def failed(who: str, at: int, error: Exception) -> BadInput:
    said = str(error) if isinstance(error, BadInput) else f"{type(error).__name__}: {error}"
    return BadInput(f"{who} failed in round {at + 1}: {said:.300}")


# scikit-learn.


def at_once(who: str, model: Any, X: Any, truth: Truth, learn: bool, at: int) -> Any:
    """A scikit-learn model: a forecast for every row, then one step of learning."""
    able = learn and hasattr(model, "partial_fit")
    try:
        found = forecast(model, X, truth)
    except Exception as error:
        if type(error).__name__ != "NotFittedError":
            raise failed(who, at, error) from error
        if not able:
            raise BadInput(f"{who} is not fitted: fit it first") from error
        found = np.full(len(truth.y), np.nan)
    if found.size != len(truth.y):
        raise BadInput(
            f"{who}, from round {at + 1}: {len(truth.y)} forecasts are needed, one a row, not {found.shape}"
        )
    if able:
        try:
            taught(model, X, truth)
        except Exception as error:
            raise failed(who, at, error) from error
    return found.reshape(-1)


def forecast(model: Any, X: Any, truth: Truth) -> Any:
    if not hasattr(model, "predict_proba"):
        found = np.asarray(model.predict(X))
        if found.dtype.kind in "biuf":
            return found.astype(float)
        return np.array([truth.number(c) for c in found.reshape(-1)])
    P = np.asarray(model.predict_proba(X), float)
    classes = getattr(model, "classes_", None)
    return P[:, -1] if classes is None else P @ np.array([truth.number(c) for c in classes])


def taught(model: Any, X: Any, truth: Truth) -> None:
    """Let the model learn from the rounds whose outcome is known."""
    known = ~np.isnan(truth.y)
    if not known.any():
        return
    if not known.all():
        X = X[known] if hasattr(X, "shape") else [x for x, k in zip(X, known, strict=True) if k]
        labels = None if truth.labels is None else truth.labels[known]
        truth = truth._replace(y=truth.y[known], labels=labels)
    classes = getattr(model, "classes_", None)
    if classes is not None:
        model.partial_fit(X, truth.whole().astype(classes.dtype))
    elif (
        hasattr(model, "__sklearn_tags__") and model.__sklearn_tags__().classifier_tags is not None
    ):
        model.partial_fit(X, truth.whole(), classes=truth.classes)
    else:
        model.partial_fit(X, truth.y)


# River, and functions.


def one_by_one(who: str, model: Any, X: Any, truth: Truth, learn: bool, at: int) -> Any:
    """A River model, or a function: a forecast, and then the outcome, row by row."""
    river = hasattr(model, "predict_one")
    rows = rows_of(X, as_dicts=river)
    found = np.empty(len(truth.y))
    sure = river and classifies(model)
    two = bool(truth.worth) or bool(np.isin(truth.classes, (0, 1)).all())
    for t, x in enumerate(rows):
        try:
            if not river:
                found[t] = truth.number(model(x))
                continue
            found[t] = (
                probable(model, x, truth, two) if sure else float(model.predict_one(x) or 0.0)
            )
            v = float(truth.y[t])
            if learn and v == v:
                model.learn_one(x, label(model, truth, t, two) if sure else v)
        except Exception as error:
            raise failed(who, at + t, error) from error
    return found


def rows_of(X: Any, as_dicts: bool) -> Any:
    """Examples one by one, as dicts of features or as rows of numbers."""
    if hasattr(X, "to_dict"):
        return X.to_dict("records")
    if hasattr(X, "tocsr"):
        if not as_dicts:
            return X.toarray()
        ends = zip(X.indptr[:-1], X.indptr[1:], strict=True)
        pairs = ((X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in ends)
        return ({str(i): v for i, v in zip(index, value, strict=True)} for index, value in pairs)
    if not as_dicts:
        return X
    return (x if isinstance(x, Mapping) else {str(i): float(v) for i, v in enumerate(x)} for x in X)


def classifies(model: Any) -> bool:
    """Is a model, or the last step of a pipeline, a classifier? Every pipeline has the methods of one."""
    from river import base

    while hasattr(model, "steps"):
        model = list(model.steps.values())[-1]
    if isinstance(model, base.Base):
        return isinstance(model, base.Classifier)
    return hasattr(model, "predict_proba_one")


def probable(model: Any, x: Any, truth: Truth, two: bool) -> float:
    try:
        p = model.predict_proba_one(x)
    except NotImplementedError:
        return truth.number(model.predict_one(x))
    if not p:
        return 0.5 if two else float("nan")
    return float(sum(v * truth.number(c) for c, v in p.items()))


def label(model: Any, truth: Truth, t: int, two: bool) -> Any:
    """The outcome as a River classifier learns it: those of two classes know True and False."""
    v = float(truth.y[t])
    if truth.labels is not None and getattr(model, "_multiclass", True):
        return truth.labels[t]
    return bool(v) if two else int(v) if v == int(v) else v
