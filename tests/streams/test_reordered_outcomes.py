"""Outcomes of pandas beside a frame: rows are paired by position, and an index in another order is refused."""

import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput


def table(T=30):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(T, 2)), columns=["a", "b"])
    return X, (X.a > 0).astype(int)


@pytest.mark.parametrize("key", ["perceptron", "tracker"])
def test_an_index_in_another_order_is_refused(key):
    X, y = table()
    words = r"index of the data in another order \(row 1: 29, not 0\).*outcomes\.loc\[data\.index\]"
    with pytest.raises(BadInput, match=words):
        ls.play(key, X, y[::-1], engine="plain")


def test_what_is_in_order_or_has_an_index_of_its_own_is_played():
    X, y = table()
    run = ls.play("perceptron", X, y, engine="plain")
    for other in (y.to_numpy(), y[::-1].loc[X.index], y.set_axis(range(100, 130)), y.tolist()):
        again = ls.play("perceptron", X, other, engine="plain")
        assert again.predictions.tolist() == run.predictions.tolist()


def test_an_outcome_that_is_no_name_of_a_column():
    X, y = table()
    with pytest.raises(BadInput, match=r"outcome must be the name of a column, not 1\.5"):
        ls.play("perceptron", X.assign(y=y), outcome=1.5, engine="plain")
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("y", 1)])
    frame = pd.DataFrame(X.assign(y=y.astype(float)).to_numpy(), columns=levels)
    run = ls.play("tracker", frame, outcome=("y", 1), engine="plain")
    assert run.names == ("('a', 1)", "('a', 2)")
