"""What can be promised: error distributions, validation, PAC, growth functions, no free lunch (X14 to X17, X27)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from littlestone_lectures import no_free_lunch
from scipy.stats import binom
from show import BLUE, GREEN, GREY, RED, Show
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import littlestone as ls
from littlestone import theory
from littlestone.core.intervals import at_most


def errors(show: Show) -> None:
    """The nearest mean on breast cancer data: the mean error moves little with the rows, the tail a lot (X14)."""
    data, sizes = load_breast_cancer(), (227, 57, 28, 11, 6)
    X = StandardScaler().fit_transform(data.data)
    splits, draws = show.size(24, 2), show.size(150, 15)
    show.title(
        "errors", f"nearest mean, {splits} halves for testing, {draws} training sets of each size"
    )
    noted = {227: 0.073, 6: 0.129}  # means over twelve halves
    found = [
        ls.error_distribution(NearestCentroid(), X, data.target, sizes, draws=draws, seed=s)
        for s in range(splits)
    ]
    for k, size in enumerate(sizes):
        show.row(f"{size} rows, mean", [f.errors[k].mean() for f in found], noted.get(size))
        show.row(f"{size} rows, 99%", [f.quantile(0.99)[k] for f in found])
        show.row(f"{size} rows, most", [f.errors[k].max() for f in found])
    axes = show.charts()
    if axes is not None:
        for k, (size, colour) in enumerate(
            zip(sizes, ("black", BLUE, GREEN, GREY, RED), strict=True)
        ):
            e = np.sort(np.concatenate([f.errors[k] for f in found]))
            axes[0].plot(e, np.arange(1, len(e) + 1) / len(e), color=colour, label=f"{size} rows")
        axes[0].set(
            xlabel="test error",
            ylabel="share of training sets",
            xlim=(0, 0.5),
            title="all splits together",
        )
        axes[0].legend()
        show.save()


def worst_failure(m: int, delta: float, limit: Any) -> float:
    """The largest chance, over all p, that the limit is below p: it is attained just above a value of the limit."""
    tops = np.array([limit(k) for k in range(m + 1)])
    return max(float(binom.cdf(k, m, min(t + 1e-12, 1.0))) for k, t in enumerate(tops) if t < 1.0)


def validation(show: Show) -> None:
    """Hoeffding's and the exact limit fail at most delta of the time; chosen on the same rows, always (X15)."""
    sizes, deltas = show.size((1, 2, 5, 10, 50, 200), (1, 10, 50)), (0.01, 0.05, 0.2, 0.5)
    show.title("validation", "largest chance of failure / delta over all true errors, exactly")
    table: dict[str, list[float]] = {"Hoeffding": [], "exact": []}
    for m in sizes:
        for name in table:
            worst = 0.0
            for d in deltas:
                half = np.sqrt(np.log(1 / d) / (2 * m))
                limit = (
                    (lambda k, m=m, h=half: k / m + h)
                    if name == "Hoeffding"
                    else (lambda k, m=m, d=d: at_most(k, m, d))
                )
                worst = max(worst, worst_failure(m, d, limit) / d if limit(0) < 1 else 0.0)
            table[name].append(worst)
            show.row(f"{name}, {m} rows", worst)
    show.row("Hoeffding, the largest", max(table["Hoeffding"]), 0.823)
    rng, many = np.random.default_rng(0), show.size(400, 40)
    best = rng.binomial(50, 0.5, size=(many, 1000)).min(axis=1)
    half = np.sqrt(np.log(1 / 0.05) / 100)
    show.row("best of 1,000 coins: Hoeffding fails", (best / 50 + half < 0.5).astype(float), 1.0)
    show.row("the exact limit fails", [float(at_most(int(k), 50, 0.05) < 0.5) for k in best])
    show.row(
        "the exact limit with delta / 1,000 fails",
        [float(at_most(int(k), 50, 0.05 / 1000) < 0.5) for k in best],
    )
    axes = show.charts()
    if axes is not None:
        for (name, values), colour in zip(table.items(), (GREY, BLUE), strict=True):
            axes[0].plot(sizes, values, "o-", color=colour, label=name)
        axes[0].axhline(1.0, color="black", lw=0.7)
        axes[0].set(
            xscale="log", xlabel="test rows", ylabel="chance of failure / delta", ylim=(0, 1.05)
        )
        axes[0].legend()
        show.save()


def empirical(x: Any, y: Any, grid: Any) -> Any:
    """The share of errors of every threshold t of the grid, which says 1 from t on."""
    order = np.argsort(x)
    ones = np.concatenate([[0], np.cumsum(y[order])])
    below = np.searchsorted(x[order], grid)
    return (ones[below] + (len(y) - below) - (ones[-1] - ones[below])) / len(y)


def pac(show: Show) -> None:
    """10,001 thresholds: the worst consistent one errs like 1/m; with noise, errors are seen up to 1/sqrt(m) (X16)."""
    many, sizes = show.size(200, 20), show.size((20, 80, 320, 1280), (20, 80))
    grid, delta = np.linspace(0, 1, 10_001), 0.05
    show.title("pac", f"10,001 thresholds, the true one at .5, {many} draws, delta = {delta}")
    curves: dict[str, list[float]] = {"consistent": [], "uniform": []}
    for m in sizes:
        rng, worst, far, excess = np.random.default_rng(m), [], [], []
        for _ in range(many):
            x = rng.random(m)
            seen = empirical(x, x >= 0.5, grid)
            worst.append(np.abs(grid[seen == 0] - 0.5).max())
            seen, true = (
                empirical(x, (x >= 0.5) ^ (rng.random(m) < 0.3), grid),
                0.3 + 0.4 * np.abs(grid - 0.5),
            )
            far.append(np.abs(seen - true).max())
            excess.append(true[seen == seen.min()].max() - 0.3)
        eps, uniform = np.log(10_001 / delta) / m, np.sqrt(np.log(2 * 10_001 / delta) / (2 * m))
        curves["consistent"].append(
            show.row(f"{m} rows, error of the worst consistent one", worst).mean
        )
        curves["uniform"].append(show.row(f"{m} rows, noise .3, largest deviation", far).mean)
        show.row(f"{m} rows, noise .3, excess of the worst minimiser", excess)
        beyond = [np.array(worst) > eps, np.array(far) > uniform, np.array(excess) > 2 * uniform]
        show.row(f"{m} rows, share beyond the three bounds", np.any(beyond, axis=0).astype(float))
    for name, v in curves.items():
        show.row(
            f"{name}: slope on log-log axes",
            np.polyfit(np.log(sizes), np.log(v), 1)[0],
            {"consistent": -1.0, "uniform": -0.5}[name],
        )
    for cells, eps, delta, asked, needed in (
        (9, 0.1, 0.1, 47, 43),
        (19, 0.05, 0.05, 120, 116),
        (49, 0.02, 0.01, 426, 421),
    ):
        p = Fraction(eps).limit_denominator(1000)
        least = next(m for m in range(1, 500) if theory.unseen_cell(cells, p, m) <= delta)
        show.row(f"{cells} cells of mass {eps}: rows needed of {asked}", least, needed)
    axes = show.charts()
    if axes is not None:
        m = np.array(sizes)
        for (name, values), colour in zip(curves.items(), (BLUE, RED), strict=True):
            axes[0].plot(m, values, "o-", color=colour, label=name)
        axes[0].plot(m, np.log(10_001 / 0.05) / m, ":", color=BLUE, label="bound, like 1/m")
        axes[0].plot(
            m,
            np.sqrt(np.log(2 * 10_001 / 0.05) / (2 * m)),
            ":",
            color=RED,
            label="bound, like 1/sqrt(m)",
        )
        axes[0].set(xscale="log", yscale="log", xlabel="rows", ylabel="error")
        axes[0].legend()
        show.save()


def growth(show: Show) -> None:
    """Patterns of half-spaces through 0 against Cover's count; random sign matrices against Sauer's sum (X17)."""
    show.title(
        "growth", "share of all 2^m patterns that half-spaces through 0 show, and Cover's count"
    )
    rng = np.random.default_rng(0)
    for n in show.size((2, 3, 4, 5), (2, 3)):
        for m in (n, n + 2, 2 * n):
            H = theory.halfspaces(rng.normal(size=(m, n)), through_zero=True)
            # the zero vector says +1 everywhere: a pattern that Cover's count has only where some w says so too (E76)
            extra = not (H == -1).all(axis=1).any()
            show.row(
                f"{n} dimensions, {m} points, patterns", len(H) - extra, theory.cover_count(m, n)
            )
    noted = {20: 1, 21: 0.99999905, 25: 0.999228, 30: 0.969286, 35: 0.804236, 40: 0.5, 45: 0.225690, 50: 0.076204,
             60: 0.004321, 80: 2.1e-6}  # fmt: skip
    for m, share in noted.items():
        show.row(f"20 dimensions, {m} points", theory.cover_count(m, 20) / 2**m, share)
    show.row("Sauer's sum at 40 points", theory.sauer(40, 20) / 2**40, 0.562685)
    kept = []
    for q in np.linspace(0.1, 0.9, show.size(20, 5)):
        H = np.unique(np.where(rng.random((30, 8)) < q, 1, -1), axis=0)
        kept.append(len(H) <= theory.sauer(8, int(theory.vc_dimension(H))))
    show.row("sign matrices within Sauer's sum", np.mean(kept), 1.0)
    axes = show.charts()
    if axes is not None:
        m = np.arange(1, 90)
        axes[0].plot(
            m,
            [theory.cover_count(int(k), 20) / 2 ** int(k) for k in m],
            color=BLUE,
            label="half-spaces",
        )
        axes[0].plot(
            m,
            [min(1, theory.sauer(int(k), 20) / 2 ** int(k)) for k in m],
            ":",
            color=RED,
            label="Sauer's sum",
        )
        axes[0].axvline(20, color=GREY, lw=0.8)
        axes[0].axvline(40, color=GREY, lw=0.8, ls=":")
        axes[0].set(xlabel="points", title="20 dimensions: the curve drops at 40, not at 20")
        axes[0].legend()
        show.save()


def lunch(show: Show) -> None:
    """Whatever interpolates errs (1 - 1/2m)^m / 2 on average over all targets on 2m points (X27)."""
    many, sizes = show.size(1000, 60), show.size((2, 5, 10, 20), (2, 5))
    show.title(
        "lunch", f"random labels of 2m points, m draws, {many} targets; error on all 2m points"
    )
    models = {"1 neighbour": KNeighborsClassifier(1), "tree": DecisionTreeClassifier(random_state=0),
              "logistic regression": LogisticRegression(C=1.0)}  # fmt: skip
    run = no_free_lunch(models, sizes=sizes, targets=many)
    # logistic regression does not interpolate: it may only be worse
    noted = {
        f"m = {m}, {name}": run.value(f"m = {m}, at least")
        for m in sizes
        for name in list(models)[:2]
    }
    run.rows = [row for row in run.rows if not row.label.endswith("at least")]
    show.experiment(run, noted)
    axes = show.charts()
    if axes is not None:
        for curve, colour in zip(run.curves, (BLUE, GREEN, RED, "black"), strict=True):
            style = ":" if curve.label == "at least" else "o-"
            axes[0].plot(curve.x, curve.y, style, color=colour, label=curve.label)
        axes[0].set(xscale="log", xlabel="m", ylabel="error on 2m points", ylim=(0, 0.5))
        axes[0].legend()
        show.save()
