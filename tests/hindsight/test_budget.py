"""How long the best predictor is searched for: in proportion to the run, counted in work."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.vectors import Rows
from littlestone.hindsight.search.clock import LEAST, MOST, in_proportion


def test_the_search_is_in_proportion_to_the_numbers_that_were_played():
    small = Rows(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2))
    assert in_proportion(small) == pytest.approx(LEAST)
    middle = np.zeros((1000, 5000))
    assert LEAST < in_proportion(middle[:500]) < in_proportion(middle) < MOST
    assert in_proportion(np.broadcast_to(0.0, (10**6, 100))) == MOST


def test_the_search_of_a_report_is_given_that_much(monkeypatch):
    from littlestone.hindsight.search import by_name
    from littlestone.report import rivals

    asked = []
    search = by_name.best_linear

    def noted(*data, **settings):
        asked.append(settings["seconds"])
        return search(*data, **settings)

    monkeypatch.setattr(by_name, "best_linear", noted)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    run = ls.play("online-linear", X, np.where(X[:, 0] > 0, "a", "b"), engine="plain")
    assert rivals.find_rival(run) is not None
    assert asked == [in_proportion(X)]
