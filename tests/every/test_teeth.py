"""What planted bugs got past everything else (tools/mutants.py): numbers too weak for any attack to miss them.

A bound that is too large is never broken. Only its value on a run that was worked out by hand gives it away.
"""

from __future__ import annotations

import subprocess
import sys
from math import log
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.guarantee import Comparators, Guarantee, Symbols, judge
from littlestone.environments.linear_adversaries import hadamard
from littlestone.hindsight.search.boolean import attribute_errors, columns

pytestmark = pytest.mark.usefixtures("plain")


def bound(run, id):
    return next(v for v in run.certificate if v.guarantee.id == id)


def test_randomized_weighted_majority_pays_for_the_best_expert_s_errors():
    """Expert 1 errs once, expert 2 twice: ln 2 / (1 - beta) + (2 - beta) 1 at beta = 1/2."""
    x, y = [(0, 1), (0, 1), (1, 0)], [0, 0, 0]
    v = bound(ls.play(ls.learner("randomized-weighted-majority", beta=0.5), x, y), "T-RWM")
    assert v.bound == pytest.approx(2 * log(2) + 1.5)


@pytest.mark.parametrize("eta", [0.25, 0.5, 1.0])
def test_winnow_eg_is_bounded_at_any_rate(eta):
    """Rows of Sylvester's matrix: r = rho = 1, so ln N / (eta - eta^2 / 2)."""
    X, y = hadamard(4)
    X, y = np.vstack([X, -X[:1]]), np.append(y, -1.0)
    v = bound(ls.play(ls.learner("winnow-eg", eta=eta, zero=0), X, y), "T-WINNOW-EG")
    assert v.bound == pytest.approx(log(4) / (eta - eta**2 / 2), rel=1e-6)


def test_attribute_errors_count_every_feature_that_is_on():
    """One + that nothing explains, and a - on which two of the three features are on."""
    A = columns(np.array([[0, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]], float)).tocsr()
    assert attribute_errors(A, np.array([1.0, -1.0, 1.0]), np.array([0, 1, 2])) == 1 + 2


def test_a_theorem_is_judged_to_a_billionth():
    """Neither by a tenth of the loss nor by a part of the bound."""
    g = Guarantee("T-EWA", "", "", "", lambda s: 1.0, uses=("T", "n"))
    one = Comparators("expert", str, np.zeros(1))
    parts = [Symbols(T=10, n=1)]
    assert judge(g, one, parts, 1.0).verdict == "kept"
    assert judge(g, one, parts, 1.001).verdict == "broken"
    assert judge(g, one, parts * 2, 2.0).verdict == "kept"  # the bounds of two copies add up
    assert judge(g, one, parts * 2, 2.001).verdict == "broken"


def test_of_several_numbers_that_a_learner_notes_the_largest_counts():
    g = Guarantee("T-EWA", "", "", "", lambda s: 3.0, measures="updates|mistakes")
    one = Comparators("expert", str, np.zeros(1))
    assert judge(g, one, [Symbols(updates=2, mistakes=5)], 0.0).verdict == "broken"
    assert judge(g, one, [Symbols(updates=5, mistakes=2)], 0.0).verdict == "broken"
    assert judge(g, one, [Symbols(updates=3, mistakes=2)], 0.0).verdict == "kept"


@pytest.mark.parametrize("size", [1.0, 1e-7, 1e-9, 1e-139])
def test_a_tiny_example_does_not_break_the_second_order_bound(size):
    """One update, and sqrt((a / x^2 + 1) ln(1 + x^2 / a)) >= 1 for every x: ln(1 + s) must not become ln 1."""
    learner = ls.learner("second-order-perceptron", a=0.1)
    v = bound(ls.play(learner, [[size], [-size]], [1, -1]), "T-PERC-SECOND")
    assert v.verdict == "kept"
    assert v.bound >= 1.0 - 1e-9


def test_every_planted_bug_still_applies():
    tool = Path(__file__).parents[2] / "tools" / "mutants.py"
    listed = subprocess.run(
        [sys.executable, str(tool), "--list"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert listed.returncode == 0, listed.stderr
    assert "mutants:" in listed.stdout.splitlines()[-1]
