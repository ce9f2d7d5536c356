"""The mixture of unlike learners beside its part online-kernel, and River's adaptive forest.

    python -m benchmarks.mixtures [two|several|numbers|curves ...] [--rows N] [--river]

Test, then train, in one pass and in the given order: the share of wrong predictions, or for numbers the root mean
square error over the standard deviation, and CPU time a row (ours without compiling). The streams are those of
accuracy.py, also the fresh ones, and of curves.py, up to N rows of each (3,000), where they are dense. The last column
is the error of the mixture over that of online-kernel; last, on how many streams it is smaller, and larger.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np

from . import curves, fresh_streams, peers
from .accuracy import NARROW, far, ours, wrong
from .example_streams import Stream, codes, numbers, several_classes, two_classes

KINDS: dict[str, Callable[[], dict[str, Callable[[], Stream]]]] = {
    "two": lambda: {**two_classes(), **fresh_streams.two_classes()},
    "several": lambda: {**several_classes(), **fresh_streams.several_classes()},
    "numbers": lambda: {**numbers(), **fresh_streams.numbers()},
    "curves": curves.streams,
}


def dense_streams(kind: str, rows: int) -> Iterator[tuple[str, Stream]]:
    for name, load in KINDS[kind]().items():
        try:
            X, y = load()
        except FileNotFoundError:
            continue
        if isinstance(X, np.ndarray) and X.shape[1] <= NARROW:
            X, y = np.ascontiguousarray(X[:rows], float), y[:rows]
            several = kind == "curves" and len(np.unique(y)) > 2
            yield name, (X, codes((X, y))[1] if several else y)


def forest(kind: str) -> Callable[..., object]:
    made = import_module("river.forest")
    cls = made.ARFRegressor if kind == "numbers" else made.ARFClassifier
    return peers.river(lambda: cls(seed=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--river", action="store_true")
    options = parser.parse_args()
    print("| stream | rows | online-kernel | mixture | River ARF | mixture / online-kernel |")
    print("| --- | --- | --- | --- | --- | --- |")
    ratios = []
    for kind in options.kinds:
        more = "-regression" if kind == "numbers" else ""
        players = {key: ours(key + more) for key in ("online-kernel", "mixture")}
        if options.river:
            players["River ARF"] = forest(kind)
        compiled = set()
        for name, (X, y) in dense_streams(kind, options.rows):
            error, cells = {}, {}
            for who, play in players.items():
                if who not in compiled:
                    compiled.add(who)
                    play(X[:50], y[:50])
                p, seconds = peers.timed(play, X, y)
                error[who] = (far if kind == "numbers" else wrong)(p, y)
                cells[who] = f"{error[who]:.4f} ({1e6 * seconds / len(y):.0f} us)"
            ratios.append(
                error["mixture"] / error["online-kernel"] if error["online-kernel"] else 1.0
            )
            cells.setdefault("River ARF", "")
            row = " | ".join(cells[who] for who in ("online-kernel", "mixture", "River ARF"))
            print(f"| {name} | {len(y):,} x {X.shape[1]} | {row} | {ratios[-1]:.3f} |", flush=True)
    found = np.array(ratios)
    print(
        f"\nof {len(found)}: smaller on {(found < 0.99).sum()}, within 1% on {(abs(found - 1) <= 0.01).sum()}, "
        f"larger on {(found > 1.01).sum()}; geometric mean {np.exp(np.log(np.maximum(found, 1e-3)).mean()):.3f}"
    )


if __name__ == "__main__":
    main()
