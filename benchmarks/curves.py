"""Streams that a line may not fit: online-kernel beside online-linear, River's forest, neighbours and trees, and VW.

    python -m benchmarks.curves [WORD]…       accuracy and CPU time a row, as Markdown; only streams that contain a WORD

Test, then train, in one pass and in the given order, everyone with the defaults of its makers; River's k-NN follows its
StandardScaler. CPU time is without compiling (each of ours plays 50 rows first); that of VW is of its process, with its
start and the reading of its file. Streams come with River and scikit-learn, or from ../shared/data; those that are
missing are named.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import littlestone as ls

from . import example_streams, fresh_streams, peers
from .example_streams import Stream, codes, river, signs

ROWS = 5000
SHOWN = (
    "electricity", "NP price up", "Agrawal 0", "Agrawal 2", "Agrawal 4", "Sine 2", "STAGGER 1", "Mixed 0", "RandomTree",
    "RandomRBF", "SEA 1", "Hyperplane, fast", "dense, 20", "digits", "ImageSegments", "Waveform", "RBF drift",
)  # fmt: skip
Player = Callable[[Any, Any], Any]


def streams() -> dict[str, Callable[[], Stream]]:
    datasets = import_module("river.datasets")
    known = {
        **fresh_streams.several_classes(),
        **fresh_streams.two_classes(),
        **example_streams.several_classes(),
        **example_streams.two_classes(),
    }
    first = {
        "Bananas": lambda: signs(river(datasets.Bananas(), ROWS)),
        "Phishing": lambda: signs(river(datasets.Phishing(), ROWS)),
    }
    return first | {name: known[name] for name in SHOWN}


def ours(key: str) -> Player:
    def play(X: Any, y: Any) -> Any:
        return ls.play(key, X, y, certify=False, record="all").predictions

    return play


def players(X: Any, y: Any) -> dict[str, Player]:
    forest, tree = import_module("river.forest"), import_module("river.tree")
    near, pp = import_module("river.neighbors"), import_module("river.preprocessing")
    classes = len(np.unique(y))
    several = classes if classes > 2 else 0
    wabbit: Any = peers.wabbit(["--loss_function", "logistic"], several)

    def vw(X: Any, y: Any) -> Any:
        p = wabbit(X, y)
        return p if several else np.where(p > 0, 1, -1)

    return {
        "online-kernel": ours("online-kernel"),
        "online-linear": ours("online-linear"),
        "River ARF": peers.river(lambda: forest.ARFClassifier(seed=1)),
        "River k-NN": peers.river(lambda: pp.StandardScaler() | near.KNNClassifier()),
        "River Hoeffding": peers.river(tree.HoeffdingAdaptiveTreeClassifier),
        "VW": vw,
    }


def row(name: str, X: Any, y: Any) -> str:
    """One line of the table: the share of right predictions and, behind it, microseconds a row."""
    found: dict[str, tuple[float, float]] = {}
    for who, play in players(X, y).items():
        if who.startswith("online"):
            play(X[:50], y[:50])
        p, spent = peers.timed(play, X, y)
        found[who] = float(np.mean(p == y)), 1e6 * spent / len(y)
    best = max(right for right, _ in found.values())
    cells = []
    for right, us in found.values():
        cell = f"**{right:.3f}**" if right == best else f"{right:.3f}"
        cells.append(f"{cell} ({time_of(us)})")
    return f"| {name} | {len(y):,} x {X.shape[1]} | {' | '.join(cells)} |"


def time_of(us: float) -> str:
    return f"{us:.0f} us" if us >= 10 else f"{us:.1f} us"


def main(words: list[str]) -> None:
    print(
        "| stream | rows | online-kernel | online-linear | River ARF | River k-NN | River Hoeffding | VW |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, load in streams().items():
        if words and not any(word in name for word in words):
            continue
        try:
            X, y = load()
        except FileNotFoundError as problem:
            print(f"{name}: left out: {problem}", file=sys.stderr)
            continue
        y = codes((X, y))[1] if len(np.unique(y)) > 2 else y
        print(row(name, np.ascontiguousarray(X[:ROWS], float), y[:ROWS]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
