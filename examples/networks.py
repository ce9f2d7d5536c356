"""Experiments on graphs, with a picture each: X-DIGITS-GRAPH, X-TWO-MOONS, X-UNLABELLED, X-CONSENSUS, X-RESISTANCES,
X-WALKS, X-SWEEP-OF-P, X-ONLINE-CLIQUES, X-EIGENFUNCTIONS (X18 to X26 of the notes' ledger).

    python examples/networks.py                      all of them, about two minutes
    python examples/networks.py digits walks         some of them
    python examples/networks.py --out docs/images    and write network-*.png there (matplotlib)
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from littlestone_lectures.consensus import consensus, label_propagation
from littlestone_lectures.random_walks import hitting_probabilities, walks

import littlestone as ls
from littlestone.graphs.algorithms.graph import matrix
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.laplacian import cut_size, laplacian, pseudo_inverse
from littlestone.graphs.algorithms.mistake_bounds import clusters_bound
from littlestone.graphs.algorithms.p_laplacian import p_harmonic, p_resistance
from littlestone.graphs.algorithms.resistance import commute_time, resistances
from littlestone.graphs.algorithms.zoo import barbell, cliques, spielman

BLUE, RED, GREY = "#2a6fb5", "#b5542a", "#9a9a9a"
Draw = Callable[[str], Any]


def wrong(model: Any, graph: Any, y: Any, truth: Any) -> float:
    """The share of the vertices without a label that a model gets wrong."""
    return float((model.fit(graph, y).transduction_ != truth)[y == -1].mean())


def some_labels(truth: Any, each: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for c in np.unique(truth):
        y[rng.choice(np.flatnonzero(truth == c), each, replace=False)] = c
    return y


def digits(axes: Draw) -> None:
    """Handwritten 3 and 8, 3 nearest neighbours, a few labels of each (X18)."""
    from sklearn.datasets import load_digits
    from sklearn.neighbors import KNeighborsClassifier

    data = load_digits()
    keep = np.isin(data.target, [3, 8])
    X, truth = data.data[keep], (data.target[keep] == 8).astype(int)
    g = ls.graph(X, "knn", k=3)
    print(f"digits: {g}, the labels cut {cut_size(g, truth):.0f} edges")
    models = {
        "harmonic": ls.HarmonicClassifier(normalise=None),
        "class mass": ls.HarmonicClassifier(),
        "minimum cut": ls.MinCutClassifier(),
    }
    counts, table = (1, 2, 4, 8, 16), {name: [] for name in (*models, "nearest label")}
    for each in counts:
        rows = [some_labels(truth, each, seed) for seed in range(20)]
        for name, model in models.items():
            table[name].append(np.mean([wrong(model, g, y, truth) for y in rows]))
        near = [
            np.mean(
                KNeighborsClassifier(1).fit(X[y != -1], y[y != -1]).predict(X[y == -1])
                != truth[y == -1]
            )
            for y in rows
        ]
        table["nearest label"].append(np.mean(near))
    print(f"  {'labels a class':16s}" + "".join(f"{each:8d}" for each in counts))
    for name, errors in table.items():
        print(f"  {name:16s}" + "".join(f"{e:8.3f}" for e in errors))
    ax = axes("digits")
    if ax is not None:
        for (name, errors), colour in zip(table.items(), (GREY, BLUE, RED, "black"), strict=True):
            ax.plot(counts, errors, "o-", color=colour, label=name)
        ax.set(
            xscale="log",
            xlabel="labels a class",
            ylabel="error",
            title="3 and 8: a few labels, 20 draws",
        )
        ax.set_xticks(counts, [str(c) for c in counts])
        ax.legend()


def moons(axes: Draw) -> None:
    """Two moons by the second eigenvector (X19)."""
    from sklearn.datasets import make_moons

    X, truth = make_moons(600, noise=0.08, random_state=0)
    g = ls.graph(X, "knn", k=10, weight="gaussian", scale=10.0, ensure_connected=True)
    print(f"two moons: {g}, {g.components[0]} part")
    for normalised in (False, True):
        for rounding in ("sign", "gap", "sweep"):
            m = ls.SpectralClusters(rounding=rounding, normalised=normalised).fit(g)
            error = min((m.labels_ == truth).mean(), (m.labels_ != truth).mean())
            kind = "normalised" if normalised else "plain"
            print(
                f"  {kind:10s} {rounding:6s} error {error:.3f}, cut {m.ratio_cut_:.4f} >= {m.eigenvalue_:.4f}"
            )
    ax = axes("moons")
    if ax is not None:
        ax.scatter(*X.T, c=m.vector_, cmap="coolwarm", s=14)
        ax.set(title="the second eigenvector of two moons", aspect="equal")


def unlabelled(axes: Draw) -> None:
    """Do points without labels help? Where the boundary is between clusters, and where it is not (X20)."""
    rng = np.random.default_rng(0)
    found: dict[str, list[float]] = {}
    for seed in range(20):
        side = rng.integers(2, size=400)
        X = rng.normal(size=(400, 2)) + np.where(side[:, None] == 1, 2.5, -2.5) * np.array(
            [1.0, 0.0]
        )
        along = rng.normal(size=2)
        for name, truth in (
            ("between the clusters", side),
            ("anywhere", (X @ along > 0).astype(int)),
        ):
            if len(set(truth.tolist())) < 2:
                continue
            y = some_labels(truth, 3, seed)
            known = y != -1
            A = np.column_stack([X[known], np.ones(known.sum())])
            w = np.linalg.lstsq(A, 2.0 * y[known] - 1.0, rcond=None)[0]
            straight = (np.column_stack([X, np.ones(400)]) @ w > 0).astype(int)
            found.setdefault(f"{name}, least squares", []).append(
                (straight != truth)[~known].mean()
            )
            found.setdefault(f"{name}, harmonic", []).append(
                wrong(ls.HarmonicClassifier(), X, y, truth)
            )
    print("does unlabelled data help? boundary, method: error with 3 labels a class")
    for name, errors in found.items():
        print(f"  {name:38s} {np.mean(errors):.3f}")
    ax = axes("unlabelled")
    if ax is not None:
        ax.barh(list(found), [np.mean(e) for e in found.values()], color=[GREY, BLUE] * 2)
        ax.set(
            xlabel="error",
            title="points without labels help where the boundary is between clusters",
        )


def agreement(axes: Draw) -> None:
    """Consensus and label propagation: the energy never rises (X21)."""
    g = cliques(3, 8, 4, seed=1)
    u = harmonic(g, [0, 23], [1.0, -1.0])
    a, b, w = g.pairs()
    least = float((w * (u[a] - u[b]) ** 2).sum())
    traces = {
        "one at a time": consensus(g, [0, 23], [1.0, -1.0], steps=4000).energy[:: g.n - 2],
        "half of them fail": consensus(g, [0, 23], [1.0, -1.0], steps=4000, failing=0.5).energy[
            :: g.n - 2
        ],
        "all at once": label_propagation(g, [0, 23], [1.0, -1.0], sweeps=180).energy,
    }
    print(f"consensus: least energy {least:.6f}; after 20, 60 and 180 sweeps")
    for name, energy in traces.items():
        at = [energy[min(k, len(energy) - 1)] - least for k in (20, 60, 180)]
        rises = int((np.diff(energy) > 1e-12).sum())
        print(f"  {name:18s}" + "".join(f"  +{v:.2e}" for v in at) + f"   rises: {rises}")
    ax = axes("consensus")
    if ax is not None:
        for (name, energy), colour in zip(traces.items(), (BLUE, GREY, RED), strict=True):
            ax.plot(np.maximum(energy - least, 1e-16), color=colour, label=name)
        ax.set(
            yscale="log",
            xlabel="sweeps",
            ylabel="energy above the least",
            title="averaging neighbours",
        )
        ax.legend()


def pictures_of_resistance(axes: Draw) -> None:
    """How central a point is by L^+_vv, and resistance against distance (X22)."""
    rng = np.random.default_rng(3)
    X = np.concatenate(
        [rng.normal(size=(60, 2)) * 0.5, rng.normal(size=(60, 2)) * 0.5 + [3.0, 0.0]]
    )
    g = ls.graph(X, "knn", k=5, ensure_connected=True)
    R, K = resistances(g), np.diag(pseudo_inverse(laplacian(g)))
    same = np.equal.outer(np.arange(120) < 60, np.arange(120) < 60)
    inside, across = R[same & ~np.eye(120, dtype=bool)].mean(), R[~same].mean()
    print(
        f"resistances: mean within a cluster {inside:.3f}, between the two {across:.3f};", end=" "
    )
    print(f"L^+_vv from {K.min():.3f} to {K.max():.3f}")
    ax = axes("resistances")
    if ax is not None:
        a, b, _ = g.pairs()
        for i, j in zip(a, b, strict=True):
            ax.plot(*X[[i, j]].T, color="#dddddd", lw=0.7, zorder=0)
        ax.scatter(*X.T, c=K, cmap="gray", edgecolors="black", s=36)
        ax.set(title="dark points are well joined: L^+_vv", aspect="equal")


def hits(axes: Draw) -> None:
    """Simulated walks against the harmonic function and the commute time (X23)."""
    g = spielman()
    p = hitting_probabilities(g, [0], [2])
    print("walks: where 20,000 of them get first, vertex 1 or vertex 3 of Spielman's graph")
    found = []
    for v in (1, 3, 4):
        share = float((walks(g, v, [0, 2], 20_000, v)[0] == 0).mean())
        found.append((v + 1, p[v], share))
        print(f"  from {v + 1}: exact {p[v]:.4f}, simulated {share:.4f}")
    there, back = walks(g, 0, [2], 20_000)[1].mean(), walks(g, 2, [0], 20_000)[1].mean()
    print(f"  there and back: exact {commute_time(g, 0, 2):.4f}, simulated {there + back:.4f}")
    ax = axes("walks")
    if ax is not None:
        at = np.arange(3)
        ax.bar(at - 0.2, [f[1] for f in found], 0.4, color=BLUE, label="exact")
        ax.bar(at + 0.2, [f[2] for f in found], 0.4, color=GREY, label="20,000 walks")
        ax.set_xticks(at, [f"from {f[0]}" for f in found])
        ax.set(title="the probability of meeting vertex 1 before vertex 3")
        ax.legend()


def sweep_of_p(axes: Draw) -> None:
    """Two cliques and a long bridge: where the function falls, from p = 1.05 to 10 (X24)."""
    g = barbell(6, bridge=6)
    last = g.n - 1
    print(
        "p-sweep: two cliques of 6 and a bridge of 6; the function at the bridge, and r_p^(1/(p - 1))"
    )
    ax = axes("p-sweep")
    for p in (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0):
        u = p_harmonic(g, [0, last], [1.0, -1.0], p)
        far = p_resistance(g, 0, last, p) ** (1.0 / (p - 1.0))
        print(f"  p {p:5.2f}: ends of the bridge {u[5]:+.3f} {u[11]:+.3f}, labels", end=" ")
        print(f"cut {cut_size(g, u > 0):.0f}, distance {far:.3f}")
        if ax is not None:
            ax.plot(u[[0, *range(5, 12), last]], "o-", label=f"p = {p:g}", ms=3)
    if ax is not None:
        ax.set(
            title="from clique to clique along the bridge", ylabel="the function of least p-energy"
        )
        ax.legend(fontsize=8)


def online(axes: Draw) -> None:
    """Cliques to label online, vertices in random order (X25)."""
    print(
        "online: cliques, labels drawn by clique; mistakes over 20 orders (a zero counts), and the bound"
    )
    rows = []
    for count, m, cut in ((4, 10, 6), (6, 8, 10)):
        for p in (2.0, 1.5, 1.1):
            most, total = 0.0, 0.0
            for seed in range(20):
                rng = np.random.default_rng(seed)
                g = cliques(count, m, cut, seed)
                labels = np.repeat(rng.permutation(np.arange(count) % 2) * 2 - 1, m)
                order = rng.permutation(g.n)
                run = ls.play(
                    ls.PSeminorm(graph=g, p=p),
                    order[:, None].astype(float),
                    labels[order],
                    certify=False,
                )
                most, total = (
                    max(most, run.learner.state.updates),
                    total + run.learner.state.updates,
                )
            bound = clusters_bound(count, m, cut, p, exact=False)
            rows.append((f"{count} x {m}, {cut} cut, p = {p:g}", total / 20, most, bound))
            print(f"  {rows[-1][0]:24s} mean {rows[-1][1]:.2f}, most {most:.0f}, bound {bound:.2f}")
        found = [nearest_label(count, m, cut, seed) for seed in range(20)]
        print(f"  the nearest label by edges: mean {np.mean(found):.2f}, most {max(found):.0f}")
    for m in (3, 4):
        worst = worst_order(barbell(m), np.repeat([-1.0, 1.0], m))
        bound = clusters_bound(2, m, 1, exact=False)
        print(
            f"  two cliques of {m}, a bridge, p = 2: the worst order costs {worst}, bound {bound:.2f}"
        )
    ax = axes("online")
    if ax is not None:
        names, mean, most_, bound_ = zip(*rows, strict=True)
        at = np.arange(len(rows))
        ax.barh(at, bound_, color="#dddddd", label="bound")
        ax.barh(at, most_, color=GREY, label="most")
        ax.barh(at, mean, color=BLUE, label="mean")
        ax.set_yticks(at, names, fontsize=8)
        ax.set(title="mistakes of p-seminorm on cliques")
        ax.legend()


def nearest_label(count: int, m: int, cut: int, seed: int) -> int:
    """Mistakes of the label that is the fewest edges away, on the same graphs and orders; the first round is one."""
    from scipy.sparse.csgraph import shortest_path

    rng = np.random.default_rng(seed)
    g = cliques(count, m, cut, seed)
    labels = np.repeat(rng.permutation(np.arange(count) % 2) * 2 - 1, m)
    order, far = rng.permutation(g.n), shortest_path(matrix(g), unweighted=True)
    wrong = 1
    for t in range(1, g.n):
        near = order[:t][np.argmin(far[order[t], order[:t]])]
        wrong += int(labels[near] != labels[order[t]])
    return wrong


def worst_order(graph: Any, u: Any) -> int:
    """The most mistakes over all orders of the vertices, by the labels seen: 2^n sets of them. A zero is a mistake."""
    most = {0: 0}
    for seen in range(1, 1 << graph.n):
        most[seen] = 0
        for v in range(graph.n):
            if seen >> v & 1:
                before = seen ^ (1 << v)
                known = [i for i in range(graph.n) if before >> i & 1]
                f = harmonic(graph, known, u[known])[v] if known else 0.0
                most[seen] = max(most[seen], most[before] + int(f * u[v] <= 1e-9))
    return most[(1 << graph.n) - 1]


def eigenfunctions(axes: Draw) -> None:
    """Labels of up to a million points, in time linear in them (X26)."""
    from sklearn.datasets import load_digits

    rng = np.random.default_rng(0)
    x = rng.uniform(size=(20_000, 1))
    flat = ls.EigenfunctionClassifier(functions=3, width=0.1).fit(
        x, np.r_[0, 1, np.full(19_998, -1)]
    )
    print("eigenfunctions: uniform on [0, 1], correlation with cosines")
    for f in flat.functions_:
        z = (f.centres - f.centres.min()) / np.ptp(f.centres)
        best = max(
            (abs(np.corrcoef(f.values, np.cos(k * np.pi * z))[0, 1]), k) for k in (1, 2, 3, 4)
        )
        print(f"  cos({best[1]} pi x): {best[0]:.3f}")
    data = load_digits()
    keep = np.isin(data.target, [3, 8])
    digit = (data.target[keep] == 8).astype(int)
    for each in (4, 16):
        model = ls.EigenfunctionClassifier(functions=16)
        found = [
            wrong(model, data.data[keep], some_labels(digit, each, s), digit) for s in range(20)
        ]
        print(f"  digits 3 and 8, {each:2d} labels a class: error {np.mean(found):.3f}")
    sizes, took = (10_000, 100_000, 1_000_000), []
    print("  two strips, one label each")
    for n in sizes:
        truth = np.repeat([0, 1], n // 2)
        X = np.stack([rng.normal(size=n), 2.0 * truth - 1.0 + 0.25 * rng.normal(size=n)], axis=1)
        y = np.full(n, -1)
        y[[0, -1]] = [0, 1]
        began = time.process_time()
        model = ls.EigenfunctionClassifier(functions=5, width=0.2).fit(X, y)
        took.append(time.process_time() - began)
        error, each = (model.transduction_ != truth).mean(), 1e6 * took[-1] / n
        print(f"  {n:9,d} points: error {error:.5f}, {each:.2f} us a point")
    ax = axes("eigenfunctions")
    if ax is not None:
        for f in model.functions_[:3]:
            name = f"coordinate {f.coordinate + 1}, {f.change:.3f}"
            ax.plot(f.centres, f.values / np.abs(f.values).max(), label=name)
        ax.set(title="the smoothest functions of a coordinate, and how much they change")
        ax.legend()


PARTS = {
    "digits": digits,
    "moons": moons,
    "unlabelled": unlabelled,
    "consensus": agreement,
    "resistances": pictures_of_resistance,
    "walks": hits,
    "p-sweep": sweep_of_p,
    "online": online,
    "eigenfunctions": eigenfunctions,
}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all")
    parser.add_argument("--out", type=Path, help="a folder for the pictures")
    asked = parser.parse_args(argv)
    unknown = [name for name in asked.parts if name not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    figures: dict[str, Any] = {}

    def axes(name: str) -> Any:
        if asked.out is None:
            return None
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot as plt

        figures[name], ax = plt.subplots(figsize=(6.4, 3.8), dpi=100, layout="constrained")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    for name in asked.parts or PARTS:
        PARTS[name](axes)
    for name, figure in figures.items():
        asked.out.mkdir(parents=True, exist_ok=True)
        figure.savefig(asked.out / f"network-{name}.png")


if __name__ == "__main__":
    main()
