"""Neighbours and polynomials: what over- and underfitting look like, and how a model is chosen (X1 to X4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from littlestone_lectures import polynomial_fitting
from show import BLUE, GREEN, GREY, RED, Show
from sklearn.datasets import make_moons
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier

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


def wave(x: Any) -> Any:
    return np.sin(2 * np.pi * x) ** 2


def sample(rng: Any, m: int) -> Any:
    x = rng.random(m)
    return x, wave(x) + 0.1 * rng.normal(size=m)


def fitted(x: Any, y: Any, r: int) -> Any:
    return np.polynomial.Polynomial.fit(x, y, r, domain=[0, 1])


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


def held_out(errors_of: Any, m: int, rng: Any) -> dict[str, int]:
    """The choice of each way to select: errors_of(train, test) has the error of every candidate."""
    order = rng.permutation(m)
    found = {"hold-out 2/3": int(np.argmin(errors_of(order[: 2 * m // 3], order[2 * m // 3 :])))}
    for name, folds in (("5-fold", 5), ("10-fold", 10), ("leave-one-out", m)):
        parts = KFold(folds, shuffle=True, random_state=int(rng.integers(1 << 30))).split(order)
        found[name] = int(np.argmin(np.mean([errors_of(a, b) for a, b in parts], axis=0)))
    return found


def selection(show: Show) -> None:
    """The degree and the number of neighbours by hold-out and cross-validation: what the choice costs (X3)."""
    many = show.size(40, 3)
    show.title(
        "selection",
        f"error above that of the best candidate, {many} samples of 30 (degrees) and 200 rows (neighbours)",
    )
    rng, grid = np.random.default_rng(0), np.linspace(0, 1, 500)
    lost: dict[str, list[float]] = {}
    for s in range(many):
        x, y = sample(rng, 30)
        X, labels, at, truth = moons(s)

        def by_degree(a: Any, b: Any, x: Any = x, y: Any = y) -> Any:
            return [np.mean((fitted(x[a], y[a], r)(x[b]) - y[b]) ** 2) for r in DEGREES[:-1]]

        def by_k(a: Any, b: Any, X: Any = X, y: Any = labels) -> Any:
            near = np.argsort(np.linalg.norm(X[b][:, None] - X[a][None], axis=2), axis=1)
            return [np.mean((y[a][near[:, :k]].mean(axis=1) > 0.5) != y[b]) for k in NEIGHBOURS]

        true_r = [np.mean((fitted(x, y, r)(grid) - wave(grid)) ** 2) for r in DEGREES[:-1]]
        true_k = [1 - KNeighborsClassifier(k).fit(X, labels).score(at, truth) for k in NEIGHBOURS]
        for what, by, true, m in (
            ("degree", by_degree, true_r, 30),
            ("neighbours", by_k, true_k, 200),
        ):
            for name, k in held_out(by, m, rng).items():
                lost.setdefault(f"{what}, {name}", []).append(true[k] - min(true))
    for name, values in lost.items():
        show.row(name, values)
    axes = show.charts(2)
    if axes is not None:
        for ax, what in zip(axes, ("degree", "neighbours"), strict=True):
            mine = {n.partition(", ")[2]: v for n, v in lost.items() if n.startswith(what)}
            ax.barh(
                list(mine), [np.mean(v) for v in mine.values()], color=[GREY, BLUE, BLUE, GREEN]
            )
            ax.set(title=f"choosing the {what}", xlabel="error above the best")
        show.save()


def bias_variance(show: Show) -> None:
    """Noise, bias and variance of polynomials and of neighbours at fixed points: they add up (X4, T-BIAS-VARIANCE)."""
    many, at = show.size(400, 60), np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    show.title(
        "bias-variance",
        f"sin^2 at five points, {many} samples of 30 rows: bias^2, variance, measured error",
    )
    rng, sides, parts = (
        np.random.default_rng(0),
        {"degree": DEGREES, "neighbours": (1, 3, 5, 9, 15, 25)},
        {},
    )
    for what, values in sides.items():
        said = np.zeros((len(values), many, len(at)))
        for s in range(many):
            x, y = sample(rng, 30)
            for i, v in enumerate(values):
                if what == "degree":
                    said[i, s] = fitted(x, y, v)(at)
                else:
                    said[i, s] = y[np.argsort(np.abs(at[:, None] - x[None]), axis=1)[:, :v]].mean(
                        axis=1
                    )
        fresh = wave(at) + 0.1 * rng.normal(size=(many, len(at)))
        rows = []
        for i, v in enumerate(values):
            bias2, variance = (
                np.mean((said[i].mean(axis=0) - wave(at)) ** 2),
                np.mean(said[i].var(axis=0)),
            )
            measured = np.mean((said[i] - fresh) ** 2, axis=1)
            rows.append((bias2, variance))
            show.row(f"{what} {v}, bias^2", bias2)
            show.row(f"{what} {v}, variance", variance)
            # noise + bias^2 + variance is the measured error, up to the chance of fresh noise
            show.row(f"{what} {v}, error", measured, 0.01 + bias2 + variance)
        parts[what] = np.array(rows)
    axes = show.charts(2)
    if axes is not None:
        for ax, (what, rows) in zip(axes, parts.items(), strict=True):
            ax.plot(sides[what], rows[:, 0], "o-", color=BLUE, label="bias^2")
            ax.plot(sides[what], rows[:, 1], "o-", color=RED, label="variance")
            ax.plot(sides[what], rows.sum(axis=1) + 0.01, "k-", label="with noise, the sum")
            ax.set(xlabel=what, yscale="log", title=f"by {what}")
            ax.legend()
        show.save()
