"""The mixture of unlike learners beside its part online-kernel, and River's forests.

    python -m benchmarks.mixtures [two|several|numbers|curves ...] [--rows N] [--sample] [--river]

Test, then train, in one pass and in the given order: the share of wrong predictions, or for numbers the root mean
square error over the standard deviation, and CPU time a row (ours without compiling). The streams are those of
accuracy.py, also the fresh ones, and of curves.py, up to N rows of each (3,000), where they are dense; with --sample
every seventh of two classes, and every second of the others. The last column is the error of the mixture over that of
online-kernel; last, on how many streams it is smaller, and larger, and on how many the mixture is the best of the row
or within 1% of it.
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


SAMPLED = {
    "two": 7,
    "several": 2,
    "numbers": 2,
    "curves": 2,
}  # one in so many, in the order of the list
PLAYED_BEFORE = (
    150  # rows: the code is compiled, and scikit-learn imported, before the clock starts
)


def dense_streams(kind: str, rows: int, step: int) -> Iterator[tuple[str, Stream]]:
    for name, load in list(KINDS[kind]().items())[::step]:
        try:
            X, y = load()
        except FileNotFoundError:
            continue
        if isinstance(X, np.ndarray) and X.shape[1] <= NARROW:
            X, y = np.ascontiguousarray(X[:rows], float), y[:rows]
            several = kind == "curves" and len(np.unique(y)) > 2
            yield name, (X, codes((X, y))[1] if several else y)


def forests(kind: str) -> peers.Peers:
    """River's forests for a kind of streams."""
    made = import_module("river.forest")
    adaptive = made.ARFRegressor if kind == "numbers" else made.ARFClassifier
    mondrian = made.AMFRegressor if kind == "numbers" else made.AMFClassifier
    return {
        "River ARF": peers.river(lambda: adaptive(seed=1)),
        "River AMF": peers.river(lambda: mondrian(seed=1)),
    }


def print_ratios(errors: list[dict[str, float]]) -> None:
    """On how many streams the mixture is better, or worse, than each of the others, and than the best of them."""
    others = [who for who in errors[0] if who != "mixture"]
    columns = {who: np.array([error[who] for error in errors]) for who in errors[0]}
    columns["the best of them"] = np.min([columns[who] for who in others], axis=0)
    print()
    for who in [*others, "the best of them"]:
        found = (columns["mixture"] + 1e-9) / (columns[who] + 1e-9)
        middle = np.exp(np.log(np.clip(found, 1e-3, 1e3)).mean())
        print(
            f"beside {who}, of {len(found)}: smaller on {(found < 0.99).sum()}, within 1% on "
            f"{(abs(found - 1) <= 0.01).sum()}, larger on {(found > 1.01).sum()}; geometric mean {middle:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--river", action="store_true")
    options = parser.parse_args()
    river = ["River ARF", "River AMF"] if options.river else []
    columns = ["online-kernel", "mixture", *river]
    print(f"| stream | rows | {' | '.join(columns)} | mixture / online-kernel |")
    print("| --- " * (len(columns) + 3) + "|")
    errors: list[dict[str, float]] = []
    for kind in options.kinds:
        more = "-regression" if kind == "numbers" else ""
        players = {key: ours(key + more) for key in ("online-kernel", "mixture")}
        if options.river:
            players |= forests(kind)
        played = set()
        step = SAMPLED[kind] if options.sample else 1
        for name, (X, y) in dense_streams(kind, options.rows, step):
            error, cells = {}, []
            for who, play in players.items():
                if who not in played:
                    played.add(who)
                    play(X[:PLAYED_BEFORE], y[:PLAYED_BEFORE])
                p, seconds = peers.timed(play, X, y)
                error[who] = (far if kind == "numbers" else wrong)(p, y)
                cells.append(f"{error[who]:.4f} ({1e6 * seconds / len(y):.0f} us)")
            errors.append(error)
            ratio = (error["mixture"] + 1e-9) / (error["online-kernel"] + 1e-9)
            row = " | ".join(cells)
            print(f"| {name} | {len(y):,} x {X.shape[1]} | {row} | {ratio:.3f} |", flush=True)
    print_ratios(errors)


if __name__ == "__main__":
    main()
