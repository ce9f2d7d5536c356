"""Streams of examples on which learners are compared: real ones, bundled ones, and made ones with known drift.

Each is (X, y) in the order in which it is played; X is dense or CSR. Nothing is scaled or shuffled, except that the
batch data sets of scikit-learn are put in a random order, for they are sorted by class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from .clock import ROOT

DATA = ROOT.parent / "shared" / "data"  # beside the project, not in it
Stream = tuple[Any, Any]
ROWS = 10_000


def electricity() -> Stream:
    """Elec2, in time order: will the price of the half hour be above its mean of the last day?"""
    table = np.loadtxt(DATA / "electricity.csv", delimiter=",", skiprows=1)
    return table[:, :-1].copy(), np.where(table[:, -1] > 0, 1, -1)


def adult(name: str) -> Stream:
    """UCI Adult as 0/1 features, in libsvm format."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(DATA / name), n_features=124)
    return X.tocsr(), np.where(y > 0, 1, -1)


def reuters() -> Stream:
    """A sample of RCV1 in Vowpal Wabbit's format: |f index:value …"""
    indptr, index, value, y = [0], [], [], []
    for line in (DATA / "rcv1_small.vw").read_text(encoding="utf-8").splitlines():
        label, _, rest = line.partition("|")
        y.append(1 if float(label.split()[0]) > 0 else -1)
        for token in rest.split()[1:]:
            name, _, number = token.partition(":")
            index.append(int(name))
            value.append(float(number or 1))
        indptr.append(len(index))
    return sparse.csr_matrix((value, index, indptr)), np.array(y)


def prices(market: str) -> tuple[Any, Any, Any]:
    """Hourly prices, the hour of the day, and eight forecasts."""
    import pandas as pd

    table = pd.read_csv(DATA / f"Forecasts_{market}_DNN_LEAR_ensembles.csv", index_col=0)
    hour = pd.to_datetime(table.index).hour.to_numpy(float)
    names = [c for c in table.columns if c != "Real price" and "Ensemble" not in c]
    return table["Real price"].to_numpy(), hour, table[names].to_numpy()


def next_hour(market: str, above: bool) -> Stream:
    """Will the next price be above the last one, or above the mean of the last day? From prices and the hour."""
    p, hour, _ = prices(market)
    t = np.arange(168, len(p) - 1)
    angle = 2 * np.pi * hour[t + 1] / 24
    X = np.column_stack([np.sin(angle), np.cos(angle), p[t], p[t - 1], p[t - 23], p[t - 167]])
    day = np.convolve(p, np.ones(24) / 24)[: len(p)]
    return X, np.where(p[t + 1] > (day[t] if above else p[t]), 1, -1)


# Made streams.


def separated(
    rows: int, d: int, *, noise: float = 0.0, flip: float = 0.0, offset: float = 0.0, scale: float = 0.0
) -> Stream:  # fmt: skip
    """A fixed direction; noise on the score, labels flipped, features moved and scaled by up to 10^scale."""
    r = np.random.default_rng(1)
    w, X = r.normal(size=d), r.normal(size=(rows, d))
    score = X @ w + np.linalg.norm(w) * (0.3 + noise * r.normal(size=rows))
    y = np.where(score > 0, 1, -1) * np.where(r.random(rows) < flip, -1, 1)
    return (X + offset * r.normal(size=d)) * 10.0 ** np.linspace(-scale, scale, d), y


def tokens(rows: int = 5000, words: int = 20_000, length: int = 30) -> Stream:
    """Bags of words with Zipf's frequencies."""
    r = np.random.default_rng(2)
    p = 1 / np.arange(1, words + 1)
    bags = [np.unique(r.choice(words, length, p=p / p.sum())) for _ in range(rows)]
    indptr = np.cumsum([0] + [len(b) for b in bags])
    X = sparse.csr_matrix((np.ones(indptr[-1]), np.concatenate(bags), indptr), (rows, words))
    w = r.normal(size=words) * r.binomial(1, 0.3, words)
    return X, np.where(X @ w + 0.5 * r.normal(size=rows) > 0, 1, -1)


def drifting(kind: str, rows: int = ROWS, d: int = 10) -> Stream:
    """A direction that rotates, changes five times at once, or keeps while the intercept wanders."""
    r = np.random.default_rng(3)
    X, t = r.normal(size=(rows, d)), np.arange(rows)
    if kind == "rotating":
        plane = np.linalg.qr(r.normal(size=(d, 2)))[0]
        angle = 6 * np.pi * t / rows
        W = np.cos(angle)[:, None] * plane[:, 0] + np.sin(angle)[:, None] * plane[:, 1]
        flip = np.where(r.random(rows) < 0.05, -1, 1)
        return X, np.where((X * W).sum(axis=1) > 0, 1, -1) * flip
    if kind == "changing":
        W = r.normal(size=(5, d))[t * 5 // rows]
        return X, np.where((X * W).sum(axis=1) + 0.2 * r.normal(size=rows) > 0, 1, -1)
    w = r.normal(size=d)
    wander = 0.02 * np.cumsum(r.normal(size=rows))
    return X, np.where(X @ w / np.linalg.norm(w) + wander - wander.mean() > 0, 1, -1)


def sticky(rows: int = ROWS) -> Stream:
    """Labels that repeat nine times in ten; features that say nothing."""
    r = np.random.default_rng(4)
    turns = np.cumsum(r.random(rows) < 0.1)
    return r.normal(size=(rows, 5)), np.where(turns % 2, 1, -1)


def heavy(rows: int = 5000, d: int = 10) -> Stream:
    """Features without a variance (Student's t with two degrees of freedom)."""
    r = np.random.default_rng(5)
    X, w = r.standard_t(2, size=(rows, d)), r.normal(size=d)
    return X, np.where(X @ w + r.normal(size=rows) > 0, 1, -1)


def extreme(at: int) -> Stream:
    """One row of 10^12."""
    X, y = separated(5000, 20, noise=0.3)
    X[at] = 1e12
    return X, y


def ordered(load: Callable[..., Any], target: Callable[[Any], Any] = lambda y: y) -> Stream:
    """A data set of scikit-learn, in a random order."""
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return np.ascontiguousarray(X[order], float), target(y)[order]


def river(stream: Iterable[Any], rows: int = ROWS) -> Stream:
    """A data set or generator of River; dates become days and months, text is left out."""
    X, Y = [], []
    for k, (x, y) in enumerate(stream):
        if k == rows:
            break
        numbers: list[float] = []
        for v in x.values():
            if hasattr(v, "toordinal"):
                numbers += [v.toordinal(), v.month]
            elif not isinstance(v, str):
                numbers.append(float(v))
        X.append(numbers)
        Y.append(y)
    return np.array(X, float), np.array(Y)


def signs(stream: Stream) -> Stream:
    return stream[0], np.where(stream[1] > 0, 1, -1)


def codes(stream: Stream) -> Stream:
    return stream[0], np.unique(stream[1], return_inverse=True)[1]


def two_classes() -> dict[str, Callable[[], Stream]]:
    datasets, synth = import_module("river.datasets"), import_module("river.datasets.synth")
    from sklearn import datasets as bundled

    def odd(y: Any) -> Any:
        return np.where(y % 2, 1, -1)

    def sea() -> Any:
        one, two = (synth.SEA(variant=v, seed=1, noise=0.1) for v in (0, 2))
        return synth.ConceptDriftStream(one, two, position=5000, width=100, seed=1)

    def hyperplane() -> Any:
        drift = {"n_drift_features": 5, "mag_change": 0.01}
        return synth.Hyperplane(seed=1, n_features=10, noise_percentage=0.05, **drift)

    return {
        "electricity": electricity,
        "a1a": lambda: adult("a1a"),
        "rcv1": reuters,
        "NP price up": lambda: next_hour("NP", False),
        "NP above mean": lambda: next_hour("NP", True),
        "DE price up": lambda: next_hour("DE", False),
        "DE above mean": lambda: next_hour("DE", True),
        "Phishing": lambda: signs(river(datasets.Phishing())),
        "Bananas": lambda: signs(river(datasets.Bananas())),
        "breast cancer": lambda: ordered(bundled.load_breast_cancer, lambda y: 2 * y - 1),
        "digits, odd": lambda: ordered(bundled.load_digits, odd),
        "dense, 20": lambda: separated(5000, 20, noise=0.3),
        "dense, 100": lambda: separated(5000, 100, noise=0.1),
        "the same, 1e-6 … 1e6": lambda: separated(5000, 20, noise=0.3, scale=6),
        "the same, offsets": lambda: separated(5000, 20, noise=0.3, offset=10),
        "first row 1e12": lambda: extreme(0),
        "row 1000 1e12": lambda: extreme(1000),
        "20% flipped": lambda: separated(5000, 20, flip=0.2),
        "heavy tails": heavy,
        "Zipf tokens": tokens,
        "rotating": lambda: drifting("rotating"),
        "changing": lambda: drifting("changing"),
        "wandering": lambda: drifting("wandering"),
        "sticky labels": sticky,
        "SEA": lambda: signs(river(sea())),
        "Hyperplane": lambda: signs(river(hyperplane())),
        "Agrawal": lambda: signs(river(synth.Agrawal(classification_function=6, seed=1))),
    }


def several_classes() -> dict[str, Callable[[], Stream]]:
    datasets, synth = import_module("river.datasets"), import_module("river.datasets.synth")
    from sklearn import datasets as bundled

    def drift() -> Any:
        centres = {"n_centroids": 20, "n_drift_centroids": 10, "change_speed": 0.001}
        return synth.RandomRBFDrift(
            seed_model=1, seed_sample=2, n_classes=4, n_features=10, **centres
        )

    return {
        "digits": lambda: ordered(bundled.load_digits),
        "wine": lambda: ordered(bundled.load_wine),
        "iris": lambda: ordered(bundled.load_iris),
        "ImageSegments": lambda: codes(river(datasets.ImageSegments())),
        "LED": lambda: codes(river(synth.LED(seed=1, noise_percentage=0.1), 5000)),
        "Waveform": lambda: codes(river(synth.Waveform(seed=1, has_noise=True), 5000)),
        "RBF drift": lambda: codes(river(drift(), 5000)),
    }


def numbers() -> dict[str, Callable[[], Stream]]:
    datasets, synth = import_module("river.datasets"), import_module("river.datasets.synth")
    from sklearn import datasets as bundled

    def lagged(market: str) -> Stream:
        p, _, _ = prices(market)
        t = np.arange(168, 168 + ROWS)
        return np.column_stack([p[t - 1], p[t - 2], p[t - 24], p[t - 168]]), p[t]

    def forecast(market: str) -> Stream:
        p, _, experts = prices(market)
        return experts[:ROWS], p[:ROWS]

    def line(drift: float = 0.0, units: float = 1.0, spoiled: bool = False) -> Stream:
        r = np.random.default_rng(6)
        X, w = r.normal(size=(5000, 20)), r.normal(size=20)
        W = w + drift * np.cumsum(r.normal(size=(5000, 20)), axis=0)
        y = units * ((X * W).sum(axis=1) + r.normal(size=5000) + (10 if units > 1 else 0))
        if spoiled:
            y[1000] = 1e12
        return X * units ** np.linspace(-1, 1, 20), y

    return {
        "diabetes": lambda: ordered(bundled.load_diabetes),
        "ChickWeights": lambda: river(datasets.ChickWeights()),
        "TrumpApproval": lambda: river(datasets.TrumpApproval()),
        "AirlinePassengers": lambda: river(datasets.AirlinePassengers()),
        "Friedman": lambda: river(synth.Friedman(seed=1), 5000),
        "Planes2D": lambda: river(synth.Planes2D(seed=1), 5000),
        "NP price, from lags": lambda: lagged("NP"),
        "DE price, from lags": lambda: lagged("DE"),
        "NP price, from forecasts": lambda: forecast("NP"),
        "DE price, from forecasts": lambda: forecast("DE"),
        "line": line,
        "line, 1e-6 … 1e6": lambda: line(units=1e6),
        "line, drifting": lambda: line(drift=0.02),
        "line, one outcome 1e12": lambda: line(spoiled=True),
    }
