"""Statements about fits to a fixed sample: boosting, leave-one-out, pruning, support vectors, finite worlds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.falsify.statement import Statement

from .instances import Sample, designs, samples, seen


def boosted(i: Sample) -> tuple[float, float]:
    """The share of rows with y f(x) <= 0 after five rounds, and prod Z."""
    from littlestone.supervised.adaboost import AdaBoost

    rounds = AdaBoost(5).fit(*i).rounds_
    return (float(rounds.training[-1]), float(rounds.bounds[-1])) if len(rounds) else (0.0, 1.0)


def margins(i: Sample) -> tuple[float, float]:
    """The share of rows with margin theta or less, and its bound, at the theta where they are closest."""
    from littlestone.supervised.adaboost import AdaBoost

    model = AdaBoost(5).fit(*i)
    if not len(model.rounds_):
        return 0.0, 1.0
    theta = np.sort(model.margins(*i))
    share = np.searchsorted(theta, theta, side="right") / len(theta)
    bound = model.rounds_.margin_bound(theta)
    k = int(np.argmax(share / np.maximum(bound, 1e-300)))
    return float(share[k]), float(bound[k])


def stagewise_steps(i: Sample) -> tuple[float, float]:
    """The exponential loss of the stagewise fit, a row, and prod Z of AdaBoost."""
    from littlestone.supervised.adaboost import AdaBoost

    from ..stagewise import stagewise

    rounds = AdaBoost(5).fit(*i).rounds_
    if not len(rounds) or rounds.perfect:
        return 1.0, 1.0
    return float(stagewise(*i, "exponential", 5).losses[-1]) / len(i[1]), float(rounds.bounds[-1])


def stump_patterns(i: Sample) -> tuple[float, float]:
    from littlestone.theory.weak_learning import stumps

    m, n = i[0].shape
    return float(len(stumps(i[0]))), 2.0 * n * (m - 1) + 2.0


def line(m: int) -> Iterator[int]:
    yield m


def alternating(m: int) -> tuple[float, float]:
    """The edge of stumps on m points of a line with alternating labels, by the linear program, and in closed form."""
    from littlestone.theory.weak_learning import stumps, weak_edge

    y = np.where(np.arange(m) % 2, 1, -1)
    return weak_edge(stumps(np.arange(m)), y).edge, 1.0 / (m if m % 2 else m - 1)


def without_a_row(i: tuple[Any, Any, float]) -> tuple[float, float]:
    """What ridge with an intercept misses the first row by: by the formula, and fitted to the others."""
    from sklearn.linear_model import Ridge

    from littlestone.supervised.leave_one_out import leave_one_out

    X, y, lam = i
    fitted = Ridge(lam).fit(X[1:], y[1:])
    return float(leave_one_out(Ridge(lam), X, y).residuals[0]), float(
        y[0] - fitted.predict(X[:1])[0]
    )


def pruned(i: Sample) -> tuple[float, float]:
    """The cost of the path's tree at a lambda between its bends, and the least of all prunings."""
    from sklearn.tree import DecisionTreeClassifier

    from littlestone.supervised.pruned_tree import means
    from littlestone.supervised.pruning import pruning_path

    path = pruning_path(DecisionTreeClassifier(random_state=0).fit(*i), "errors")
    at = means(path.lambdas)
    own = [float(path.costs[path.index(v)] + v * path.leaves[path.index(v)]) for v in at]
    best = [path.optimum(float(v)) for v in at]
    k = int(np.argmax(np.subtract(own, best)))
    return own[k], best[k]


def left_out_rows(i: Sample) -> tuple[float, float]:
    """Leave-one-out errors of an SVM, every row left out, and its support vectors."""
    from sklearn.svm import SVC

    X, y = i
    model = SVC(kernel="linear", C=1.0, tol=1e-6)
    errors = 0
    for r in range(len(y)):
        rest = np.arange(len(y)) != r
        if len(np.unique(y[rest])) < 2:
            errors += 1
            continue
        errors += int(y[r] * model.fit(X[rest], y[rest]).decision_function(X[r : r + 1])[0] < 0.0)
    return float(errors), float(len(model.fit(X, y).support_))


def along_c(i: Sample) -> tuple[float, float]:
    """The slack of the SVM at C = 1, and at C = 1/2."""
    from ..svm_by_hand import path_of_c

    X, y = i
    half, whole = path_of_c(X @ X.T + np.eye(len(y)), y, [0.5, 1.0], 1e-11).slacks
    return float(whole), float(half)


def dual_values(i: tuple[Any, Any, float]) -> tuple[float, float]:
    """What the dual proves of the logistic loss, and the objective of the function that was found."""
    from littlestone.supervised.regularised_kernel import RegularisedKernel

    X, y, lam = i
    model = RegularisedKernel("logistic", "gaussian", lam).fit(X, np.where(y > 0.0, 1, -1))
    return model.dual_, model.objective_


def both_labels(m: int) -> Iterator[tuple[Any, Any, float]]:
    for X, y, lam in designs(m):
        if len(np.unique(y > 0.0)) == 2:
            yield X, y, lam


def lunch(m: int) -> tuple[float, float]:
    """The average error of a learner that remembers, over all labelings, and (1 - 1/2m)^m / 2."""
    from littlestone.theory.no_free_lunch import no_free_lunch

    found = no_free_lunch(m, lambda known: [known.get(j, 0) for j in range(2 * m)])
    return float(found.average), (1.0 - 1.0 / (2 * m)) ** m / 2.0


def bad_hypotheses(m: int) -> Iterator[tuple[Fraction, Fraction, int]]:
    for eps in (Fraction(1, 2), Fraction(1, 4), Fraction(1, 10)):
        for error in (eps, 2 * eps, Fraction(1, 2), Fraction(9, 10)):
            yield error, eps, int(1 / eps) * m


def samples_twice(i: tuple[Fraction, Fraction, int]) -> tuple[float, float]:
    from littlestone.theory.finite_worlds import two_samples

    left, right = two_samples(*i)
    return float(left), float(right)


HOW = "12 samples of a size, half of them with ties"
STATEMENTS = (
    Statement("T-BOOST-TRAINING", "share of rows with y f(x) <= 0 is at most prod Z", boosted, samples, (4, 8, 16),
              how=HOW, show=seen, short=2),
    Statement("T-BOOST-MARGINS", "rows with margin <= theta are at most m prod 2 sqrt(e^(1-theta) (1-e)^(1+theta))",
              margins, samples, (4, 8, 16), how=HOW, show=seen, short=2),
    Statement("T-BOOST-STAGEWISE", "greedy fitting of the exponential loss is AdaBoost", stagewise_steps, samples,
              (4, 8, 16), equal=True, how=HOW, show=seen, short=2),
    Statement("T-STUMP-COUNT", "stumps have at most 2 n (m - 1) + 2 patterns", stump_patterns, samples, (3, 4, 8),
              attained=True, how=HOW, show=seen),
    Statement("T-WEAK-UNIVERSAL", "the edge of stumps on a line with alternating labels is 1/m, 1/(m-1) for even m",
              alternating, line, (2, 3, 4, 5, 8), equal=True, how="one labelling a size", short=4),
    Statement("T-LOO", "a row left out is missed by (y - H y) / (1 - h)", without_a_row, designs, (4, 8), equal=True,
              how=HOW + ", two penalties", show=seen, short=1),
    Statement("T-WEAKEST-LINK", "the path has the least cost of all prunings", pruned, samples, (6, 12, 24), equal=True,
              how=HOW, show=seen, short=2),
    Statement("T-SVM-LOO", "leave-one-out errors are at most the support vectors", left_out_rows, samples, (4, 8, 12),
              how=HOW, show=seen, short=2),
    Statement("T-SVM-PATH", "the slack does not grow with C", along_c, samples, (4, 8), how=HOW, show=seen, short=1),
    Statement("T-REPRESENTER", "what the dual proves is at most the objective, and both are equal at the minimiser",
              dual_values, both_labels, (4, 8), attained=True, how=HOW + ", two penalties", show=seen, short=1),
    Statement("T-NFL", "a learner that remembers errs (1 - 1/2m)^m / 2 on average", lunch, line, (1, 2, 3), equal=True,
              how="all labelings and samples", short=2),
    Statement("T-TWO-SAMPLES", "P(no error on S) <= 2 P(no error on S, eps/2 on T) for m >= 1/eps", samples_twice,
              bad_hypotheses, (1, 2, 5), how="exact binomials"),
)  # fmt: skip
