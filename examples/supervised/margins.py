"""Norms, ridge and support vectors (X6 to X9)."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
from littlestone_lectures import support_vector_errors, unit_balls
from littlestone_lectures.svm_by_hand import path_of_c
from scipy.integrate import quad
from show import BLUE, GREEN, GREY, RED, Show
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

import littlestone as ls


def length_of(slope: Any, upto: float, pieces: int) -> float:
    """The norm of a function by the integral of its squared slope, piece by piece."""
    ends = np.linspace(0.0, upto, pieces + 1)
    return float(np.sqrt(sum(quad(lambda x: slope(x) ** 2, a, b)[0] for a, b in pairwise(ends))))


def balls(show: Show) -> None:
    """Unit balls of four norms and of the correlation map; norms of functions (X6)."""
    show.title(
        "balls",
        "areas of unit balls, counted on a grid; the norm of a function is that of its slope",
    )
    run = unit_balls(points=show.size(2001, 401))
    run.rows = [row._replace(label=f"area, {row.label}") for row in run.rows]
    areas = {
        "area, sum of sizes": 2.0,
        "area, Euclidean": np.pi,
        "area, largest size": 4.0,
        "area, M = diag(1, 3)": np.pi / np.sqrt(3),
    }
    show.experiment(run, areas)
    show.row(
        "sin x / (x + 1)",
        length_of(lambda x: np.cos(x) / (x + 1) - np.sin(x) / (x + 1) ** 2, 2000, 2000),
        0.6829,
    )
    show.row(
        "sin 10x / (x + 1)",
        length_of(
            lambda x: 10 * np.cos(10 * x) / (x + 1) - np.sin(10 * x) / (x + 1) ** 2, 2000, 4000
        ),
        7.0653,
    )
    axes = show.charts(2)
    if axes is not None:
        colours = (BLUE, GREEN, RED, GREY, BLUE, RED)
        for k, (curve, colour) in enumerate(zip(run.curves, colours, strict=True)):
            shift = (0, 0) if k < 5 else (1, 1)  # the last ball lies around (1, 1)
            axes[k // 4].plot(
                curve.x + shift[0], curve.y + shift[1], color=colour, label=curve.label
            )
        axes[0].legend(fontsize=7)
        axes[0].set(title="points of norm 1", aspect="equal")
        axes[1].set(title="distance 1 with x1 x2 as a feature", aspect="equal")
        show.save()


def ridge(show: Show) -> None:
    """Every lambda and width of kernel ridge by leave-one-out; primal and dual form (X7)."""
    X, y = load_diabetes(return_X_y=True)
    X, y = X / X.std(axis=0), y - y.mean()
    m = show.size(len(y), 100)
    X, y = X[:m], y[:m]
    show.title(
        "ridge",
        f"diabetes, {m} rows: leave-one-out mean square error, the best lambda of each width",
    )
    betas, curves = (0.001, 0.003, 0.01, 0.03, 0.1), {}
    for beta in betas:
        model = ls.KernelRidgeLOO(f"gaussian:{beta}").fit(X, y)
        curves[beta] = model.alphas_, model.loo_errors_
        show.row(f"gaussian:{beta}", model.loo_errors_.min())
    few = 25  # brute force: left out one by one
    found = ls.leave_one_out(Ridge(1.0), X, y).residuals
    brute = [
        y[i] - Ridge(1.0).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[i : i + 1])[0]
        for i in range(few)
    ]
    show.row("largest difference to fitting again", np.abs(found[:few] - brute).max(), 0.0)
    rng, times = np.random.default_rng(0), {}
    for n in show.size((50, 200, 800, 1600), (20, 40)):
        A, b = rng.normal(size=(show.size(400, 30), n)), rng.normal(size=show.size(400, 30))
        started = time.process_time()
        w = np.linalg.solve(A.T @ A + np.eye(n), A.T @ b)
        half = time.process_time()
        v = A.T @ np.linalg.solve(A @ A.T + np.eye(len(b)), b)
        times[n] = half - started, time.process_time() - half
        show.row(f"{n} features: primal and dual differ by", np.abs(w - v).max(), 0.0)
    axes = show.charts(2)
    if axes is not None:
        for beta, (lam, errors) in curves.items():
            axes[0].plot(lam, errors, label=f"width {beta:g}")
        axes[0].set(xscale="log", xlabel="lambda", title="leave-one-out error", ylim=(2800, 6500))
        axes[0].legend(fontsize=7)
        for k, (name, colour) in enumerate((("n equations", BLUE), ("400 equations", RED))):
            axes[1].plot(
                list(times), [t[k] for t in times.values()], "o-", color=colour, label=name
            )
        axes[1].set(
            xscale="log", yscale="log", xlabel="features", ylabel="seconds", title="400 rows"
        )
        axes[1].legend()
        show.save()


def svm_c(show: Show) -> None:
    """What C does: margin and slack fall, errors need not; alpha is piecewise linear in C (X8)."""
    many, values = show.size(20, 2), np.geomspace(0.01, 100, show.size(9, 4))
    show.title("svm-c", f"two Gaussians that overlap, 2 x 20 rows, {many} draws")
    found = np.zeros((5, len(values), many))
    for s in range(many):
        rng = np.random.default_rng(s)
        X = np.vstack([rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 1.5])
        y = np.repeat([-1, 1], 20)
        for k, C in enumerate(values):
            report = ls.svm_report(
                SVC(kernel="linear", C=C, tol=1e-5).fit(X, y), X, y, leave_out=True
            )
            found[:, k, s] = (
                report.margin,
                report.slacks.sum(),
                (report.margins <= 0).mean(),
                report.left_out / 40,
                report.support / 40,
            )
    for k in (0, len(values) // 2, len(values) - 1):
        for name, v in zip(
            ("margin", "slack", "training error", "leave-one-out error", "support vectors / m"),
            found[:, k],
            strict=True,
        ):
            show.row(f"C = {values[k]:.3g}, {name}", v)
    show.row(
        "margins that grow with C", (np.diff(found[0], axis=0) > 1e-4 * found[0, :-1]).sum(), 0
    )
    show.row("leave-one-out above support vectors / m", (found[3] > found[4]).sum(), 0)
    grid = np.linspace(0.2, 2.0, show.size(91, 19))
    path = path_of_c(X @ X.T, y, grid)
    bends = np.abs(np.diff(path.alphas, 2, axis=0)).max(axis=1) > 1e-6
    show.row("share of the grid where alpha(C) is straight", 1 - bends.mean())
    axes = show.charts(2)
    if axes is not None:
        for name, v, colour in (
            ("training error", found[2], GREY),
            ("leave-one-out error", found[3], BLUE),
            ("support vectors / m", found[4], RED),
        ):
            axes[0].plot(values, v.mean(axis=1), "o-", color=colour, label=name)
        axes[0].set(xscale="log", xlabel="C", title="T-SVM-LOO: blue below red")
        axes[0].legend()
        axes[1].plot(path.C, path.alphas, lw=0.8)
        axes[1].set(xlabel="C", title="alpha is piecewise linear in C")
        show.save()


def support(show: Show) -> None:
    """The expected error after m - 1 rows is at most the expected share of support vectors of m (X9)."""
    many = show.size(400, 30)
    show.title("support", f"five dimensions, the sign of the first; {many} draws, hard margin")
    noted = {"m = 10, support vectors / m": 0.487, "m = 20, support vectors / m": 0.278,
             "m = 40, support vectors / m": 0.145}  # fmt: skip
    run = support_vector_errors(draws=many)
    show.experiment(run, noted)
    axes = show.charts()
    if axes is not None:
        for curve, colour in zip(run.curves, (BLUE, RED), strict=True):
            axes[0].plot(curve.x, curve.y, "o-", color=colour, label=curve.label)
        axes[0].set(xlabel="m", ylim=0, title="support vectors bound the expected error")
        axes[0].legend()
        show.save()
