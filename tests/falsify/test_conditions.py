"""A bound of the user's keeps the conditions of the theorem in whose place it stands, and may state more."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Symbols
from littlestone.falsify.attack import Case
from littlestone.falsify.condition import condition
from littlestone.falsify.conjecture import symbols
from littlestone.falsify.target import Target
from littlestone.falsify.theorems import falsify_theorem

pytestmark = pytest.mark.usefixtures("plain")
NOVIKOFF = {"learner": "perceptron", "theorem": "T-PERC"}


def command(*words):
    return CliRunner().invoke(main, ["falsify", *words])


# The theorem's own conditions.


@pytest.mark.parametrize("bound", ["R2*U2", "R2/margin**2", lambda s: s.R2 * s.U2])
def test_novikoffs_bound_survives_as_a_bound_of_the_users(bound):
    found = falsify_theorem(
        **NOVIKOFF, bound=bound, runs=60
    )  # x = 0 is separated by no u: it is not about that
    assert found.verdict == "survived"
    assert found.ratio == pytest.approx(1.0)


def test_a_little_less_than_novikoffs_bound_is_broken():
    found = falsify_theorem(**NOVIKOFF, bound="0.99*R2*U2", runs=60)
    assert found.broken
    assert np.abs(found.x).max() > 0


def test_the_command_says_that_novikoffs_bound_survives():
    said = command(
        "perceptron", "--theorem", "T-PERC", "--bound", "R2*U2", "--runs", "40", "--json"
    )
    assert said.exit_code == 0
    assert json.loads(said.stdout)["verdict"] == "survived"


def test_a_bound_that_every_comparator_has_may_stand_in_place_of_one_for_all():
    found = falsify_theorem("perceptron", theorem="T-PERC-INSEP", bound="R2*U2 + 0.9*H", runs=60)
    assert found.broken  # T-PERC-INSEP is about every u, and so is what stands in its place


# Conditions of the user's.


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("T > 7", True),
        ("T >= 9", False),
        ("1 < n <= 4 < T", True),
        ("T == 8 and n != 4", False),
        ("T == 9 or not n == 2", True),
        ("sqrt(T*n) < 2*T", True),
    ],
)
def test_a_condition_says_what_it_says(text, holds):
    made = condition(text, ("T", "n"))
    assert bool(made(Symbols(T=8, n=4))) is holds
    assert made.names <= {"T", "n"}


@pytest.mark.parametrize(
    "text",
    [
        "T", "T + 1", "x > 0", "T in n", "T is n", "T > [1]", "__import__('os') == 1", "T > 'a'", "(T > 1) + 1 > 0",
        "T.real > 0", "", "T >", "not T", "(lambda: 1)() > 0", "f(T) > 0", "T > 1 if n else n > 1",
        "not " * 60 + "T > 1",
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused_with_one_message(text):
    with pytest.raises(BadInput) as problem:
        condition(text, ("T", "n"))
    assert "where" in str(problem.value)
    assert "symbols: T, n" in str(problem.value)
    assert "\n" not in str(problem.value)


def test_a_condition_narrows_what_a_bound_is_about():
    false = "sqrt(T*log(n)/8)"
    assert falsify_theorem("hedge", bound=false, runs=2000).case.rounds == 1
    found = falsify_theorem("hedge", bound=false, where="T >= 4 and n >= 3", runs=2000)
    assert found.broken
    assert (found.case.rounds, found.case.n) >= (4, 3)
    assert found.check.arithmetic == "50 digits"
    assert not falsify_theorem(
        "hedge", bound=false, where="T >= 4 and n >= 3 and L < 0", runs=100
    ).broken


def test_a_condition_on_the_comparator_counts_comparator_by_comparator():
    # two mistakes for each of the best expert's are too few, unless it makes none
    given = {"theorem": "T-WM", "bound": "2*L + lg(n)", "beta": 0.5}
    assert falsify_theorem("weighted-majority", **given, where="L >= 1", runs=1500).broken
    assert not falsify_theorem(
        "weighted-majority", **given, where="L == 0 and n == 2", runs=120
    ).broken


def test_a_condition_may_go_with_the_theorem_itself():
    found = falsify_theorem(**NOVIKOFF, where="T >= 3", runs=60)
    assert found.verdict == "survived"
    assert found.case.rounds >= 3
    assert "T >= 3" in repr(found)
    assert found.record()["where"] == "T >= 3"


def test_the_margin_is_that_of_a_separator():
    assert "margin" in symbols(Target(**NOVIKOFF).theorem, True)
    trial = Target(**NOVIKOFF, bound="R2/margin**2", where="margin > 0.5").trial
    wide = Case(np.array([1.0, -1.0]), np.array([[2.0], [-2.0]]), {"normalise": False})
    narrow = Case(np.array([1.0, -1.0]), np.array([[2.0], [-0.1]]), {"normalise": False})
    assert trial(wide).bound == pytest.approx(1.0)  # R = margin = 2
    assert math.isinf(trial(narrow).bound)


def test_where_nothing_meets_a_condition_nothing_survives():
    found = falsify_theorem(**NOVIKOFF, bound="R2*U2", where="T < 1", runs=20)
    assert found.verdict == "untested"
    said = command("perceptron", "--theorem", "T-PERC", "--where", "T < 1", "--runs", "20")
    assert said.exit_code == 2
    assert "none of" in said.stderr


def test_a_search_with_a_condition_goes_on(tmp_path):
    file = tmp_path / "search.json"
    asked = {**NOVIKOFF, "bound": "R2*U2", "where": "T >= 3"}
    first = falsify_theorem(**asked, runs=20, state=file)
    assert falsify_theorem(**asked, runs=20, resume=file).runs > first.runs
    with pytest.raises(BadInput, match="where T >= 3"):
        falsify_theorem(**NOVIKOFF, bound="R2*U2", runs=20, resume=file)


def test_the_help_teaches_conditions():
    said = command("--help").stdout
    assert "--where" in said
    assert '--where "margin > 0' in said


# What a certificate says is under attack as well.


def spoiled(rule, t):
    """A rule that decides NaN once so much has been lost."""

    def decide(self, state, x):
        p = rule(self, state, x)
        return p * np.nan if state.L.max() >= t else p

    return decide


def test_a_learner_that_decides_nan_is_not_said_to_survive(monkeypatch):
    monkeypatch.setattr(ls.Hedge.Params, "decide", spoiled(ls.Hedge.Params.decide, 2.0))
    found = falsify_theorem("hedge", theorem="T-EWA", runs=60)
    assert found.verdict == "failed"
    assert "not a number" in found.failures[0][0]
    assert found.record()["verdict"] == "failed"
    said = command("hedge", "--theorem", "T-EWA", "--runs", "60")
    assert said.exit_code == 1
    assert "failed" in said.stdout
    assert "survived" not in said.stdout


def test_a_certificate_that_contradicts_the_search_is_found(monkeypatch):
    from littlestone.run import run_kinds

    judge = run_kinds.judge

    def wrong(g, family, parts, loss):
        v = judge(g, family, parts, loss)
        v.verdict = {"kept": "broken", "broken": "kept"}.get(v.verdict, v.verdict)
        return v

    assert falsify_theorem(**NOVIKOFF, runs=10, using=["literature"]).verdict == "survived"
    monkeypatch.setattr(run_kinds, "judge", wrong)
    found = falsify_theorem(**NOVIKOFF, runs=10, using=["literature"])
    assert found.verdict == "failed"
    assert "its certificate says broken" in found.failures[0][0]
