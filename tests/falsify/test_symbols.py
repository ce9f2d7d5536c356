"""A bound of the user's may use every symbol that the theorem lists: each is measured in every run."""

import pytest
from click.testing import CliRunner
from support.rounds import subject
from support.rows import ALL, OURS

from littlestone.cli.main import main
from littlestone.falsify.conjecture import symbols, with_margin
from littlestone.falsify.judge import sides

pytestmark = pytest.mark.usefixtures("plain")


@pytest.mark.parametrize("key", ALL)
def test_listed_symbols_are_measured(key):
    s = subject(key)
    run = s.play(*s.rounds(12))
    for g in OURS[key].guarantees:
        if g.mode != "surely":
            continue
        _, known, why = sides(g, run)
        if not why:
            missing = set(symbols(g, s.learner.examples)) - set(vars(with_margin(known)))
            assert not missing, g.id


def test_a_bound_of_the_user_s_may_count_late_rounds():
    words = ["cover", "--theorem", "T-COVER", "--bound", "kappa*sqrt(T+1)+late+crowd+1"]
    said = CliRunner().invoke(main, ["falsify", *words, "--runs", "20", "--json"])
    assert said.exit_code == 0, said.output
    assert '"broken": false' in said.output
