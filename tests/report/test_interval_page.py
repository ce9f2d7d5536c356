"""The page of intervals: what it holds, and, in a real browser, that it is drawn and can be zoomed."""

import json
import re

import numpy as np
import pytest
from support.pages import expect

import littlestone as ls


@pytest.fixture(autouse=True)
def engine(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def rounds(T=400):
    rng = np.random.default_rng(0)
    forecast = rng.normal(size=(T, 2))
    times = np.datetime64("2024-01-01T00") + np.arange(T) * np.timedelta64(1, "h")
    return forecast, forecast[:, 0] + rng.normal(size=T), times


def held(path):
    """The data inside a page."""
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def test_what_the_page_holds(tmp_path):
    x, y, times = rounds()
    y = np.where(np.arange(400) == 50, np.nan, y)
    found = ls.intervals(x, y, times=times, delay=3, after=100)
    page = found.report(tmp_path / "page.html")
    (run,) = held(page)["runs"]
    charts = {chart["kind"]: chart for chart in run["charts"]}
    assert list(charts) == ["fan", "last", "corridor", "coverage", "width"]
    assert len(charts["last"]["t"]) == 300
    assert charts["fan"]["bands"] == [[1, 2]]
    lines = {line["name"]: line["values"] for line in charts["fan"]["lines"]}
    assert lines["upper 0.9"][10] == pytest.approx(found.upper[10], rel=1e-4)
    assert lines["upper 0.9"][0] is None  # infinite before the first truth
    assert lines["truth"][50] is None
    E = {line["name"]: line["values"] for line in charts["corridor"]["lines"]}
    known = ~np.isnan(y)
    below = np.count_nonzero(y[known] < found.lower[known]) - 0.05 * 399
    assert E["truth below the interval"][-1] == pytest.approx(below, rel=1e-4)
    assert E["at most, T-COVER"][-1] == pytest.approx(np.sqrt(400) + 3 + 4 * 0.95)
    assert charts["coverage"]["dates"][0] == int(times[0].astype("datetime64[s]").astype(int))
    table = run["tables"][0]
    assert [row[0] for row in table["rows"]] == ["cover", "all the past", "the last 500"]
    assert sum(values[-1] for values in run["weights"]["values"]) == pytest.approx(1.0, abs=0.01)
    assert {"the last 5000 rounds", "others"} <= set(run["weights"]["names"])
    assert "where 0.9 was asked for" in run["headline"]
    assert page.stat().st_size < 400_000


def test_levels_share_one_fan(tmp_path):
    x, y, _ = rounds(120)
    page = ls.intervals(x, y, level=[0.5, 0.9]).report(tmp_path / "page.html")
    runs = held(page)["runs"]
    assert len(runs) == 2
    names = [line["name"] for line in runs[0]["charts"][0]["lines"]]
    assert names == ["upper 0.9", "lower 0.9", "upper 0.5", "lower 0.5", "forecast", "truth"]


def test_other_learners_have_a_page_too(tmp_path):
    x, y, _ = rounds(120)
    page = ls.intervals(x[:, 0], y, learner="aci").report(tmp_path / "page.html")
    (run,) = held(page)["runs"]
    assert run["weights"] is None
    assert [line["name"] for line in run["charts"][1]["lines"]] == [
        "truth below the interval",
        "truth above the interval",
    ]


def test_a_browser_draws_it_and_zooms(tmp_path, browser):
    x, y, times = rounds()
    page = browser.new_page()
    problems = []
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.goto(ls.intervals(x, y, times=times).report(tmp_path / "page.html").as_uri())
    page.wait_for_selector("figure canvas")
    assert page.locator("figure").count() == 6
    expect(page.locator("figure canvas")).to_have_count(6)
    assert "Beside the simple answers" in page.inner_text("main")
    assert "Which scale carried the weight" in page.inner_text("main")
    box = page.locator("figure .plot").first
    box.focus()
    reset = page.locator("figure").first.get_by_text("Reset zoom")
    expect(reset).to_be_hidden()
    page.keyboard.press("+")
    expect(reset).to_be_visible()
    page.keyboard.press("Escape")
    expect(reset).to_be_hidden()
    page.goto(ls.intervals(x[:60], y[:60], level=[0.5, 0.9]).report(tmp_path / "fan.html").as_uri())
    assert "cover at 0.5" in page.inner_text("main")
    assert problems == []
    page.close()


def test_the_picture_for_notebooks():
    pytest.importorskip("matplotlib")
    x, y, _ = rounds(120)
    picture = ls.intervals(x[:, 0], y).plot()
    assert len(picture.axes) == 4
    assert "coverage" in picture.get_suptitle()
