"""Neighbours with ever more rows: the factor 2, and what dimensions cost (X5)."""

from __future__ import annotations

import numpy as np
from show import BLUE, GREY, RED, Show
from sklearn.neighbors import KNeighborsClassifier

from littlestone import theory


def consistency(show: Show) -> None:
    """One neighbour errs up to twice as often as the best rule, sqrt(m) neighbours as often; and the dimension (X5)."""
    seeds, sizes = show.size(20, 3), show.size((100, 1000, 10_000, 100_000), (100, 1000))
    show.title(
        "consistency", f"uniform x, P(y = 1) = .9 and P(y = 1) = x; {seeds} draws, 2,000 test rows"
    )
    rng, curves = np.random.default_rng(0), {}
    for name, chance in (
        ("constant .9", lambda X: np.full(len(X), 0.9)),
        ("chance x", lambda X: X[:, 0]),
    ):
        for d in (1, 2, 5, 10) if name == "chance x" else (1,):
            for m in sizes if d == 1 or show.quick else sizes[:3]:
                ks = {"1": 1, "3": 3, "sqrt(m)": int(np.ceil(np.sqrt(m))) | 1}
                errors = {k: [] for k in ks}
                for _ in range(seeds):
                    X, at = rng.random((m, d)), rng.random((2000, d))
                    y, truth = rng.random(m) < chance(X), rng.random(2000) < chance(at)
                    for k, n in ks.items():
                        errors[k].append(1 - KNeighborsClassifier(n).fit(X, y).score(at, truth))
                curves[name, d, m] = {k: np.mean(v) for k, v in errors.items()}
                if m == sizes[-1] and d == 1:
                    p = [0.9, 0.1]
                    limits = {
                        "1": float(theory.neighbour_error(p)),
                        "3": float(theory.neighbour_error(p, 3)),
                        "sqrt(m)": 0.1,
                    }
                    if (
                        name == "chance x"
                    ):  # integrals of 2 x (1 - x) and min(x, 1 - x); three neighbours: .3
                        limits = {"1": 1 / 3, "3": 0.3, "sqrt(m)": 0.25}
                    for k, v in errors.items():
                        show.row(f"{name}, {m} rows, {k} neighbours", v, limits[k])
                elif d > 1 and m in (sizes[0], sizes[-1] if show.quick else sizes[2]):
                    show.row(f"{name}, {m} rows, {d} dimensions, sqrt(m)", errors["sqrt(m)"])
    axes = show.charts(2)
    if axes is not None:
        for ax, name in zip(axes, ("constant .9", "chance x"), strict=True):
            for k, colour in zip(("1", "3", "sqrt(m)"), (RED, GREY, BLUE), strict=True):
                ax.plot(
                    sizes,
                    [curves[name, 1, m][k] for m in sizes],
                    "o-",
                    color=colour,
                    label=f"{k} neighbours",
                )
            if name == "chance x":
                few = sizes if show.quick else sizes[:3]
                for d, style in ((2, ":"), (5, "-."), (10, "--")):
                    ax.plot(
                        few,
                        [curves[name, d, m]["sqrt(m)"] for m in few],
                        style,
                        color=BLUE,
                        label=f"sqrt(m), {d} dimensions",
                    )
            ax.axhline(0.1 if name == "constant .9" else 0.25, color="black", lw=0.7)
            ax.set(xscale="log", xlabel="rows", ylabel="error", title=name)
            ax.legend(fontsize=7)
        show.save()
