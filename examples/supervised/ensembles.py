"""Trees, boosting and forests (X10 to X13)."""

from __future__ import annotations

from typing import Any

import numpy as np
from show import BLUE, GREEN, GREY, RED, Show
from sklearn.datasets import load_diabetes, make_hastie_10_2
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import littlestone as ls
from littlestone.supervised.plan import crowd


def hastie(train: int = 1000) -> Any:
    X, y = make_hastie_10_2(4000, random_state=0)
    return X[:train], y[:train], X[1000:], y[1000:]


def cart(show: Show) -> None:
    """A regression tree for diabetes: lambda by 5-fold cross-validation (X10)."""
    X, y = load_diabetes(return_X_y=True)
    show.title("cart", "diabetes: cross-validated mean square error of the tree pruned at lambda")
    noted = {0: 6103, 4137: 5929, 13409: 5233, 23045: 4584, 37361: 4136, 122516: 4036, 764133: 5519}
    tree = DecisionTreeRegressor(min_samples_split=6, random_state=0)
    found = ls.prune(tree, X, y, cv=KFold(5), lambdas=list(noted))
    for lam, error in zip(noted, found.errors, strict=True):
        show.row(f"lambda {lam}", error, noted[lam])
    show.row(
        "largest difference to what was noted", np.abs(found.errors - list(noted.values())).max()
    )
    axes = show.charts()
    if axes is not None:
        whole = ls.prune(tree, X, y, cv=KFold(5))
        keep = whole.lambdas > 0
        axes[0].plot(whole.lambdas[keep], whole.errors[keep], color=BLUE)
        axes[0].axvline(whole.best, color=GREY, ls=":")
        axes[0].set(
            xscale="log", xlabel="lambda", ylabel="square error", title="lambda by cross-validation"
        )
        show.save()


def boosting(show: Show) -> None:
    """AdaBoost with Gini stumps, exact stumps and deeper trees: errors, prod Z, margins (X11)."""
    X, y, at, truth = hastie()
    rounds = show.size((1, 10, 100, 400), (1, 10, 40))
    last, deep = rounds[-1], show.size(600, 20)
    show.title("boosting", "Hastie's ten dimensions, 1,000 rows, 3,000 test rows")
    noted = {"Gini": {1: (0.433, 0.460), 10: (0.282, 0.375), 100: (0.134, 0.209), 400: (0.045, 0.128)},
             "exact": {1: (0.418, 0.452), 10: (0.330, 0.421), 100: (0.130, 0.239), 400: (0.055, 0.174)}}  # fmt: skip
    products = {1: 0.986, 10: 0.925, 100: 0.633, 400: 0.380}
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    gini = AdaBoostClassifier(stump, n_estimators=last, random_state=0).fit(X, y)
    # the numbers noted for exact stumps fit stumps without the two constant ones
    exact = ls.AdaBoost(last, constants=False).fit(X, y)
    every = ls.AdaBoost(last).fit(X, y)
    curves = {}
    for name, model in (("Gini", gini), ("exact", exact), ("exact, with constants", every)):
        train = [np.mean(p != y) for p in model.staged_predict(X)]
        test = [np.mean(p != truth) for p in model.staged_predict(at)]
        curves[name] = train, test
        for t in rounds:
            known = noted.get(name, {}).get(t, (None, None))
            show.row(f"{name}, {t} rounds, training", train[t - 1], known[0])
            show.row(f"{name}, {t} rounds, test", test[t - 1], known[1])
            if hasattr(model, "rounds_"):
                show.row(
                    f"{name}, {t} rounds, prod Z",
                    model.rounds_.bounds[t - 1],
                    products.get(t) if name == "exact" else None,
                )
    trees = ls.AdaBoost(deep, estimator=DecisionTreeClassifier(max_depth=3, random_state=0)).fit(
        X, y
    )
    test = [np.mean(p != truth) for p in trees.staged_predict(at)]
    for t, error, least in ((200, 0.112, 0.026), (600, 0.109, 0.061)):
        if t <= deep:
            show.row(f"depth 3, {t} rounds, test", test[t - 1], error)
            show.row(
                f"depth 3, {t} rounds, least margin", trees.margins(X, y, rounds=t).min(), least
            )
    low = [np.mean(exact.margins(X, y, rounds=t) <= 0.05) for t in rounds]
    show.row("exact, margins <= .05, last but one to last", low[-1] - low[-2])
    axes = show.charts(2)
    if axes is not None:
        for (name, (train, test)), colour in zip(curves.items(), (GREY, BLUE, GREEN), strict=True):
            axes[0].plot(train, "--", color=colour, lw=0.8)
            axes[0].plot(test, color=colour, label=name)
        axes[0].plot(every.rounds_.bounds, "k:", label="prod Z")
        axes[0].set(xlabel="rounds", ylim=(0, 0.55), title="test (training dashed)")
        axes[0].legend(fontsize=7)
        for t, colour in ((10, GREY), (100, BLUE), (deep, RED)):
            margin = np.sort(trees.margins(X, y, rounds=min(t, deep)))
            axes[1].plot(
                margin,
                np.arange(1, len(margin) + 1) / len(margin),
                color=colour,
                label=f"{t} rounds",
            )
        axes[1].set(xlabel="margin", title="margins grow on, trees of depth 3")
        axes[1].legend(fontsize=7)
        show.save()


def forests(show: Show) -> None:
    """A tree, bagging and a forest; how alike the trees are; a crowd whose voters are alike (X12)."""
    X, y, at, truth = hastie()
    seeds, trees = show.size(20, 2), show.size(100, 10)
    show.title("forests", f"Hastie's data, {trees} trees, {seeds} seeds")
    kinds = {"tree": lambda s: DecisionTreeClassifier(random_state=s),
             "bagging": lambda s: BaggingClassifier(DecisionTreeClassifier(), trees, random_state=s),
             "forest": lambda s: RandomForestClassifier(trees, random_state=s)}  # fmt: skip
    noted, alike = {"tree": 0.297, "bagging": 0.173, "forest": 0.161}, {}
    for name, made in kinds.items():
        errors, correlations, distinct = [], [], []
        for s in range(seeds):
            model = made(s).fit(X, y)
            errors.append(1 - model.score(at, truth))
            if hasattr(model, "estimators_"):
                votes = np.array([e.predict(at) for e in model.estimators_[:20]])
                votes = np.sign(votes - votes.mean())  # forests fit codes 0 and 1
                C = np.corrcoef(votes)
                correlations.append((C.sum() - len(C)) / (len(C) ** 2 - len(C)))
            if name == "bagging":
                distinct += [len(np.unique(r)) / 1000 for r in model.estimators_samples_]
        show.row(f"{name}, test", errors, noted[name])
        if correlations:
            alike[name] = show.row(f"{name}, correlation of two trees", correlations).mean
        if distinct:
            show.row("different rows in a bootstrap sample", distinct, 0.632)
    rng, T, many = np.random.default_rng(0), 10, show.size(20_000, 2000)
    show.row("21 independent voters, right .6 of the time", crowd(21, 0.1).exact, 0.174378)
    same = rng.random(many) < 0.6  # with chance 1/2 a voter repeats one common opinion
    own = rng.random((many, 21)) < 0.6
    copied = rng.random((many, 21)) < 0.5
    votes = np.where(copied, same[:, None], own)
    wrong = show.row(
        "21 voters of whom half repeat one", (votes.sum(axis=1) <= T).astype(float)
    ).mean
    axes = show.charts()
    if axes is not None:
        values = [show.value(f"{n}, test") for n in kinds]
        axes[0].bar(list(kinds), values, color=[GREY, BLUE, RED])
        axes[0].set(
            ylabel="test error",
            title=f"correlation of two trees: {alike['bagging']:.2f} bagged, {alike['forest']:.2f} in a forest",
        )
        axes[0].bar(
            ["crowd", "crowd that\nrepeats one"], [crowd(21, 0.1).exact, wrong], color=GREEN
        )
        show.save()


def label_noise(show: Show) -> None:
    """Labels flipped: boosting suffers more than bagging and forests (X13)."""
    seeds, shares, trees = (
        show.size(20, 1),
        show.size((0.0, 0.1, 0.2, 0.3), (0.0, 0.3)),
        show.size(100, 10),
    )
    X, y, at, truth = hastie(show.size(1000, 300))
    show.title(
        "label-noise", f"Hastie's data with labels flipped, {seeds} draws; error on clean test rows"
    )
    three = DecisionTreeClassifier(max_depth=3, random_state=0)
    kinds = {"AdaBoost, depth 3": lambda s: ls.AdaBoost(trees, estimator=three),
             "bagging": lambda s: BaggingClassifier(DecisionTreeClassifier(), trees, random_state=s),
             "forest": lambda s: RandomForestClassifier(trees, random_state=s)}  # fmt: skip
    table: dict[str, list[float]] = {name: [] for name in kinds}
    for share in shares:
        for name, made in kinds.items():
            errors = []
            for s in range(seeds):
                flip = np.random.default_rng(s).random(len(y)) < share
                errors.append(np.mean(made(s).fit(X, np.where(flip, -y, y)).predict(at) != truth))
            table[name].append(show.row(f"{share:.0%} flipped, {name}", errors).mean)
    axes = show.charts()
    if axes is not None:
        for (name, errors), colour in zip(table.items(), (RED, BLUE, GREEN), strict=True):
            axes[0].plot(shares, errors, "o-", color=colour, label=name)
        axes[0].set(xlabel="share of labels that are flipped", ylabel="error on clean rows", ylim=0)
        axes[0].legend()
        show.save()
