"""What others make of a stream: River, Vowpal Wabbit and scikit-learn, each with the defaults of its makers.

Every prediction is made before its outcome is shown. River's models follow its StandardScaler, as its documentation
advises (on sparse streams without it too: there the scaler does harm); scikit-learn's SGD has a running StandardScaler,
or none; Vowpal Wabbit scales by itself.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

Peers = dict[str, Callable[[Any, Any], Any]]  # (X, y) -> predictions
FLAVOURS = {"VW": [], "VW --coin": ["--coin"], "VW --freegrad": ["--freegrad"]}


def dicts(X: Any) -> Iterator[dict[int, float]]:
    if not isinstance(X, np.ndarray):
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
    else:
        for row in X.tolist():
            yield dict(enumerate(row))


def river(make: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    def play(X: Any, y: Any) -> Any:
        model, found = make(), []
        for x, label in zip(dicts(X), y.tolist(), strict=True):
            p = model.predict_one(x)
            found.append(y[0] if p is None else p)
            model.learn_one(x, label)
        return np.array(found, float)

    return play


def wabbit(options: list[str], classes: int = 0) -> Callable[[Any, Any], Any]:
    def play(X: Any, y: Any, test: Any = None) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder, "train"), X, y + 1 if classes else y)
            more = ["--oaa", str(classes)] if classes else []
            if test is None:
                p = vw(folder, "train", [*options, *more])
            else:
                vw(folder, "train", [*options, *more, "-f", "model"])
                write(Path(folder, "test"), *test)
                p = vw(folder, "test", ["-t", "-i", "model"])
        return p - 1 if classes else p

    return play


def vw(folder: str, file: str, options: list[str]) -> Any:
    command = [sys.executable, "-m", "vowpalwabbit", "--quiet", "-b", "20", "-d", file, "-p", "p"]
    if "-i" in options:
        del command[4:6]
    subprocess.run([*command, *options], cwd=folder, check=True, capture_output=True)
    return np.array(
        [
            float(line.split()[0])
            for line in Path(folder, "p").read_text(encoding="utf-8").splitlines()
        ]
    )


def write(path: Path, X: Any, y: Any) -> None:
    with path.open("w", encoding="utf-8") as file:
        for x, label in zip(dicts(X), y.tolist(), strict=True):
            file.write(f"{label!r} | " + " ".join(f"f{k}:{v!r}" for k, v in x.items()) + "\n")


def sgd(scaled: bool, numbers: bool = False) -> Callable[[Any, Any], Any]:
    def play(X: Any, y: Any, test: Any = None) -> Any:
        from sklearn.linear_model import SGDClassifier, SGDRegressor
        from sklearn.preprocessing import StandardScaler

        model = (
            SGDRegressor(random_state=0)
            if numbers
            else SGDClassifier(loss="log_loss", random_state=0)
        )
        scaler, found = (
            StandardScaler(with_mean=not sparse.issparse(X)),
            np.full(len(y), float(y[0])),
        )
        more = {} if numbers else {"classes": np.unique(y)}
        for t in range(len(y)):
            x = X[t : t + 1]
            if scaled:
                x = scaler.partial_fit(x).transform(x)
            if t and test is None:
                found[t] = model.predict(x)[0]
            model.partial_fit(x, y[t : t + 1], **more)
        if test is None:
            return found
        return model.predict(scaler.transform(test[0]) if scaled else test[0])

    return play


def for_two(X: Any) -> Peers:
    lm, pp = import_module("river.linear_model"), import_module("river.preprocessing")

    made: Peers = {
        "River LR": river(lambda: pp.StandardScaler() | lm.LogisticRegression()),
        "River PA": river(lambda: pp.StandardScaler() | lm.PAClassifier()),
        "River ALMA": river(lambda: pp.StandardScaler() | lm.ALMAClassifier()),
    }
    if sparse.issparse(X):
        made |= {
            "River LR, raw": river(lm.LogisticRegression),
            "River PA, raw": river(lm.PAClassifier),
            "River ALMA, raw": river(lm.ALMAClassifier),
        }
    made |= {k: wabbit(["--loss_function", "logistic", *v]) for k, v in FLAVOURS.items()}
    return made | {"SGD": sgd(False), "SGD, scaled": sgd(True)}


def for_several(classes: int) -> Peers:
    lm, pp = import_module("river.linear_model"), import_module("river.preprocessing")
    rest = import_module("river.multiclass").OneVsRestClassifier
    made: Peers = {
        "River softmax": river(lambda: pp.StandardScaler() | lm.SoftmaxRegression()),
        "River OVR LR": river(lambda: pp.StandardScaler() | rest(lm.LogisticRegression())),
        "River OVR PA": river(lambda: pp.StandardScaler() | rest(lm.PAClassifier())),
    }
    made |= {k: wabbit(["--loss_function", "logistic", *v], classes) for k, v in FLAVOURS.items()}
    return made | {"SGD, scaled": sgd(True)}


def for_numbers() -> Peers:
    lm, pp = import_module("river.linear_model"), import_module("river.preprocessing")

    target = pp.TargetStandardScaler
    made: Peers = {
        "River LR": river(lambda: pp.StandardScaler() | lm.LinearRegression()),
        "River LR, y scaled": river(lambda: pp.StandardScaler() | target(lm.LinearRegression())),
        "River PA": river(lambda: pp.StandardScaler() | lm.PARegressor()),
        "River Bayes": river(lambda: pp.StandardScaler() | lm.BayesianLinearRegression()),
    }
    made |= {k: wabbit(v) for k, v in FLAVOURS.items()}
    return made | {"SGD, scaled": sgd(True, numbers=True)}


def timed(play: Callable[[Any, Any], Any], X: Any, y: Any) -> tuple[Any, float]:
    """Predictions, and CPU seconds: of the process that was started, with its start, or else of this one."""
    before, own = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    p = played(play, X, y)
    own, after = time.process_time() - own, resource.getrusage(resource.RUSAGE_CHILDREN)
    child = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return p, child if child > 0.0 else own


def played(peer: Callable[[Any, Any], Any], X: Any, y: Any) -> Any:
    """Predictions; NaN where a peer breaks down."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return peer(X, y)
        except (OverflowError, ValueError, ZeroDivisionError, subprocess.CalledProcessError):
            return np.full(len(y), np.nan)
