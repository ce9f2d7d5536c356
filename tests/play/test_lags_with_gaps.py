"""Lags of the outcome beside columns in which numbers are missing: each fills in its own."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.testing.compare import same

ROWS = 40


def table():
    r = np.random.default_rng(4)
    price, place = r.normal(10.0, 2.0, ROWS), r.choice(["here", "there"], ROWS)
    sold = np.cumsum(r.normal(size=ROWS)) + price
    return [
        {"price": None if i % 5 == 2 else float(p), "place": str(q), "sold": float(s)}
        for i, (p, q, s) in enumerate(zip(price, place, sold, strict=True))
    ]


def write(path, rows, columns):
    lines = [",".join(columns)]
    lines += [",".join("" if row[c] is None else str(row[c]) for c in columns) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("columns", [("price", "sold"), ("price", "place", "sold")])
@pytest.mark.parametrize("key", ["online-kernel-regression", "online-linear-regression"])
def test_a_file_its_parts_and_its_rows_give_the_same(key, columns, tmp_path, plain):
    rows = [{c: row[c] for c in columns} for row in table()]
    options = {"outcome": "sold", "lags": [1, 3], "record": "all"}
    whole = ls.play(key, write(tmp_path / "all.csv", rows, columns), **options)
    first = ls.play(key, write(tmp_path / "a.csv", rows[:17], columns), horizon=ROWS, **options)
    late = ls.play(
        first.learner, write(tmp_path / "b.csv", rows[17:], columns), resume=True, **options
    )
    assert same(whole.predictions, np.concatenate([first.predictions, late.predictions]))
    dicts = ls.play(key, rows, **options)
    assert same(dicts.predictions, whole.predictions)

    live, found = first.learner, []
    for row in rows[17:]:
        x = {c: row[c] for c in columns if c != "sold"}
        found.append(live.predict(x))
        live.update(x, row["sold"])
    assert same(np.array(found), late.predictions)


def test_the_mean_is_that_of_the_column_and_not_of_a_lag(tmp_path, plain):
    rows = [
        {"price": p, "sold": s} for p, s in ((4.0, 100.0), (8.0, 300.0), (None, 500.0), (5.0, 1.0))
    ]
    path = write(tmp_path / "t.csv", rows, ("price", "sold"))
    run = ls.play("online-linear-regression", path, outcome="sold", lags=1)
    setting = run.learner.begun().setting
    assert setting.means.columns == 1
    assert setting.means.current().tolist() == [17.0 / 3.0]
