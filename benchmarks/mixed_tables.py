"""Tables with numbers and text of few values: online-kernel beside online-linear, River and VW.

    python -m benchmarks.mixed_tables [WORD]…     accuracy and CPU time a row, as Markdown; of tables with a WORD in it

Test, then train, in one pass, everyone with the defaults of its makers and with text as it wants it: River's trees take
it as it is; its k-NN follows OneHotEncoder for text and StandardScaler for numbers; VW hashes "column=text". Tables are
made: Agrawal's functions and STAGGER's concepts (River's generators), whose codes of categories are written as text;
and three of our own, in which categories decide by themselves, or which number counts.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import littlestone as ls

from . import peers
from .curves import time_of

ROWS = 10_000
SEED = 5
AGRAWAL = (0, 2, 3, 4, 6)
OF_AGRAWAL = ("elevel", "car", "zipcode")
OF_STAGGER = ("size", "color", "shape")
WHO = ("online-kernel", "online-linear", "River ARF", "River k-NN", "River Hoeffding", "VW")
Table = tuple[Any, Any]  # a frame, and labels


def tables() -> dict[str, Callable[[], Table]]:
    synth = import_module("river.datasets.synth")
    made: dict[str, Callable[[], Table]] = {}
    for k in AGRAWAL:
        stream = synth.Agrawal(classification_function=k, seed=SEED, perturbation=0.05)
        made[f"Agrawal {k}"] = lambda stream=stream: generated(stream, OF_AGRAWAL)
    for k in range(3):
        stream = synth.STAGGER(classification_function=k, seed=SEED)
        made[f"STAGGER {k}"] = lambda stream=stream: generated(stream, OF_STAGGER)
    return made | {
        "offers": offers,
        "effects of 3 x 5 values": lambda: effects(5),
        "effects of 3 x 40 values": lambda: effects(40),
    }


def generated(stream: Any, text: tuple[str, ...]) -> Table:
    """Rows of a generator; these columns become text."""
    rows = list(stream.take(ROWS))
    frame = pd.DataFrame([x for x, _ in rows])
    for name in text:
        frame[name] = [f"{name[0]}{int(v)}" for v in frame[name]]
    return frame, np.array([int(y) for _, y in rows])


def offers() -> Table:
    """Whom an offer interests: the old in London, the rich in Paris, in Rome the buyers of some kinds; 5% are odd."""
    r = np.random.default_rng(SEED)
    frame = pd.DataFrame(
        {
            "age": r.uniform(18, 80, ROWS),
            "income": r.lognormal(10, 0.5, ROWS),
            "children": r.integers(0, 4, ROWS),
            "city": r.choice(["London", "Paris", "Rome"], ROWS),
            "kind": r.choice(list("abcdefgh"), ROWS),
        }
    )
    likes = np.where(
        frame["city"] == "Paris", frame["income"] > 22_000, frame["kind"].isin(["a", "c", "f"])
    )
    y = np.where(frame["city"] == "London", frame["age"] > 50, likes)
    return frame, (y ^ (r.random(ROWS) < 0.05)).astype(int)


def effects(values: int) -> Table:
    """Every value of three columns, and two numbers, have an effect of their own on the log odds: a linear model."""
    r = np.random.default_rng(SEED)
    columns: dict[str, Any] = {f"number {i}": r.normal(size=ROWS) for i in range(2)}
    score = 0.7 * (columns["number 0"] + columns["number 1"])
    for i in range(3):
        drawn = r.integers(0, values, ROWS)
        score = score + r.normal(size=values)[drawn]
        columns[f"text {i}"] = np.array([f"v{j}" for j in r.permutation(values)])[drawn]
    return pd.DataFrame(columns), (r.random(ROWS) < 1.0 / (1.0 + np.exp(-1.5 * score))).astype(int)


def ours(key: str) -> Callable[[Any, Any], Any]:
    def play(frame: Any, y: Any) -> Any:
        return ls.play(key, frame, y, certify=False, record="all").predictions

    return play


def river(make: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    def play(frame: Any, y: Any) -> Any:
        model, found = make(), []
        for x, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
            p = model.predict_one(x)
            found.append(0 if p is None else p)
            model.learn_one(x, label)
        return np.array(found)

    return play


def neighbours() -> Any:
    near, pp = import_module("river.neighbors"), import_module("river.preprocessing")
    compose = import_module("river.compose")
    numbers = compose.SelectType(float, int) | pp.StandardScaler()
    return (numbers + (compose.SelectType(str) | pp.OneHotEncoder())) | near.KNNClassifier()


def vw(frame: Any, y: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        with Path(folder, "train").open("w", encoding="utf-8") as file:
            for x, label in zip(frame.to_dict("records"), y.tolist(), strict=True):
                words = (
                    f"{k.replace(' ', '_')}={v}" if isinstance(v, str) else f"{k.replace(' ', '_')}:{v!r}"
                    for k, v in x.items()
                )  # fmt: skip
                file.write(f"{2 * label - 1} | {' '.join(words)}\n")
        p = peers.vw(folder, "train", ["--loss_function", "logistic"])
    return (p > 0).astype(int)


def players() -> dict[str, Callable[[Any, Any], Any]]:
    forest, tree = import_module("river.forest"), import_module("river.tree")
    made = (
        ours("online-kernel"),
        ours("online-linear"),
        river(lambda: forest.ARFClassifier(seed=1)),
        river(neighbours),
        river(tree.HoeffdingAdaptiveTreeClassifier),
        vw,
    )
    return dict(zip(WHO, made, strict=True))


def row(name: str, frame: Any, y: Any) -> str:
    """One line: the share of right predictions and, behind it, microseconds a row."""
    found: dict[str, tuple[float, float]] = {}
    for who, play in players().items():
        if who.startswith("online"):
            play(frame[:50], y[:50])  # compiles
        p, spent = peers.timed(play, frame, y)
        found[who] = float(np.mean(p == y)), 1e6 * spent / len(y)
    best = max(right for right, _ in found.values())
    cells = [
        f"{f'**{right:.3f}**' if right == best else f'{right:.3f}'} ({time_of(us)})"
        for right, us in found.values()
    ]
    text = sum(not pd.api.types.is_numeric_dtype(frame[c]) for c in frame)
    return f"| {name} | {frame.shape[1] - text} + {text} | {' | '.join(cells)} |"


def main(words: list[str]) -> None:
    print(f"| table | numbers + text | {' | '.join(WHO)} |")
    print("| --- | --- |" + " --- |" * len(WHO))
    for name, load in tables().items():
        if not words or any(word in name for word in words):
            print(row(name, *load()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
