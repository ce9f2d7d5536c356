"""Claims, plans, kernels of strings, boosting, leave-one-out, pruning, dimensions of classes.

Against strkernels (C), where it is installed, and scikit-learn:

    python -m benchmarks.supervised [--quick]

strkernels sums subsequences, or substrings, of 1, …, p letters: `blended` here. Its values and ours agree to 1e-12, and
are compared before anything is timed. It is no requirement of this project: `pip install strkernels` for its rows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.stats import binom
from sklearn.datasets import load_diabetes, make_hastie_10_2
from sklearn.ensemble import AdaBoostClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from littlestone import AdaBoost, KernelRidgeLOO, plan, pruning_path
from littlestone.core.intervals import at_most
from littlestone.kernels import (
    Anova,
    BlendedSpectrum,
    GapWeighted,
    Mismatch,
    Spectrum,
    gram,
    newton_anova,
)
from littlestone.supervised.suspicion import shared_rows

from .clock import race
from .figure import Figure
from .shattering import CLASSES

MISSING = "strkernels is not installed, so its rows are skipped: pip install strkernels"


def measure(quick: bool) -> Iterator[Figure]:
    n, seconds = (60, 1.0) if quick else (150, 6.0)
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ACGT"), 100)) for _ in range(n)]
    pairs = n * (n + 1) / 2
    yield from claims()
    yield from against_c(words, pairs, seconds)
    yield from against_counts(words, pairs, seconds)
    yield from boosting(seconds)
    yield from leave_one_out(quick)
    yield from pruning(seconds)
    yield from power_sums(seconds)
    yield from dimensions()


def claims() -> Iterator[Figure]:
    """How often exact limits fail, by computation; training rows among test rows; rows that claims take."""
    delta = 0.05
    worst = max(failure(m, delta) for m in (1, 2, 5, 10, 50, 200, 1000))
    yield Figure("certify: largest chance that the limit fails, 1 to 1,000 rows", worst, "", "computed, delta = 0.05",
                 math.nan, delta * (1 + 1e-9))  # fmt: skip
    chosen = best_of_coins(50, 1000, delta / 1000)
    yield Figure("certify: the same, best of 1,000 coins, selected_from=1000", chosen, "",
                 f"without selected_from: {best_of_coins(50, 1000, delta):.4f}", math.nan, delta)  # fmt: skip
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(100_000, 20)), rng.normal(size=(30_000, 20))
    test[::3000] = train[:10]
    if shared_rows(test, train).tolist() != list(range(0, 30_000, 3000)):
        raise AssertionError("the ten training rows among the test rows were not found")
    best = race({"ours": lambda: shared_rows(test, train)}, 0.5)
    yield Figure(
        "certify: 10 training rows among 30,000 of 100,000", best["ours"], "s", "", math.nan, 1.0
    )
    for claim, expect, rows in ((0.05, 0.0, 59), (0.01, 0.0, 299), (0.05, 0.03, 832)):
        found = plan(claim, expect)
        yield Figure(f"plan: rows to claim {claim:g}, expecting {expect:g}", found.rows, "",
                     "Hoeffding", found.hoeffding, rows, note=f"any number from {found.every:,}")  # fmt: skip


def failure(m: int, share: float) -> float:
    """The largest chance, over a grid of errors and just above each limit, that the limit at `share` is too small."""
    limits = np.array([at_most(k, m, share) for k in range(m + 1)])
    p = np.concatenate([limits * (1 - 1e-12), limits, np.linspace(0.0, 1.0, 101)]).clip(0.0, 1.0)
    return float(binom.cdf(np.searchsorted(limits, p, side="left") - 1, m, p).max())


def best_of_coins(m: int, coins: int, share: float) -> float:
    """The chance that the limit of the best of so many fair coins is below 1/2, exactly."""
    most = max((k for k in range(m + 1) if at_most(k, m, share) < 0.5), default=-1)
    return float(-np.expm1(coins * np.log1p(-binom.cdf(most, m, 0.5))))


def dimensions() -> Iterator[Figure]:
    """The VC dimension of a random class and Littlestone's dimension of intervals; the first call compiles."""
    for name, dimension, H, limit in CLASSES:
        best = race({"ours": lambda d=dimension, H=H: d(H)}, 0.0, 1)
        yield Figure(name, best["ours"], "s", f"found: {int(dimension(H))}", math.nan, limit)


def power_sums(seconds: float) -> Iterator[Figure]:
    """The ANOVA kernel of degree 3 by matrix products, and feature by feature."""
    X = np.random.default_rng(0).normal(size=(500, 200)) / 15.0
    np.testing.assert_allclose(newton_anova(X, degree=3), gram(Anova(3), X), atol=1e-9)
    best = race(
        {"ours": lambda: newton_anova(X, degree=3), "theirs": lambda: gram(Anova(3), X)},
        seconds / 6,
    )
    yield Figure("ANOVA kernel, degree 3, 500 x 200, power sums", best["ours"], "s",
                 "Anova(3), feature by feature", best["theirs"], 2.0, "faster")  # fmt: skip


def pruning(seconds: float) -> Iterator[Figure]:
    """The path of a grown tree; scikit-learn grows the tree again for its own."""
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(min_samples_split=6, random_state=0).fit(X, y)
    theirs = tree.cost_complexity_pruning_path(X, y).ccp_alphas * len(y)
    for lam in pruning_path(tree).lambdas:
        np.testing.assert_allclose(np.abs(theirs - lam).min(), 0.0, atol=1e-12 * theirs[-1])
    best = race({"ours": lambda: pruning_path(tree),
                 "theirs": lambda: tree.cost_complexity_pruning_path(X, y)}, seconds / 6)  # fmt: skip
    yield Figure("weakest links of a tree with 153 leaves", best["ours"], "s",
                 "cost_complexity_pruning_path", best["theirs"])  # fmt: skip


def leave_one_out(quick: bool) -> Iterator[Figure]:
    """50 lambdas of kernel ridge: one eigendecomposition against 5 fits for each."""
    rng = np.random.default_rng(0)
    X, y = load_diabetes(return_X_y=True)
    X, y = X / X.std(axis=0), y - y.mean()
    wide = rng.normal(size=(2000, 10))
    sets = [(X, y)] if quick else [(X, y), (wide, np.sin(wide).sum(axis=1) + rng.normal(size=2000))]
    for A, b in sets:
        ours = KernelRidgeLOO("gaussian:0.02").fit(A, b)
        theirs = GridSearchCV(KernelRidge(kernel="rbf", gamma=0.02), {"alpha": ours.alphas_}, cv=5)
        best = race({"ours": lambda A=A, b=b, m=ours: m.fit(A, b),
                     "theirs": lambda A=A, b=b, m=theirs: m.fit(A, b)}, 0.0, 3 if len(A) < 1000 else 2)  # fmt: skip
        yield Figure(f"kernel ridge, 50 lambdas, {len(A):,} rows", best["ours"], "s",
                     "5-fold GridSearchCV", best["theirs"], 15.0, "faster")  # fmt: skip


def boosting(seconds: float) -> Iterator[Figure]:
    """400 rounds of AdaBoost; the two choose their stumps differently, so what is compared is the time alone."""
    X, y = make_hastie_10_2(1000, random_state=0)
    ours = AdaBoost(400)
    best = race(
        {
            "ours": lambda: ours.fit(X, y),
            "theirs": lambda: AdaBoostClassifier(n_estimators=400).fit(X, y),
        },
        seconds / 2,
    )
    yield Figure("AdaBoost, exact stumps, 400 rounds of 1,000 x 10", best["ours"], "s",
                 "AdaBoostClassifier", best["theirs"], 20.0, "faster")  # fmt: skip


def against_c(words: list[str], pairs: float, seconds: float) -> Iterator[Figure]:
    ours = {"gap-weighted": GapWeighted(3, 0.5, blended=True), "spectrum": BlendedSpectrum(3)}
    theirs: dict[str, Any] = {}
    try:
        from strkernels import SpectrumStringKernel, SubsequenceStringKernel

        theirs["gap-weighted"] = SubsequenceStringKernel(maxlen=3, ssk_lambda=0.5, normalizer=None)
        theirs["spectrum"] = SpectrumStringKernel(order=3, normalizer=None)
    except ImportError:
        pass
    goals = {"gap-weighted": 4.0, "spectrum": 10.0}
    for name, k in ours.items():
        entries: dict[str, Any] = {"ours": lambda k=k: k.gram(words)}
        K = k.gram(words)
        if theirs:
            np.testing.assert_allclose(K, theirs[name](words, words), rtol=1e-12)
            entries["theirs"] = lambda name=name: theirs[name](words, words)
        best = race(entries, seconds / 2)
        yield Figure(
            f"{name} kernel, 100 letters, up to 3, a pair", best["ours"] / pairs, "s",
            "strkernels" if theirs else "strkernels: not installed", best.get("theirs", math.nan) / pairs,
            goals[name] if theirs else None, "faster", note="" if theirs else MISSING,
        )  # fmt: skip


def against_counts(words: list[str], pairs: float, seconds: float) -> Iterator[Figure]:
    def counts() -> Any:
        C = CountVectorizer(analyzer="char", ngram_range=(5, 5), lowercase=False)
        X = C.fit_transform(words)
        return (X @ X.T).toarray()

    np.testing.assert_array_equal(Spectrum(5).gram(words), counts())
    best = race({"ours": lambda: Spectrum(5).gram(words), "theirs": counts}, seconds / 3)
    yield Figure("spectrum kernel, 100 letters, 5, a pair", best["ours"] / pairs, "s",
                 "CountVectorizer, X @ X.T", best["theirs"] / pairs, 1.0, "faster")  # fmt: skip
    k = Mismatch(5, 1, alphabet=4)
    best = race({"ours": lambda: k.gram(words)}, seconds / 3)
    yield Figure(
        "mismatch kernel (5, 1), 100 letters, a pair", best["ours"] / pairs, "s", "", math.nan
    )


if __name__ == "__main__":
    from .__main__ import main

    sys.exit(main(["supervised", *sys.argv[1:]]))
