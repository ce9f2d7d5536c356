"""How well does the default learner predict, set beside others, on streams of every kind?

    python -m benchmarks accuracy           the figures; --quick plays the first 2,000 rounds of each stream
    python -m benchmarks.accuracy           all peers, as Markdown tables (some minutes), and last the streams that a
                                            line may not fit, beside River's forest, neighbours and trees (curves.py)
    python -m benchmarks.accuracy fresh     the same on streams that played no part in the design
    python -m benchmarks.accuracy ours      Littlestone's column alone (a minute), also with fresh

Test, then train: every prediction is made before its outcome is shown, in one pass and in the given order. Behind each
error is the CPU time a row, in microseconds (ours without compiling; VW with the start of its process). Peers in
the same run, with the defaults of their makers (peers.py). Real data come from ../shared/data beside the project;
streams whose file is missing are left out, and named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import littlestone as ls

from . import curves, fresh_streams, peers
from .example_streams import DATA, Stream, adult, numbers, several_classes, two_classes
from .figure import Figure

QUICK = 2000
OURS = "Littlestone"
CURVES = "online-kernel"  # where the table is dense: what `littlestone run` takes there
NARROW = 128  # features
TARGETS = {"electricity": 0.08}  # of error; River's PA .091, Vowpal Wabbit's --freegrad .106
CLOSE = 1.1  # times the error of the best peer, on streams that are long enough to tell
ENOUGH = 400  # rounds


def wrong(p: Any, y: Any) -> float:
    return float(np.mean(p != y))


def far(p: Any, y: Any) -> float:
    """Root mean square error over the standard deviation, outcomes of 10^11 and more left out."""
    sane = np.abs(y) < 1e11
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.mean((p[sane] - y[sane]) ** 2)) / np.std(y[sane]))


def sides(p: Any) -> Any:
    return np.where(p > 0, 1, -1)


def compare(
    kind: str, streams: dict[str, Callable[[], Stream]], rows: int | None, alone: bool = False
) -> Iterator[tuple[str, dict[str, float], dict[str, float], int]]:
    """The error and the CPU time of everyone on each stream, or of Littlestone alone."""
    more = "-regression" if kind == "numbers" else ""
    for name, load in streams.items():
        try:
            X, y = load()
        except FileNotFoundError as problem:
            print(f"{name}: left out: {problem}", file=sys.stderr)
            continue
        X, y = X[:rows], y[:rows]
        error = far if kind == "numbers" else wrong
        found: dict[str, float] = {}
        spent: dict[str, float] = {}
        dense = isinstance(X, np.ndarray) and X.shape[1] <= NARROW
        for who, key in {OURS: "online-linear", CURVES: "online-kernel"}.items():
            if who == OURS or dense:
                play = ours(key + more)
                play(X[:50], y[:50])  # compiles
                p, seconds = peers.timed(play, X, y)
                found[who], spent[who] = error(p, y), seconds
            else:
                found[who] = spent[who] = np.nan
        for peer, play in {} if alone else beside(kind, X, y).items():
            p, spent[peer] = peers.timed(play, X, y)
            found[peer] = error(sides(p) if kind == "two" else p, y)
        yield name, found, spent, len(y)


def ours(key: str) -> Callable[[Any, Any], Any]:
    def play(X: Any, y: Any) -> Any:
        return ls.play(key, X, y, certify=False, record="all").predictions

    return play


def beside(kind: str, X: Any, y: Any) -> peers.Peers:
    if kind == "numbers":
        return peers.for_numbers()
    return peers.for_two(X) if kind == "two" else peers.for_several(int(y.max()) + 1)


KINDS = {"two": two_classes, "several": several_classes, "numbers": numbers}
FRESH = {
    "two": fresh_streams.two_classes,
    "several": fresh_streams.several_classes,
    "numbers": fresh_streams.numbers,
}


def measure(quick: bool) -> Iterator[Figure]:
    if not DATA.is_dir():
        raise FileNotFoundError(f"no folder {DATA}")
    yield trained_once()
    for kind, streams in KINDS.items():
        for name, found, _, rounds in compare(kind, streams(), QUICK if quick else None):
            mine = found.pop(OURS)
            found.pop(CURVES)
            best = min(found, key=lambda k: found[k] if found[k] == found[k] else np.inf)
            unit = "of the deviation" if kind == "numbers" else "error"
            target, on = (TARGETS[name], "quantity") if name in TARGETS else (CLOSE, "ratio")
            asked = None if quick or rounds < ENOUGH else target
            yield Figure(name, mine, unit, best, found[best], asked, on)


def trained_once() -> Figure:
    """One pass over a1a, then a1a.t with what was learned; batch logistic regression with the C that tests best."""
    errors = once()
    best = min(v for k, v in errors.items() if k.startswith("batch"))
    return Figure("a1a, then a1a.t", errors[OURS], "error", "batch LR", best, 0.16)


def once(alone: bool = False) -> dict[str, float]:
    from sklearn.linear_model import LogisticRegression

    (X, y), test = adult("a1a"), adult("a1a.t")
    learner = ls.play("online-linear", X, y, certify=False).learner
    found = {OURS: wrong(learner.frozen()(test[0]), test[1])}
    if alone:
        return found
    for k, v in peers.FLAVOURS.items():
        play: Any = peers.wabbit(["--loss_function", "logistic", *v])
        found[k] = wrong(sides(play(X, y, test=test)), test[1])
    sgd: Any = peers.sgd(False)
    found["SGD"] = wrong(sgd(X, y, test=test), test[1])
    for C in (0.03, 0.1, 0.3, 1.0, 3.0):
        model = LogisticRegression(C=C, max_iter=1000).fit(X, y)
        found[f"batch LR, C={C:g}"] = wrong(model.predict(test[0]), test[1])
    return found


def once_table(alone: bool) -> Iterator[str]:
    try:
        found = once(alone)
    except FileNotFoundError as problem:
        print(f"a1a, then a1a.t: left out: {problem}", file=sys.stderr)
        return
    yield "| a1a, then a1a.t | error |\n| --- | --- |"
    yield from (f"| {k} | {v:.4f} |" for k, v in found.items())


def tables(fresh: bool, alone: bool) -> Iterator[str]:
    if not fresh:
        yield from once_table(alone)
    for kind, streams in (FRESH if fresh else KINDS).items():
        head: list[str] = []
        for name, found, spent, rounds in compare(kind, streams(), None, alone):
            columns = [k for k in found if "raw" not in k]
            for k in [k for k in found if "raw" in k]:  # the better of scaled and raw
                whole = k.removesuffix(", raw")
                if found[k] < found[whole]:
                    found[whole], spent[whole] = found[k], spent[k]
            if not head:
                head = columns
                yield (
                    f"\n| stream | rounds | {' | '.join(head)} |\n| --- "
                    + "| ---: " * (len(head) + 1)
                    + "|"
                )
            best = min(found[k] for k in head if found[k] == found[k])
            cells = [cell(found[k], best, 1e6 * spent[k] / rounds) for k in head]
            yield f"| {name} | {rounds:,} | {' | '.join(cells)} |"


def cell(error: float, best: float, us: float) -> str:
    """An error and microseconds a row; the best is bold.

    >>> cell(0.25, 0.25, 3.14), cell(0.3, 0.25, 120.0), cell(float("nan"), 0.25, float("nan"))
    ('**0.2500** (3.1 us)', '0.3 (120 us)', '-')
    """
    if error != error:
        return "-"
    shown = f"**{error:.4f}**" if error == best else f"{error:.4g}"
    return f"{shown} ({curves.time_of(us)})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy")
    parser.add_argument("words", nargs="*", choices=("fresh", "ours", []), metavar="fresh | ours")
    words = parser.parse_args().words
    for line in tables("fresh" in words, "ours" in words):
        print(line, flush=True)
    if not words:
        print()
        curves.main([])


if __name__ == "__main__":
    main()
