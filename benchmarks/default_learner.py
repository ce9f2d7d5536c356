"""Should `ls.play("auto")` be the default? The mixture beside the best of its peers, stream by stream.

    python -m benchmarks.default_learner play [--who ours|peers|NAME ...] [--seed N] [--rows N] [--kinds ...]
        [--only WORD ...] -- FILE
    python -m benchmarks.default_learner score FILE ...

`play` adds a line to FILE for each stream and player that has none there yet, so it can be stopped and repeated, and
peers and ours can be played apart. Streams: those of accuracy.py, also the fresh ones (81), or with --seed thirty made
with that seed (further_tables.py); up to N rows of each (1,500). Test, then train, in one pass and in the given order:
the share of wrong predictions, or for numbers the root mean square error over the standard deviation, from the second
row on (some predict nothing before the first); and CPU time (ours without compiling). Peers have the defaults of their
makers: River's adaptive forest, AMF, Hoeffding tree, neighbours and linear models (the last two after its
StandardScaler), and Vowpal Wabbit. Sparse streams, and those of more than 128 columns, are for online-linear, as in
`littlestone run`, beside linear models.

`score` prints for each stream the default, today's default and the best peer; last, how often the default is best,
within 1% of the best, and worse.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from . import fresh_streams, further_tables, peers
from .accuracy import NARROW, far, ours, wrong
from .example_streams import Stream, numbers, several_classes, two_classes

ROWS = 1500
PLAYED_BEFORE = (
    150  # rows: the code is compiled, and scikit-learn imported, before the clock starts
)
AUTO, TODAY, LINEAR = "auto", "today", "online-linear"
OURS = (AUTO, TODAY)
KINDS = ("two", "several", "numbers")
Record = dict[str, Any]


def streams(seed: int | None) -> Iterator[tuple[str, str, Callable[[], Stream]]]:
    """Kind, name, and how it is loaded."""
    if seed is None:
        made = {
            "two": {**two_classes(), **fresh_streams.two_classes()},
            "several": {**several_classes(), **fresh_streams.several_classes()},
            "numbers": {**numbers(), **fresh_streams.numbers()},
        }
    else:
        made = {
            "two": further_tables.two_classes(seed),
            "several": further_tables.several_classes(seed),
            "numbers": further_tables.numbers(seed),
        }
    for kind, found in made.items():
        for name, load in found.items():
            yield kind, name, load


def ours_for(kind: str, narrow: bool) -> peers.Peers:
    more = "-regression" if kind == "numbers" else ""
    if not narrow:
        return {who: ours(LINEAR + more) for who in OURS}
    mixture = "mixture" + more
    return {AUTO: ours(mixture), TODAY: ours("online-kernel" + more)}


def peers_for(kind: str, narrow: bool, classes: int) -> peers.Peers:
    forest, tree = import_module("river.forest"), import_module("river.tree")
    near, pp = import_module("river.neighbors"), import_module("river.preprocessing")
    linear, multi = import_module("river.linear_model"), import_module("river.multiclass")
    made: dict[str, Callable[[], Any]] = {}
    wabbit: Any
    if kind == "numbers":
        made |= {"River linear": lambda: pp.StandardScaler() | linear.LinearRegression()}
        made |= {
            "River ARF": lambda: forest.ARFRegressor(seed=1),
            "River AMF": lambda: forest.AMFRegressor(seed=1),
            "River Hoeffding": tree.HoeffdingTreeRegressor,
            "River k-NN": lambda: pp.StandardScaler() | near.KNNRegressor(),
        }
        wabbit = peers.wabbit([])
    else:
        one: Callable[[], Any] = linear.LogisticRegression
        made |= {"River linear": lambda: pp.StandardScaler() | one()}
        if kind == "several":
            made |= {"River linear": lambda: pp.StandardScaler() | multi.OneVsRestClassifier(one())}
        made |= {
            "River ARF": lambda: forest.ARFClassifier(seed=1),
            "River AMF": lambda: forest.AMFClassifier(n_estimators=10, seed=1),
            "River Hoeffding": tree.HoeffdingTreeClassifier,
            "River k-NN": lambda: pp.StandardScaler() | near.KNNClassifier(),
        }
        wabbit = peers.wabbit(["--loss_function", "logistic"], classes if kind == "several" else 0)
    if not narrow:
        made = {who: make for who, make in made.items() if who == "River linear"}
    found = {who: peers.river(make) for who, make in made.items()}
    found["VW"] = lambda X, y: np.where(wabbit(X, y) > 0, 1, -1) if kind == "two" else wabbit(X, y)
    return found


def play(options: argparse.Namespace) -> None:
    file = Path(options.files[0])
    known = {(one["stream"], one["who"]) for one in read(file)}
    warm = set()
    for kind, name, load in streams(options.seed):
        if kind not in options.kinds or not any(word in name for word in options.only):
            continue
        try:
            X, y = load()
        except FileNotFoundError as problem:
            print(f"{name}: left out: {problem}")
            continue
        X, y = X[: options.rows], y[: options.rows]
        narrow = isinstance(X, np.ndarray) and X.shape[1] <= NARROW
        if narrow:
            X = np.ascontiguousarray(X, float)
        classes = 0 if kind == "numbers" else int(y.max()) + 1
        players = {**ours_for(kind, narrow), **peers_for(kind, narrow, classes)}
        groups = {"ours": OURS, "peers": tuple(who for who in players if who not in OURS)}
        wanted = {one for who in options.who for one in groups.get(who, (who,))}
        for who, run in players.items():
            if who not in wanted or (name, who) in known:
                continue
            if who in OURS and (who, kind, narrow) not in warm:
                warm.add((who, kind, narrow))
                run(X[:PLAYED_BEFORE], y[:PLAYED_BEFORE])
            p, seconds = peers.timed(run, X, y)
            error = (far if kind == "numbers" else wrong)(p[1:], y[1:])
            columns = int(X.shape[1])
            one = {
                "kind": kind, "stream": name, "rows": len(y), "columns": columns, "narrow": narrow, "who": who,
                "error": error, "us": 1e6 * seconds / len(y),
            }  # fmt: skip
            with file.open("a", encoding="utf-8") as out:
                out.write(json.dumps(one) + "\n")
            print(
                f"{name}, {len(y)} x {columns}: {who} {error:.4f} ({one['us']:.0f} us)", flush=True
            )


def read(file: Path) -> list[Record]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def score(files: list[str]) -> None:
    """A line for each stream, and how often the default is best, nearly best, or worse."""
    by_stream: dict[str, dict[str, Record]] = {}
    for file in files:
        for one in read(Path(file)):
            by_stream.setdefault(one["stream"], {})[one["who"]] = one
    whole = {name: found for name, found in by_stream.items() if is_whole(found)}
    if not whole:
        raise SystemExit("no stream was played by both of ours and a peer: play it first")
    print("| stream | rows | auto | today | best peer | | auto / best peer |")
    print("| --- | ---: | ---: | ---: | ---: | --- | ---: |")
    ratios: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    for name, found in whole.items():
        best = best_peer(found)
        ratio = (found[AUTO]["error"] + 1e-9) / (found[best]["error"] + 1e-9)
        for kind in (found[AUTO]["kind"], "all"):
            ratios.setdefault(kind, []).append(ratio)
        for who, one in found.items():
            spent.setdefault(who, []).append(one["us"])
        cells = [f"{found[who]['error']:.4f} ({found[who]['us']:.0f} us)" for who in (*OURS, best)]
        size = f"{found[AUTO]['rows']:,} x {found[AUTO]['columns']}"
        print(f"| {name} | {size} | {' | '.join(cells)} | {best} | {ratio:.3f} |")
    print()
    for kind, some in ratios.items():
        print(f"{kind}: beside the best peer {count(some)}")
    errors = [(found[AUTO]["error"], found[TODAY]["error"]) for found in whole.values()]
    print(f"all: beside today's default {count([(a + 1e-9) / (b + 1e-9) for a, b in errors])}")
    for who, us in spent.items():
        low, middle, high = np.quantile(us, [0, 0.5, 1])
        print(f"{who}: {low:.0f} to {high:.0f} us of CPU a row, median {middle:.0f}")


def is_whole(found: dict[str, Record]) -> bool:
    """Have both of ours played, and a peer?"""
    return set(OURS) <= set(found) and bool(best_peer(found))


def best_peer(found: dict[str, Record]) -> str:
    """Whose error is least; "" where no peer has one."""
    others = [who for who, one in found.items() if who not in OURS and one["error"] == one["error"]]
    return min(others, key=lambda who: found[who]["error"], default="")


def count(ratios: list[float]) -> str:
    r = np.array(ratios)
    wins, ties, losses = (r < 0.99).sum(), (abs(r - 1) <= 0.01).sum(), (r > 1.01).sum()
    middle = np.exp(np.log(np.clip(r, 1e-3, 1e3)).mean())
    share = (wins + ties) / len(r)
    return (
        f"{wins} wins, {ties} within 1%, {losses} losses of {len(r)}: best or within 1% on {share:.1%}; "
        f"geometric mean of errors {middle:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.default_learner")
    parser.add_argument("do", choices=("play", "score"))
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--who", nargs="*", default=["ours", "peers"])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--only", nargs="*", default=[""], help="streams with one of these words")
    options = parser.parse_args()
    if options.do == "score":
        score(options.files)
    else:
        play(options)


if __name__ == "__main__":
    main()
