"""What a reader of a real run sees: which run is open, dates, theorems, weights, colours, a phone."""

import numpy as np
import pandas as pd
import pytest
from report.test_report_page import Opened

import littlestone as ls
from littlestone.report import page
from littlestone.report.payload import payload


@pytest.fixture(scope="module")
def desktop(browser):
    opened = Opened(browser, viewport={"width": 1200, "height": 900})
    yield opened
    opened.context.close()


def late_page(folder, rounds=3_000, start="2020-01-01"):
    """Two runs of the tracker, one of which waits a day for its outcomes, over hours with dates."""
    rng = np.random.default_rng(1)
    y = np.cumsum(rng.normal(size=rounds))
    hours = pd.date_range(start, periods=rounds, freq="h")
    frame = pd.DataFrame({"price": y}, index=hours)
    for i in range(12):
        frame[f"model {i}"] = y + rng.normal(size=rounds) * (1 + i / 4)
    runs = [ls.play("tracker", frame, outcome="price", delay=d) for d in (0, 24)]
    return runs, payload(runs), page.write(payload(runs), folder / "late.html")


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    return late_page(tmp_path_factory.mktemp("late"))


def test_the_run_that_waited_for_outcomes_is_the_open_one(late, desktop):
    _, sent, path = late
    assert [s["label"] for s in sent["runs"]] == [
        "tracker, feedback 24 rounds late",
        "tracker, feedback at once",
    ]
    desktop.go(path)
    opened = desktop.js(
        "[...document.querySelectorAll('details.run[open] h2')].map(h => h.textContent)"
    )
    assert opened == ["tracker, feedback 24 rounds late"]
    best = desktop.js(
        "[...document.querySelectorAll('td.best')].map(c => c.parentElement.rowIndex)"
    )
    assert set(best) == {1}  # the other knew more: it does not win
    assert desktop.said == []


def test_rounds_with_dates_are_drawn_on_a_line_of_dates(late, desktop):
    _, sent, path = late
    first = sent["runs"][0]
    assert first["dates"][-1] == int(pd.Timestamp("2020-05-04 23:00").timestamp())
    desktop.go(path)
    assert desktop.js("littlestone.charts[1].plot.scales.x.time")
    shown = desktop.js("[...document.querySelectorAll('.where')].map(w => w.textContent)")
    assert shown[1] == "Round 3,000, 4 May 2020, 23:00"
    hidden = "[...document.querySelectorAll('.controls > .quiet')].every(b => b.hidden)"
    assert desktop.js(hidden)  # no chart begins zoomed in
    # 2020-01-01 is a Wednesday 00:00 UTC: what the axis says is what the table says
    labels = "(u => u.axes[0].values(u, [1577836800, 1580515200], 0, 80, 2.6e6))(littlestone.charts[1].plot)"
    assert desktop.js(labels) == ["Jan 2020", "Feb 2020"]


def test_dates_that_do_not_go_forward_are_not_drawn():
    frame = pd.DataFrame({"y": [0.0, 1.0, 0.5], "a": [0.0, 1.0, 1.0], "b": [1.0, 0.0, 0.0]})
    frame.index = pd.to_datetime(["2020-01-03", "2020-01-02", "2020-01-01"])
    run = ls.play("tracker", frame, outcome="y")
    assert payload([run])["runs"][0]["dates"] is None
    runs = ls.play("tracker", frame.assign(key=["p", "q", "p"]), outcome="y", by="key")
    assert runs["p"].index.tolist() == frame.index[[0, 2]].tolist()


def test_headline_and_chart_name_one_theorem(late):
    for run, sent in zip(reversed(late[0]), late[1]["runs"], strict=True):
        assert run.headline.comparator == "best fixed mixture"
        curve = sent["regret"][0]
        assert curve["theorem"] == sent["summary"]["theorem"] == sent["certificate"][0]["id"]
        assert curve["name"] == "to best fixed mixture"
        assert curve["values"][-1] == pytest.approx(sent["summary"]["regret"], rel=1e-9)
        assert curve["bound"][-1] == pytest.approx(sent["summary"]["bound"], rel=1e-9)


def test_weights_of_a_long_run_are_smooth(late):
    run, sent = late[0][1], late[1]["runs"][0]["weights"]
    W = np.array(sent["values"])
    assert sent["over"] == 15
    assert len(sent["t"]) == W.shape[1] == 200
    top = run.names.index(sent["names"][0])
    assert W[0, 0] == pytest.approx(run.weights[:15, top].mean())
    assert W.sum(axis=0) == pytest.approx(np.ones(200))


def test_no_colour_is_used_twice(desktop, tmp_path):
    rng = np.random.default_rng(0)
    names = [f"m{i}" for i in range(40)]
    frame = pd.DataFrame(rng.random((400, 40)), columns=names)
    frame["y"], frame["key"] = rng.random(400), np.repeat(list("abcdefgh"), 50)
    runs = ls.play("tracker", frame, outcome="y", by="key")
    desktop.go(page.write(payload(list(runs.values())), tmp_path / "keys.html"))
    for theme in ("dark", "light"):
        desktop.tab.emulate_media(color_scheme=theme)
        found = desktop.js(
            """littlestone.charts.map(c => c.lines.map(line =>
                 littlestone.colour(line.colour) + (line.dash || []).join()))"""
        )
        assert len(found) > 8
        for colours in found:
            assert all(c.startswith("#") for c in colours)
            assert len(set(colours)) == len(colours)
    dots = desktop.js(
        "[...document.querySelectorAll('.dot')].map(d => getComputedStyle(d).backgroundColor)"
    )
    assert len(set(dots)) == len(dots) == 8


def test_the_certificate_fits_on_a_phone(browser, late):
    phone = Opened(browser, viewport={"width": 360, "height": 700})
    phone.go(late[2])
    assert phone.js("document.documentElement.scrollWidth") <= 360
    for frame in phone.js(
        "[...document.querySelectorAll('.scroll')].map(f => [f.scrollWidth, f.clientWidth])"
    ):
        assert frame[0] <= frame[1] or frame[1] == 0  # closed
    row = (
        phone.tab.locator("details[open] section", has_text="Certificate").locator("tbody tr").first
    )
    assert (
        row.locator("td").nth(2).evaluate("c => getComputedStyle(c, '::before').content")
        == '"Measured"'
    )
