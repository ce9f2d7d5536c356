"""Text in rows by name: a feature a value for lines, and a code for learners that look for curves."""

from __future__ import annotations

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.encode.text_codes import TextCodes

pytestmark = pytest.mark.usefixtures("plain")


def learner_of(*rows):
    learner = ls.learner("online-kernel", frequencies=2)
    for x, y in rows:
        learner = learner.update(x, y)
    return learner


def last_row(learner):
    """The example that the learner read last, by name."""
    s = learner.begun().setting
    m = int(s.X.indptr[1])
    return {
        s.name_of(i): v for i, v in zip(s.X.index[:m].tolist(), s.X.value[:m].tolist(), strict=True)
    }


ROWS = [({"age": 3.0, "city": "Oslo"}, "a"), ({"city": "Rome", "age": 4.0}, "b")]


def test_text_is_a_code_and_a_value():
    assert last_row(learner_of(*ROWS)) == {"age": 4.0, "city": 2.0, "city=Rome": 1.0}
    assert last_row(learner_of(*ROWS, ({"age": 1.0, "city": None}, "a"))) == {
        "age": 1.0,
        "city": 0.0,
    }
    linear = ls.learner("online-linear").update(*ROWS[0]).update(*ROWS[1])
    assert last_row(linear) == {"age": 4.0, "city=Rome": 1.0}


def test_a_prediction_gives_no_codes():
    learner = learner_of(*ROWS)
    learner.predict({"age": 1.0, "city": "Bern"})
    assert last_row(learner) == {"age": 1.0, "city": 3.0}
    learner.predict({"age": 1.0, "city": "Lima"})
    assert last_row(learner) == {"age": 1.0, "city": 3.0}
    assert learner.begun().setting.codes.values == {"city": {"Oslo": 1, "Rome": 2}}


def test_a_row_that_is_refused_gives_no_codes():
    learner = learner_of(*ROWS)
    before = learner.digest()
    with pytest.raises(BadInput, match="'age'"):
        learner.update({"age": np.inf, "city": "Bern"}, "a")
    assert learner.digest() == before
    assert last_row(learner.update({"age": 1.0, "city": "Lima"}, "a"))["city"] == 3.0


def test_a_saved_learner_goes_on_with_the_same_codes(tmp_path):
    later = [({"age": 1.0, "city": c}, "a") for c in ("Bern", "Oslo", "Rome")]
    whole = learner_of(*ROWS, *later)
    loaded = ls.load(learner_of(*ROWS).save(tmp_path / "a.ls"))
    for x, y in later:
        loaded = loaded.update(x, y)
    assert loaded.digest() == whole.digest()


def test_names_that_hold_an_equals_sign():
    codes = TextCodes({"a=b": 0, "a=b=x": 1, "a=b=y": 2, "c=d": 3, 7: 4}, ["a=b"])
    assert codes.values == {"a=b": {"x": 1, "y": 2}}


def test_a_number_where_text_was_is_text_and_what_is_not_a_number_is_missing():
    learner = learner_of(*ROWS, ({"age": 1.0, "city": 7}, "a"))
    assert last_row(learner) == {"age": 1.0, "city": 3.0, "city=7": 1.0}
    assert last_row(learner.update({"age": 1.0, "city": np.nan}, "a")) == {"age": 1.0, "city": 0.0}


def test_text_where_a_number_was_does_not_become_that_number(tmp_path):
    learner = learner_of(*ROWS, ({"age": "old", "city": "Oslo"}, "a"))
    assert last_row(learner) == {"age=old": 1.0, "city": 1.0, "city=Oslo": 1.0}
    loaded = ls.load(learner.save(tmp_path / "a.ls"))
    assert loaded.begun().setting.codes.values == {"city": {"Oslo": 1, "Rome": 2}}
    assert last_row(loaded.update({"age": 5.0, "city": "Oslo"}, "a"))["age"] == 5.0


def test_curves_begin_with_the_features_of_the_first_row():
    learner = learner_of(({"age": 1.0, "city": "Oslo", "tax": 2.0, "none": None}, "a"))
    assert learner.begun().shape.features == 4  # age, city, city=Oslo, tax
    assert learner.state.tile_model.tiles.grids[:, :2].max() < 4
    assert len(learner.state.tile_model.tiles.z) == learner.begun().shape.n == 16
