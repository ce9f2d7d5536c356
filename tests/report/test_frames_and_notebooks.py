"""A run as a frame with the index of the user's own, and as a notebook shows it."""

from html import escape

import numpy as np
import pandas as pd
import pytest

import littlestone as ls

pytestmark = pytest.mark.usefixtures("plain")


def prices(rounds=40):
    rng = np.random.default_rng(0)
    y = rng.normal(size=rounds)
    frame = pd.DataFrame({"a": y + 0.1, "b": y - 0.5, "price": y})
    frame.index = pd.date_range("2024-03-01", periods=rounds, freq="D", name="day")
    return frame


def test_a_run_is_a_frame_with_the_index_of_the_callers():
    frame = prices()
    run = ls.play("tracker", frame, outcome="price")
    made = run.to_frame(weights=True)
    pd.testing.assert_index_equal(made.index, frame.index)
    assert list(made) == ["prediction", "outcome", "loss", "a", "b"]
    assert made.loss.to_numpy() == pytest.approx(((made.prediction - made.outcome) ** 2).to_numpy())
    assert made.outcome.tolist() == frame.price.tolist()
    assert made.prediction.to_numpy() == pytest.approx(made.a * frame.a + made.b * frame.b)
    # joins what it came from
    assert frame.join(run.to_frame()[["prediction"]]).prediction.notna().all()
    apart = ls.play("tracker", frame[["a", "b"]].to_numpy(), frame.price)
    assert apart.to_frame().index.equals(frame.index)
    assert ls.play("tracker", frame[["a", "b"]].to_numpy(), frame.price.tolist()).index is None


def test_each_key_has_the_rows_of_its_own():
    frame = prices().assign(key=["x", "y"] * 20)
    runs = ls.play("tracker", frame, outcome="price", by="key")
    for key, run in runs.items():
        mine = frame[frame.key == key]
        assert run.to_frame().index.equals(mine.index)
        assert run.to_frame().outcome.tolist() == mine.price.tolist()


def test_dates_of_a_file_are_the_index(tmp_path):
    prices().to_csv(tmp_path / "p.csv")
    made = ls.play("tracker", str(tmp_path / "p.csv"), outcome="price").to_frame()
    assert made.index.equals(pd.DatetimeIndex(prices().index, name=None).astype(made.index.dtype))


def test_labels_and_arms_are_as_the_user_wrote_them():
    X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["spam", "ham", None]
    made = ls.play("perceptron", X, y, passes=2).to_frame()
    assert made.outcome.fillna("?").tolist() == ["spam", "ham", "?"] * 2
    assert set(made.prediction) <= {"spam", "ham"}
    assert list(made.index) == list(range(6))
    arms = ls.play("ucb1", [[0.0, 1.0], [1.0, 0.0]]).to_frame(weights=True)
    assert list(arms) == ["arm", "loss", "arm 0", "arm 1"]


def test_a_notebook_shows_the_headline_and_the_certificate():
    frame = prices().rename(columns={"a": "<script>alert(1)</script>"})
    run = ls.play("tracker", frame, outcome="price")
    shown = run._repr_html_()
    assert shown.startswith("<p>Better than the mean of the experts (")
    assert ". Tracker lost " in shown
    assert "<script>" not in shown
    assert "✓ kept" in shown
    assert f"promises: kept.</p>{'<table>'}" in shown
    certificate = run.certificate._repr_html_()
    for v in run.certificate:
        assert v.guarantee.id in certificate
    first = shown.index(run.headline.guarantee.id, shown.index("<tbody>"))
    assert all(v.guarantee.id not in shown[shown.index("<tbody>") : first] for v in run.certificate)
    assert type(run.certificate)()._repr_html_() == "<p>no theorem applies</p>"
    quick = ls.play("tracker", frame, outcome="price", certify=False)._repr_html_()
    assert quick.startswith("<p>Run tracker: better than a constant (")


def test_a_notebook_shows_many_runs():
    runs = ls.play("tracker", prices().assign(key=["x", "y"] * 20), outcome="price", by="key")
    assert runs._repr_html_().count("<tr") == 3
    seeds = ls.play("exp3", ls.Arms([0.2, 0.8]), rounds=50, seeds=5, workers=1)
    assert seeds._repr_html_().startswith("<p>5 runs. EXP3 lost ")


def test_a_notebook_shows_plans():
    shown = ls.plan(claim=0.05)._repr_html_()
    assert shown.startswith("<p>label 59 rows: with at most 0 errors among them")
    assert "Hoeffding&#x27;s bound would ask for 600 rows.</p>" in shown
    assert ls.plan(claim=0.1, hypotheses=100)._repr_html_().startswith("<p>77 rows: any of 100 ")


def test_a_notebook_shows_what_explains_a_run_and_a_prediction():
    frame = prices().rename(columns={"a": "<b>x</b>"})
    found = ls.play("tracker", frame, outcome="price").explain()
    shown = found._repr_html_()
    assert shown.index("&lt;b&gt;x&lt;/b&gt;") < shown.index(">b</td>")  # it weighed more
    assert f"{found.parts[0].led:.1%}" in shown
    assert "<b>" not in shown
    learner = ls.play("online-linear", frame, outcome="price", task="regression").learner
    said = learner.explain({"<b>x</b>": 1.0, "b": "0.5"})._repr_html_()
    assert said.startswith("<p>prediction: ")
    assert "&lt;b&gt;x&lt;/b&gt;" in said
    assert "<b>" not in said


def test_other_results_are_shown_as_they_print():
    found = ls.intervals(prices().a.to_numpy(), prices().price.to_numpy())
    assert found._repr_html_().startswith("<pre style='white-space:pre-wrap'>")
    assert escape(str(found)) in found._repr_html_()


def test_a_notebook_shows_one_line_of_an_error_and_the_frames_on_request(monkeypatch):
    monkeypatch.delenv("LITTLESTONE_TRACEBACK", raising=False)
    with pytest.raises(ls.BadInput) as caught:
        ls.Hedge(eta=-1)
    line = "BadInput: hedge: eta must be a number in (0, inf) (or left out), not -1"
    assert caught.value._render_traceback_() == [line]
    monkeypatch.setenv("LITTLESTONE_TRACEBACK", "full")
    frames = caught.value._render_traceback_()
    assert frames[0] == "Traceback (most recent call last):"
    assert any("test_frames_and_notebooks.py" in each for each in frames)
    assert frames[-1].endswith(line)


def test_the_headline_divides_all_losses_by_the_rounds_with_an_answer():
    from littlestone.report.page import headline
    from littlestone.report.payload import summary

    y = [1.0, 2.0, np.nan, np.nan, 3.0]
    run = ls.play("tracker", [[0.0, 1.0]] * 5, y, engine="plain")
    said = summary(run)
    assert said["answered"] == 3
    mean = run.comparator_loss / 3
    assert f"lost {mean:.4g}" in headline({"learner": "tracker", "summary": said})
