"""Files, end to end: VW text against `vw`, libsvm text against scikit-learn, a CSV against River.

Wall time, as a user waits, the best of several runs taken in turns: `vw` parses on one thread and learns on another,
and so does Littlestone.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from river import linear_model, preprocessing
from sklearn.datasets import load_svmlight_file

import littlestone as ls
from littlestone.streams.open import open_stream
from littlestone.streams.options import ReadOptions

from .clock import ROOT
from .figure import Figure

DATA = ROOT.parent / "shared" / "data"
VW = [sys.executable, "-m", "vowpalwabbit"]
QUIET: dict[str, Any] = {"certify": False, "record": "none"}


def measure(quick: bool) -> Iterator[Figure]:
    rows, times = (10_000, 3) if quick else (100_000, 5)
    with tempfile.TemporaryDirectory(prefix="littlestone-bench-") as folder:
        yield from vw_text(Path(folder), rows, times)
        yield from libsvm(Path(folder), rows, times)
    yield from electricity(times)


def turns(entries: Mapping[str, Callable[[], Any]], times: int) -> dict[str, float]:
    """The least wall time of each, in turns."""
    best = dict.fromkeys(entries, float("inf"))
    for _ in range(times):
        for name, run in entries.items():
            began = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def vw_text(folder: Path, rows: int, times: int) -> Iterator[Figure]:
    rng = np.random.default_rng(1)
    files = {
        "dense, 100 features": dense_text(folder / "dense.vw", rng, rows),
        "sparse, 30 tokens": sparse_text(folder / "sparse.vw", rng, 3 * rows),
    }
    made = ls.learner("normalized-adaptive", intercept=True)
    for name, path in files.items():
        run = ls.play(made, path, **QUIET)  # compiles, too
        theirs = vw(path)
        best = turns(
            {
                "ours": lambda path=path: ls.play(made, path, **QUIET),
                "vw": lambda path=path: vw(path),
            },
            times,
        )
        size = path.stat().st_size
        title = f"VW text, {name}, {size / 1e6:.0f} MB, end to end"
        start = vw_start(folder)
        yield Figure(title, best["ours"], "s", "vw --loss_function logistic, less its start", best["vw"] - start,
                     2.0, "faster", note=f"vw takes {start:.2f} s to start, which is not counted")  # fmt: skip
        yield Figure(
            f"{title}: progressive log loss", run.mean_loss, "nats", "vw", theirs, 1.0, "ratio"
        )


def vw(path: Path, *more: str) -> float:
    """Run vw; its average loss."""
    words = [*VW, "-d", str(path), "--loss_function", "logistic", "-b", "18", "--no_stdin", *more]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=True)
    line = next(v for v in (done.stderr + done.stdout).splitlines() if v.startswith("average loss"))
    return float(line.split("=")[1].split()[0])


def vw_start(folder: Path) -> float:
    """How long vw takes for one example: the interpreter around it, mostly."""
    path = folder / "one.vw"
    path.write_text("1 | a\n", encoding="utf-8")
    return turns({"vw": lambda: vw(path)}, 3)["vw"]


def dense_text(path: Path, rng: Any, rows: int) -> Path:
    w = rng.normal(size=100)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(rows // 1000):
            X = rng.normal(size=(1000, 100))
            y = np.where(X @ w + 5 * rng.normal(size=1000) > 0, 1, -1)
            for x, label in zip(X.tolist(), y.tolist(), strict=True):
                out.write(f"{label} | " + " ".join(f"f{i}:{v:.5f}" for i, v in enumerate(x)) + "\n")
    return path


def sparse_text(path: Path, rng: Any, rows: int) -> Path:
    w = rng.normal(size=20_000)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(rows // 1000):
            tokens = (20_000 * rng.random((1000, 30)) ** 3).astype(int)
            y = np.where(w[tokens].sum(axis=1) + 5 * rng.normal(size=1000) > 0, 1, -1)
            for row, label in zip(tokens.tolist(), y.tolist(), strict=True):
                out.write(f"{label} |t " + " ".join(f"w{i}" for i in row) + "\n")
    return path


def libsvm(folder: Path, rows: int, times: int) -> Iterator[Figure]:
    path, rng = folder / "train.libsvm", np.random.default_rng(2)
    with path.open("w", encoding="utf-8") as out:
        for _ in range(rows // 1000):
            index = np.sort(rng.integers(1, 50_000, size=(1000, 40)), axis=1)
            value = rng.normal(size=index.shape)
            y = rng.choice((-1, 1), size=1000)
            for i, v, label in zip(index.tolist(), value.tolist(), y.tolist(), strict=True):
                pairs = dict(zip(i, v, strict=True))
                out.write(
                    f"{label:+d} " + " ".join(f"{a}:{b:.6g}" for a, b in pairs.items()) + "\n"
                )

    def ours() -> int:
        return sum(
            len(b.y)
            for b in open_stream(str(path), None, ReadOptions(examples=True, labels="grow")).batches
        )

    if ours() != len(load_svmlight_file(str(path))[1]):
        raise AssertionError("not the same number of rows")
    best = turns({"ours": ours, "sk": lambda: load_svmlight_file(str(path))}, times)
    yield Figure(f"libsvm file to rows, {path.stat().st_size / 1e6:.0f} MB", best["ours"], "s",
                 "load_svmlight_file", best["sk"], 10.0, "faster")  # fmt: skip


def electricity(times: int) -> Iterator[Figure]:
    path = DATA / "electricity.csv"
    if not path.exists():
        raise FileNotFoundError(
            f"{path.name} is not in {DATA.parent.name}/{DATA.name} beside the project"
        )
    run = ls.play("online-linear", path, **QUIET)

    def river() -> None:
        model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
        with path.open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                label = int(row.pop("class"))
                x = {k: float(v) for k, v in row.items()}
                model.predict_one(x)
                model.learn_one(x, label)

    best = turns({"ours": lambda: ls.play("online-linear", path, **QUIET), "river": river}, times)
    yield Figure("electricity.csv, online-linear, test then train", best["ours"], "s",
                 "River, scaler and logistic regression", best["river"], 20.0, "faster")  # fmt: skip
    yield Figure("electricity.csv, online-linear: errors", 1.0 - run.accuracy, "", "River PA .909, VW --freegrad .894",
                 float("nan"), 0.08)  # fmt: skip


os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
