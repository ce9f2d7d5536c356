"""Bias and variance, polynomials, the choice of a model; lecture 1 (X-BIAS-VARIANCE, X-POLYNOMIALS, X-SELECTION)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .experiment import Curve, Experiment, at_least

Truth = Callable[[Any], Any]
Draw = Callable[[Any, int], tuple[Any, Any]]


def sine_squared(x: Any) -> Any:
    """The truth of the lecture: sin^2(2 pi x)."""
    return np.sin(2.0 * np.pi * x) ** 2


def bias_variance(
    model: Any = None,
    truth: Truth = sine_squared,
    *,
    noise: float = 0.1,
    rows: int = 30,
    samples: int = 400,
    at: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    seed: int = 0,
) -> Experiment:
    """Noise, bias and variance of models at fixed points: they add up to the expected error (T-BIAS-VARIANCE).

    model   an estimator of scikit-learn, a list of them, or a dict with their names; by default 1, 5 and 15 neighbours
    truth   a function of x, uniform on [0, 1]; normal noise is added

    >>> from sklearn.linear_model import LinearRegression
    >>> run = bias_variance(LinearRegression(), lambda x: x, samples=50)
    >>> run.value("LinearRegression(), bias^2") < 0.001
    True
    """
    at_least("samples", samples, 2)
    rng, points = np.random.default_rng(seed), np.asarray(at, float)[:, None]
    models = named(model)
    said = {name: np.zeros((samples, len(points))) for name in models}
    for s in range(samples):
        x = rng.random((rows, 1))
        y = truth(x[:, 0]) + noise * rng.normal(size=rows)
        for name, one in models.items():
            said[name][s] = fresh(one).fit(x, y).predict(points)
    outcomes = truth(points[:, 0]) + noise * rng.normal(size=(samples, len(points)))
    run = Experiment(f"bias and variance at {len(points)} points, {samples} samples of {rows} rows",
                     "model", "square error", "y")  # fmt: skip
    parts = []
    for name, each in said.items():
        bias2 = run.add(f"{name}, bias^2", np.mean((each.mean(axis=0) - truth(points[:, 0])) ** 2))
        variance = run.add(f"{name}, variance", np.mean(each.var(axis=0)))
        run.add(f"{name}, noise + bias^2 + variance", noise**2 + bias2 + variance)
        run.add(f"{name}, measured error", np.mean((each - outcomes) ** 2, axis=1))
        parts.append((bias2, variance, noise**2 + bias2 + variance))
    for label, values in zip(
        ("bias^2", "variance", "with noise, the sum"), zip(*parts, strict=True), strict=True
    ):
        run.curves.append(Curve(label, list(said), values))
    return run


def named(model: Any) -> dict[str, Any]:
    """Models by name."""
    from sklearn.neighbors import KNeighborsRegressor

    if model is None:
        model = {f"{k} neighbours": KNeighborsRegressor(k) for k in (1, 5, 15)}
    if isinstance(model, Mapping):
        return {str(k): m for k, m in model.items()}
    return {str(m): m for m in (model if isinstance(model, (list, tuple)) else [model])}


def fresh(model: Any) -> Any:
    """A copy of an estimator that has not been fitted."""
    from sklearn.base import clone

    return clone(model)


def polynomial(x: Any, y: Any, degree: int) -> Any:
    """Least squares on a scaled domain: a matrix of powers is ill-conditioned."""
    return np.polynomial.Polynomial.fit(x, y, degree, domain=[0, 1])


def polynomial_fitting(
    truth: Truth = sine_squared,
    *,
    degrees: Sequence[int] = (0, 1, 2, 3, 4, 5, 9),
    rows: int = 30,
    samples: int = 300,
    noise: float = 0.1,
    seed: int = 0,
) -> Experiment:
    """Polynomials of each degree: the training error falls, the expected error does not. Expected errors are medians.

    >>> run = polynomial_fitting(degrees=(1, 5), samples=20)
    >>> run.value("degree 5, training") < run.value("degree 1, training")
    True
    """
    at_least("samples", samples, 1)
    at_least("rows", rows, max(degrees) + 1)
    rng, grid = np.random.default_rng(seed), np.linspace(0, 1, 501)
    train, far = np.zeros((2, len(degrees), samples))
    for s in range(samples):
        x = rng.random(rows)
        y = truth(x) + noise * rng.normal(size=rows)
        for i, r in enumerate(degrees):
            f = polynomial(x, y, r)
            train[i, s] = np.mean((f(x) - y) ** 2)
            far[i, s] = np.mean((f(grid) - truth(grid)) ** 2) + noise**2
    run = Experiment(
        f"polynomials, {samples} samples of {rows} rows", "degree", "square error", "y"
    )
    for i, r in enumerate(degrees):
        run.add(f"degree {r}, training", train[i])
        run.add(f"degree {r}, expected (median)", far[i], median=True)
    run.curves = [Curve("training", list(degrees), train.mean(axis=1)),
                  Curve("expected, median", list(degrees), np.median(far, axis=1))]  # fmt: skip
    return run


def model_selection(
    models: Any = None,
    truth: Truth = sine_squared,
    *,
    draw: Draw | None = None,
    degrees: Sequence[int] = (0, 1, 2, 3, 4, 5),
    rows: int = 30,
    samples: int = 40,
    noise: float = 0.1,
    test: int = 2000,
    seed: int = 0,
) -> Experiment:
    """What a choice costs: the error of the candidate that was chosen, above that of the best one.

    Ways to choose: two thirds to train and a third to validate, 5-fold, 10-fold, leave-one-out.

    models   estimators of scikit-learn, a list or a dict with their names; by default polynomials of these `degrees`
    truth    a function of x, uniform on [0, 1]; normal noise is added; errors are measured against the truth
    draw     instead of it: draw(rng, rows) is a sample (X, y); errors are measured on `test` rows of their own

    >>> min(row.mean for row in model_selection(samples=3).rows) >= 0
    True
    """
    at_least("samples", samples, 1)
    at_least("rows", rows, 10)
    rng, grid = np.random.default_rng(seed), np.linspace(0, 1, 501)[:, None]
    lost: dict[str, list[float]] = {}
    if models is None:
        from .polynomial_model import PolynomialModel

        models = {f"degree {r}": PolynomialModel(r) for r in degrees}
    candidates = list(named(models).values())
    for _ in range(samples):
        if draw is None:
            X = rng.random(rows)[:, None]
            y, fresh_rows = (
                truth(X[:, 0]) + noise * rng.normal(size=rows),
                (grid, truth(grid[:, 0])),
            )
        else:
            (X, y), fresh_rows = draw(rng, rows), draw(rng, test)

        def errors(a: Any, b: Any, X: Any = X, y: Any = y) -> list[float]:
            return [error_of(one, X[a], y[a], X[b], y[b]) for one in candidates]

        true = [error_of(one, X, y, *fresh_rows) for one in candidates]
        for name, i in chosen(errors, rows, rng).items():
            lost.setdefault(name, []).append(true[i] - min(true))
    what = "degree" if draw is None and len(candidates) == len(degrees) else "model"
    run = Experiment(f"error above that of the best {what}, {samples} samples of {rows} rows",
                     "way to choose", "square error")  # fmt: skip
    for name, values in lost.items():
        run.add(name, values)
    run.curves = [Curve("mean", list(lost), [float(np.mean(v)) for v in lost.values()])]
    return run


def chosen(errors: Callable[[Any, Any], list[float]], rows: int, rng: Any) -> dict[str, int]:
    """The candidate of each way to choose: errors(train, validate) has the error of every candidate."""
    from sklearn.model_selection import KFold

    order, cut = rng.permutation(rows), 2 * rows // 3
    found = {"hold-out 2/3": int(np.argmin(errors(order[:cut], order[cut:])))}
    for name, folds in (("5-fold", 5), ("10-fold", 10), ("leave-one-out", rows)):
        parts = KFold(folds, shuffle=True, random_state=int(rng.integers(1 << 30))).split(order)
        found[name] = int(np.argmin(np.mean([errors(a, b) for a, b in parts], axis=0)))
    return found


def error_of(model: Any, X: Any, y: Any, at: Any, truth: Any) -> float:
    """The error of a model fitted to X, y: the share of wrong labels of a classifier, else the mean square."""
    from sklearn.base import is_classifier

    said = fresh(model).fit(X, y).predict(at)
    return float(np.mean(said != truth if is_classifier(model) else (said - truth) ** 2))
