"""Neighbours and polynomials: what over- and underfitting look like, and how a model is chosen (X1 to X4)."""

from __future__ import annotations

from typing import Any

import littlestone_lectures as experiments
import numpy as np
from littlestone_lectures import model_selection, polynomial_fitting
from littlestone_lectures.experiments.polynomial_model import PolynomialModel
from show import BLUE, GREEN, GREY, RED, Show
from sklearn.datasets import make_moons
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

DEGREES = (0, 1, 2, 3, 4, 5, 9)
NEIGHBOURS = (1, 3, 7, 15, 31, 61, 101)


def moons(seed: int, test: int = 2000) -> Any:
    X, y = make_moons(200, noise=0.35, random_state=seed)
    return X, y, *make_moons(test, noise=0.35, random_state=10_000 + seed)


def regions(show: Show) -> None:
    """k nearest neighbours and least squares on two moons (X1)."""
    seeds = show.size(20, 4)
    show.title(
        "regions", f"two moons, 200 rows, {seeds} draws; errors on training and on test rows"
    )
    noted = {1: (0, 0.174), 3: (0.087, 0.141), 7: (0.101, 0.126), 15: (0.113, 0.119), 31: (0.122, 0.121),
             61: (0.142, 0.138), 101: (0.181, 0.177)}  # fmt: skip
    table = np.zeros((len(NEIGHBOURS), 2, seeds))
    straight = []
    for s in range(seeds):
        X, y, at, truth = moons(s)
        for i, k in enumerate(NEIGHBOURS):
            model = KNeighborsClassifier(k).fit(X, y)
            table[i, :, s] = 1 - model.score(X, y), 1 - model.score(at, truth)
        straight.append(1 - RidgeClassifier(1e-9).fit(X, y).score(at, truth))
    for i, k in enumerate(NEIGHBOURS):
        show.row(f"k = {k}, training", table[i, 0], noted[k][0])
        show.row(f"k = {k}, test", table[i, 1], noted[k][1])
    show.row("least squares, test", straight)
    axes = show.charts(3)
    if axes is None:
        return
    X, y, *_ = moons(0)
    a, b = np.meshgrid(np.linspace(-2, 3, 200), np.linspace(-1.8, 2.2, 200))
    grid = np.column_stack([a.ravel(), b.ravel()])
    models = {"1 neighbour": KNeighborsClassifier(1), "15 neighbours": KNeighborsClassifier(15),
              "least squares": RidgeClassifier(1e-9)}  # fmt: skip
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        said = model.fit(X, y).predict(grid).reshape(a.shape)
        ax.contourf(a, b, said, levels=1, colors=["#e4ecf5", "#f5e4dc"])
        ax.scatter(*X.T, c=np.where(y, RED, BLUE), s=6)
        ax.set(title=name, xticks=[], yticks=[])
    show.save()


def polynomials(show: Show) -> None:
    """Polynomials of degree r on sin^2: training errors fall, expected errors do not (X2)."""
    many = show.size(300, 30)
    show.title(
        "polynomials",
        f"sin^2(2 pi x) with noise .1, {many} samples; mean training and median expected error",
    )
    training = (0.132, 0.127, 0.116, 0.111, 0.039, 0.034, 0.007)
    expected = (0.137, 0.142, 0.136, 0.142, 0.064, 0.071, 0.020)
    noted = {f"m = 30, degree {r}, training": v for r, v in zip(DEGREES, training, strict=True)}
    noted |= {f"m = 30, degree {r}, expected": v for r, v in zip(DEGREES, expected, strict=True)}
    curves = {}
    for m in (30, 10):
        run = polynomial_fitting(degrees=DEGREES, rows=m, samples=many, seed=m)
        labels = [row.label.removesuffix(" (median)") for row in run.rows]
        run.rows = [
            row._replace(label=f"m = {m}, {name}")
            for row, name in zip(run.rows, labels, strict=True)
        ]
        show.experiment(run, noted)
        curves[m] = [curve.y for curve in run.curves]
    axes = show.charts()
    if axes is not None:
        for (m, (train, far)), colour in zip(curves.items(), (BLUE, RED), strict=True):
            axes[0].plot(DEGREES, train, "o--", color=colour, label=f"{m} rows, training")
            axes[0].plot(DEGREES, far, "o-", color=colour, label=f"{m} rows, expected")
        axes[0].set(
            yscale="log",
            xlabel="degree",
            ylabel="square error",
            ylim=(1e-4, 10),
            title="polynomials on sin^2",
        )
        axes[0].legend()
        show.save()


def selection(show: Show) -> None:
    """The degree and the number of neighbours by hold-out and cross-validation: what the choice costs (X3)."""
    many = show.size(40, 3)
    show.title(
        "selection",
        f"error above that of the best candidate, {many} samples of 30 (degrees) and 200 rows (neighbours)",
    )
    neighbours = [KNeighborsClassifier(k) for k in show.size(NEIGHBOURS, NEIGHBOURS[:3])]
    runs = {
        "degree": model_selection(degrees=DEGREES[:-1], samples=many),
        "neighbours": model_selection(
            neighbours, draw=draw_moons, rows=show.size(200, 60), samples=many
        ),
    }
    for what, run in runs.items():
        run.rows = [row._replace(label=f"{what}, {row.label}") for row in run.rows]
        show.experiment(run)
    axes = show.charts(2)
    if axes is not None:
        for ax, (what, run) in zip(axes, runs.items(), strict=True):
            curve = run.curves[0]
            ax.barh(curve.x, curve.y, color=[GREY, BLUE, BLUE, GREEN])
            ax.set(title=f"choosing the {what}", xlabel="error above the best")
        show.save()


def draw_moons(rng: Any, rows: int) -> Any:
    return make_moons(rows, noise=0.35, random_state=int(rng.integers(1 << 30)))


def bias_variance(show: Show) -> None:
    """Noise, bias and variance of polynomials and of neighbours at fixed points: they add up (X4, T-BIAS-VARIANCE)."""
    many = show.size(400, 60)
    show.title(
        "bias-variance",
        f"sin^2 at five points, {many} samples of 30 rows: bias^2, variance, measured error",
    )
    sides = {
        "degree": {r: PolynomialModel(r) for r in DEGREES},
        "neighbours": {k: KNeighborsRegressor(k) for k in (1, 3, 5, 9, 15, 25)},
    }
    runs = {}
    for seed, (what, models) in enumerate(sides.items()):
        run = experiments.bias_variance(
            {f"{what} {v}": model for v, model in models.items()}, samples=many, seed=seed
        )
        # noise + bias^2 + variance is the measured error, up to the chance of fresh noise
        sums = {
            f"{what} {v}, measured error": run.value(f"{what} {v}, noise + bias^2 + variance")
            for v in models
        }
        run.rows = [row for row in run.rows if not row.label.endswith("noise + bias^2 + variance")]
        show.experiment(run, sums)
        runs[what] = run
    axes = show.charts(2)
    if axes is not None:
        for ax, (what, run) in zip(axes, runs.items(), strict=True):
            for curve, style in zip(run.curves, ("o-", "o-", "-"), strict=True):
                colour = {"bias^2": BLUE, "variance": RED}.get(curve.label, "black")
                ax.plot(list(sides[what]), curve.y, style, color=colour, label=curve.label)
            ax.set(xlabel=what, yscale="log", title=f"by {what}")
            ax.legend()
        show.save()
