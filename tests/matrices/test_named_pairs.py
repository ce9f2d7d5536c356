"""Matrix completion by names: a table of names is the matrix with numbers, and what does not fit is named."""

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels.functions.gram import gram
from littlestone.matrices import complete_named

FILMS = {"a": [1.0, 0.0], "b": [1.0, 0.1], "c": [0.0, 1.0], "d": [0.0, 0.9]}


def ratings(frame):
    table = {"who": [7, 7, 8, 8] * 6, "film": ["a", "c", "c", "a"] * 6, "y": [1, 0, 1, 0] * 6}
    return pytest.importorskip(frame).DataFrame(table) if frame else table


@pytest.mark.parametrize("frame", ["", "pandas", "polars"])
def test_a_table_with_names_is_the_matrix_with_numbers(frame):
    made = complete_named(
        ratings(frame),
        "who",
        "film",
        "y",
        column_features=FILMS,
        column_kernel="gaussian:2",
        eta=0.3,
    )
    K = gram("gaussian:2", np.array(list(FILMS.values())))
    learner = ls.MEGIMCSI(rows=2, columns=4, column_kernel=K, eta=0.3)
    pairs = np.array([[0, 0], [0, 2], [1, 2], [1, 0]] * 6, float)
    run = ls.play(learner, pairs, [1, 0, 1, 0] * 6, engine="plain")
    np.testing.assert_allclose(made.run.scores, run.scores, atol=1e-10)
    assert made.run.certificate.verdict == run.certificate.verdict
    # films that nobody has seen are like those whose features they share
    assert made.predict([(7, "b"), (7, "d"), (8, "b"), (8, "d")]) == [1, 0, 0, 1]
    before = made.scores([(8, "b")])[0]
    assert made.update(8, "b", 1).scores([(8, "b")])[0] > before


def test_features_may_be_a_frame_and_a_kernel_a_function():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[k, *v] for k, v in FILMS.items()], columns=["film", "x1", "x2"])
    given = {"column_features": frame, "column_kernel": lambda x, z: float(x @ z) + 1.0, "eta": 0.3}
    made = complete_named(ratings(""), "who", "film", "y", **given)
    assert made.columns.names == tuple(FILMS)
    assert made.columns.kernel[0, 1] == pytest.approx(2.0)
    assert made.predict([(7, "b"), (8, "b")]) == [1, 0]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"row": "whom"}, "the table has no column 'whom'"),
        ({"labels": [0]}, "'y' must have two labels, not \\[0\\]"),
        ({"row_features": {7: [1.0]}}, "who 8 has no features \\(1 have none\\)"),
        ({"row_features": {7: [1.0], 8: [math.nan]}}, "features of who 8: \\[nan\\] are not all"),
        ({"row_features": {7: [1.0], 8: [1.0, 2.0]}}, "each name needs equally many numbers"),
        ({"table": {"who": ["a", None], "film": [1, 2], "y": [0, 1]}}, "row 2: who is missing"),
        (
            {"table": {"who": ["a"], "film": [1, 2], "y": [0, 1]}},
            "1 rows, 2 columns and 2 outcomes",
        ),
    ],
)
def test_tables_that_cannot_be_completed(change, says):
    given = {"table": ratings(""), "row": "who", "column": "film", "outcome": "y"}
    with pytest.raises(BadInput, match=says):
        complete_named(**(given | change))


def test_a_name_that_is_new_is_asked_for():
    made = complete_named(ratings(""), "who", "film", "y", eta=0.3)
    with pytest.raises(BadInput, match="row 2: there is no film 'z': give its features, or rounds"):
        made.predict([(7, "a"), (7, "z")])
    with pytest.raises(BadInput, match="a list of \\(row, column\\), at least one"):
        made.predict([])
