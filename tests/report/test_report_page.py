"""The report page: small, safe and alone; and, in a real browser, drawn, zoomable and readable."""

import json
import math
import os
import re

import numpy as np
import pytest
from support.pages import expect

from littlestone.core.errors import BadFile, FileReplaced
from littlestone.report import page as report

HOSTILE = "</script><img src=x onerror=alert(1)>"


def example(name="tracker", points=600, rounds=17_472, experts=10, seed=0):
    """One run's payload, with every part filled in, of made-up numbers."""
    rng = np.random.default_rng(seed)
    t = np.unique(np.linspace(1, rounds, points).round().astype(int))
    steps = rng.gamma(2.0, 4.0, (experts + 3, len(t))) * np.diff(t, prepend=0)
    totals = steps.cumsum(axis=1)
    names = [f"DNN {k}" for k in range(experts)]
    kinds = ["expert"] * experts + ["comparator"] * 3
    learner = totals.mean(axis=0)
    series = [{"name": name, "kind": "learner", "values": learner.tolist()}]
    for k, title in enumerate([*names, "best expert", "best mixture", "best sequence"]):
        series.append({"name": title, "kind": kinds[k], "values": totals[k].tolist()})
    bound = (40 * np.sqrt(t)).tolist()
    regrets = [
        {
            "name": f"vs {against}",
            "values": (learner - totals[-k]).tolist(),
            "bound": bound,
            "theorem": theorem,
        }
        for k, (against, theorem) in enumerate(
            [("best expert", "T-HEDGE"), ("best mixture", "T-BOA"), ("best sequence", "T-TRACKER")],
            start=1,
        )
    ]
    weights = rng.dirichlet(np.ones(experts + 1), len(t)).T
    return {
        "name": name,
        "learner": name.title(),
        "label": f"{name}, feedback at once",
        "summary": {
            "rounds": rounds,
            "loss": learner[-1],
            "mean_loss": learner[-1] / rounds,
            "comparator": "best sequence",
            "comparator_loss": totals[-1][-1],
            "regret": 1234.5,
            "bound": bound[-1],
            "seconds": 0.12,
            "verdict": "kept",
        },
        "t": t.tolist(),
        "cumulative": series,
        "regret": regrets,
        "weights": {"names": [*names, "others"], "values": weights.tolist()},
        "certificate": [
            {
                "id": "T-TRACKER",
                "name": "Shifting regret",
                "statement": "R <= c sqrt(T k ln n)",
                "source": "the docs",
                "mode": "surely",
                "verdict": verdict,
                "measured": 1234.5,
                "bound": bound[-1],
                "slack": 1.0,
                "comparator": "best sequence",
                "why": "because",
            }
            for verdict in ("kept", "vacuous", "unknown", "broken")
        ],
        "parameters": {"eta": "0.5"},
        "data": {"source": "prices.csv", "rounds": rounds},
        "notes": ["Left out: column Date."],
        "explain": [{"expert": "DNN 1", "share": 0.31, "when": "rounds 1-200", "leave_out": 1.2}],
    }


def whole(*runs, **words):
    """A payload of these runs."""
    return {
        "title": "Prices",
        "subtitle": "prices.csv",
        "version": "0.1.0",
        "created": "2026-11-15 20:30",
        "runs": list(runs),
        **words,
    }


def embedded(text):
    """The JSON inside a page, as the browser would see it."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found[1])["runs"]


# ---- the file


def test_a_large_run_stays_under_400_kb_with_every_round_it_was_given():
    text = report.render(whole(example()))
    assert len(text.encode()) < 400_000
    assert len(embedded(text)[0]["t"]) == 600


def test_many_runs_are_thinned_to_the_limit_and_keep_their_first_and_last_round():
    text = report.render(whole(*[example(seed=k) for k in range(6)]))
    assert len(text.encode()) < 400_000
    for run in embedded(text):
        assert run["t"][0] == 1
        assert run["t"][-1] == 17_472
        lengths = {len(row) for row in run["weights"]["values"]} | {len(run["t"])}
        lengths |= {len(s.get("over") or s["values"]) for s in run["cumulative"]}
        lengths |= {len(r["values"]) for r in run["regret"]}
        lengths |= {len(r["bound"]) for r in run["regret"]}
        assert len(lengths) == 1


def test_small_differences_between_large_totals_survive_rounding():
    run = example(points=3, rounds=3, experts=1)
    run["cumulative"] = [
        {"name": "learner", "kind": "learner", "values": [1e6, 2e6, 3e6]},
        {"name": "expert", "kind": "expert", "values": [1e6 + 0.25, 2e6 + 0.5, math.nan]},
    ]
    row = embedded(report.render(whole(run)))[0]["cumulative"][1]
    assert row["over"] == [0.25, 0.5, None]


def test_numbers_are_rounded_and_what_is_not_finite_is_null():
    run = example(points=2, rounds=2, experts=1)
    run["regret"] = [
        {
            "name": "r",
            "values": np.array([1 / 3, np.nan]),
            "bound": [math.inf, np.float64(123456.7)],
            "theorem": "T",
        }
    ]
    run["summary"]["bound"] = math.inf
    run["weights"]["values"][0] = [1 / 3, None]
    run["data"] = {"rows": np.int64(7), "when": os.sep.__class__}
    out = embedded(report.render(whole(run)))[0]
    assert out["regret"][0]["values"] == [0.33333, None]
    assert out["regret"][0]["bound"] == [None, 123460]
    assert out["summary"]["bound"] is None
    assert out["weights"]["values"][0] == [0.3333, None]
    assert out["data"]["rows"] == 7


def test_no_name_can_leave_its_place():
    text = report.render(
        whole(example(HOSTILE, points=3), title=HOSTILE, subtitle="{{data}} &amp;")
    )
    assert "<img" not in text
    assert text.count("</script>") == text.count("<script")
    assert "{{data}} &amp;amp;" in text
    assert embedded(text)[0]["name"] == HOSTILE


def test_the_page_names_no_other_place():
    text = report.render(whole(example(points=3)))
    addresses = set(re.findall(r"""(?:https?:)?//[\w.-]+\.\w+[^\s"')]*""", text))
    assert addresses == {
        "https://github.com/leeoniya/uPlot",  # a comment of uPlot's own
        "http://www.w3.org/2000/svg",  # a name, which nothing fetches
    }
    assert "The MIT License" in text
    assert "default-src 'none'" in text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("kept", "the regret of 1,235 is within the 3,000 that theorem T-X promises: kept."),
        ("broken", "the regret of 1,235 exceeds the 3,000 that theorem T-X promises: broken."),
        ("vacuous", "an assumption of theorem T-X fails here: vacuous."),
        ("unknown", "is not settled by this run: unknown."),
        (None, "the regret is 1,235."),
    ],
)
def test_headline(verdict, words):
    run = {
        "learner": "Tracker",
        "certificate": [{"id": "T-Y", "bound": 7}, {"id": "T-X", "bound": 3e3}],
        "summary": {
            "rounds": 17472,
            "mean_loss": 7.6123,
            "comparator": "best sequence",
            "comparator_loss": 17472 * 7.1,
            "regret": 1234.5,
            "bound": 3000.0,
            "verdict": verdict,
        },
    }
    said = report.headline(run)
    assert said.startswith(
        "Tracker lost 7.612 a round over 17,472 rounds; the best sequence lost 7.1;"
    )
    assert said.endswith(words)


def test_headline_says_only_what_is_known():
    assert report.headline({"learner": "Hedge"}) == "Hedge played an unknown number of rounds."
    bare = {"learner": "Hedge", "summary": {"rounds": 1, "mean_loss": -0.5, "regret": math.nan}}
    assert report.headline(bare) == "Hedge lost \u22120.5 a round over 1 round."


def test_write_replaces_the_whole_file_and_leaves_nothing_beside_it(tmp_path):
    target = tmp_path / "run.html"
    target.write_text("old", encoding="utf-8")
    with pytest.warns(FileReplaced, match="was there before, and is replaced"):
        assert report.write(whole(example(points=3)), str(target)) == target
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert os.listdir(tmp_path) == ["run.html"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    target = tmp_path / "run.html"
    target.write_text("old", encoding="utf-8")
    monkeypatch.setattr(report.os, "replace", refuse)
    with pytest.raises(BadFile, match="No space left"):
        report.write(whole(example(points=3)), target)
    assert target.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["run.html"]


def test_write_names_the_folder_that_is_missing(tmp_path):
    with pytest.raises(BadFile, match=r"no folder .*absent"):
        report.write(whole(), tmp_path / "absent" / "run.html")
    with pytest.raises(BadFile, match="a folder, not a file"):
        report.write(whole(), tmp_path)


# ---- in the browser


class Opened:
    """A page in a real browser, with everything it said or asked for."""

    def __init__(self, browser, **settings):
        self.context = browser.new_context(**settings)
        self.tab = self.context.new_page()
        self.said, self.asked = [], []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.tab.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))

    def go(self, path):
        self.said.clear()
        self.asked.clear()
        self.tab.goto(path.as_uri())
        self.tab.evaluate(SETTLE)
        return self

    def js(self, code):
        """Evaluate after the charts have drawn: they draw in microtasks and on resize."""
        self.tab.evaluate(SETTLE)
        return self.tab.evaluate(code)

    def inked(self):
        """How many pixels of each chart that is on show are not empty."""
        return self.js(
            """() => window.littlestone.charts.filter(c => c.plot).map(c => {
            const p = PIXELS(c);
            let n = 0;
            for (let i = 3; i < p.length; i += 4) n += p[i] > 0;
            return n;
        })""".replace("PIXELS", PIXELS)
        )

    def drawn(self, charts):
        """Wait until so many charts have drawn: a section that opens draws them in a later task."""
        self.tab.wait_for_function(
            "n => window.littlestone.charts.filter(c => c.plot).length === n", arg=charts
        )

    def has(self, variable, chart=0):
        """Whether a colour of the theme occurs in a chart, unmixed."""
        return self.js(
            """() => {
            const hex = getComputedStyle(document.documentElement).getPropertyValue('%s').trim();
            const want = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
            const p = PIXELS(window.littlestone.charts[%d]);
            for (let i = 0; i < p.length; i += 4)
                if (p[i + 3] === 255 && want.every((w, j) => w === p[i + j])) return true;
            return false;
        }""".replace("PIXELS", PIXELS)
            % (variable, chart)
        )

    def scale(self, chart=0):
        found = self.js(
            f"(({{min, max}}) => [min, max])(littlestone.charts[{chart}].plot.scales.x)"
        )
        return tuple(found)


# Reading a canvas back slows it down, and Chromium warns: so a copy is read.
PIXELS = """(c => {
    const {width, height} = c.plot.ctx.canvas, copy = new OffscreenCanvas(width, height);
    const there = copy.getContext('2d', {willReadFrequently: true});
    there.drawImage(c.plot.ctx.canvas, 0, 0);
    return there.getImageData(0, 0, width, height).data;
})"""
SETTLE = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    short = example("hedge", points=70, rounds=9_000, seed=3)
    report.write(whole(example()), folder / "one.html")
    report.write(whole(example(), short, example("boa", seed=5)), folder / "three.html")
    return folder


@pytest.fixture(scope="module")
def desktop(browser):
    opened = Opened(browser, viewport={"width": 1200, "height": 900}, color_scheme="light")
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def phone(browser):
    opened = Opened(
        browser, viewport={"width": 360, "height": 740}, color_scheme="dark", has_touch=True
    )
    yield opened
    opened.context.close()


def test_it_draws_in_silence_and_asks_for_nothing(desktop, folder):
    desktop.go(folder / "one.html")
    desktop.drawn(3)
    assert min(desktop.inked()) > 5_000
    assert desktop.has("--learner")
    assert desktop.has("--learner", 1)
    assert desktop.has("--others", 2)
    assert desktop.said == []
    assert desktop.asked == [(folder / "one.html").as_uri()]
    assert desktop.tab.title() == "Prices"
    assert desktop.tab.locator(".badge").all_inner_texts() == [
        "\u2713 kept",
        "\u25cb vacuous",
        "? unknown",
        "\u2715 broken",
    ]


def test_dragging_zooms_all_charts_of_a_run_and_a_double_click_resets(desktop, folder):
    desktop.go(folder / "one.html")
    over = desktop.tab.locator("#chart-0 .u-over")
    over.scroll_into_view_if_needed()
    place = over.bounding_box()
    at = [place["x"] + place["width"] * share for share in (0.25, 0.75)]
    desktop.tab.mouse.move(at[0], place["y"] + 50)
    desktop.tab.mouse.down()
    desktop.tab.mouse.move(at[1], place["y"] + 60, steps=3)
    desktop.tab.mouse.up()
    low, high = desktop.scale()
    assert low == pytest.approx(17_472 / 4, rel=0.02)
    assert high == pytest.approx(17_472 * 3 / 4, rel=0.02)
    assert desktop.scale(1) == desktop.scale(2) == (low, high)
    reset = desktop.tab.get_by_role("button", name="Reset zoom")
    expect(reset).to_have_count(3)
    over.dblclick(position={"x": 200, "y": 100})
    assert desktop.scale() == desktop.scale(2) == (1, 17_472)
    expect(reset).to_have_count(0)


def test_the_legend_toggles_a_series(desktop, folder):
    desktop.go(folder / "one.html")
    learner = desktop.tab.locator(".keys").first.get_by_role("button", name="tracker")
    learner.click()
    expect(learner).to_have_attribute("aria-pressed", "false")
    assert not desktop.has("--learner")
    learner.focus()
    desktop.tab.keyboard.press("Space")
    expect(learner).to_have_attribute("aria-pressed", "true")
    assert desktop.has("--learner")


def test_hiding_an_expert_lowers_the_stack(desktop, folder):
    desktop.go(folder / "one.html")
    top = "Math.max(...littlestone.charts[2].plot.data[1])"
    assert desktop.js(top) == pytest.approx(1, abs=1e-3)
    desktop.tab.locator(".keys").nth(2).get_by_role("button", name="DNN 0").click()
    assert not desktop.has("--e0", 2)
    assert desktop.js(top) < 1


def test_views_and_guarantees_change_what_is_drawn(desktop, folder):
    desktop.go(folder / "one.html")
    ends = "littlestone.charts[0].plot.data.slice(1).map(values => values[values.length - 1])"
    run = example()
    final = {s["name"]: s["values"][-1] for s in run["cumulative"]}
    total = desktop.js(ends)
    assert total[-1] == pytest.approx(final["tracker"], rel=1e-6)  # drawn last, on top
    assert total[0] == pytest.approx(final["DNN 0"], rel=1e-6)
    desktop.tab.get_by_role("button", name="Minus the learner").click()
    assert desktop.js(ends)[-1] == 0
    assert desktop.js(ends)[0] == pytest.approx(final["DNN 0"] - final["tracker"], rel=1e-4)
    desktop.tab.get_by_role("button", name="Mean a round").click()
    assert desktop.js(ends)[0] == pytest.approx(final["DNN 0"] / 17_472, rel=1e-4)
    desktop.tab.get_by_label("Guarantee").select_option(index=2)
    last = desktop.js("littlestone.charts[1].plot.data[2].slice(-1)[0]")
    assert last == pytest.approx(run["regret"][2]["values"][-1], rel=1e-4)
    key = desktop.tab.locator(".keys").nth(1)
    expect(key).to_contain_text("Bound, T-TRACKER")
    assert desktop.said == []


def test_charts_and_theorems_by_keyboard(desktop, folder):
    desktop.go(folder / "one.html")
    tab = desktop.tab
    assert "At the end: DNN 0" in tab.locator("#chart-0-text").text_content()
    tab.locator("#chart-0").focus()
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    tab.keyboard.press("ArrowLeft")
    expect(tab.locator(".where").first).to_have_text(f"Round {example()['t'][-2]:,}")
    tab.keyboard.press("+")
    low, high = desktop.scale()
    assert high - low < 9_000
    tab.keyboard.press("Escape")
    assert desktop.scale() == (1, 17_472)
    expect(tab.get_by_text("R <= c sqrt(T k ln n)").first).to_be_hidden()
    tab.get_by_role("button", name="T-TRACKER").first.focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_text("R <= c sqrt(T k ln n)").first).to_be_visible()


def test_dark_by_preference_and_by_button(desktop, folder):
    desktop.go(folder / "one.html")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = desktop.js(paper)
    desktop.tab.emulate_media(color_scheme="dark")
    dark = desktop.js(paper)
    assert sum(map(int, re.findall(r"\d+", dark))) < 120 < sum(map(int, re.findall(r"\d+", light)))
    assert desktop.has("--learner")  # the charts follow
    desktop.tab.get_by_role("button", name="Light").click()
    assert desktop.js(paper) == light
    assert desktop.has("--learner")
    desktop.tab.emulate_media(color_scheme="light")


def test_several_runs_are_compared_then_told_one_by_one(desktop, folder):
    desktop.go(folder / "three.html")
    tab = desktop.tab
    expect(tab.locator("table").first.locator("tbody tr")).to_have_count(3)
    assert desktop.js("littlestone.charts.map(c => c.kind)")[:4] == [
        "compare",
        "cumulative",
        "regret",
        "weights",
    ]
    desktop.drawn(4)  # the closed sections are not drawn yet
    x, first, short, _ = desktop.js("littlestone.charts[0].plot.data")
    assert x == sorted(set(x))
    assert set(example("hedge", points=70, rounds=9_000)["t"]) <= set(x)
    assert None not in first
    assert short[x.index(9_000)] is not None
    assert set(short[x.index(9_000) + 1 :]) == {None}
    tab.get_by_role("link", name="boa").click()
    expect(tab.locator("#run-2")).to_have_attribute("open", "")
    desktop.drawn(7)
    assert min(desktop.inked()) > 3_000
    assert desktop.said == []


def test_on_paper_everything_is_open_light_and_drawn(desktop, folder):
    desktop.go(folder / "three.html")
    desktop.tab.emulate_media(media="print", color_scheme="dark")
    expect(desktop.tab.locator("details:not([open]), tr[hidden]")).to_have_count(0)
    assert desktop.js("document.documentElement.dataset.theme") == "light"
    desktop.drawn(10)
    assert min(desktop.inked()) > 3_000
    expect(desktop.tab.locator(".controls").first).to_be_hidden()
    expect(desktop.tab.locator("#theme")).to_be_hidden()
    desktop.tab.emulate_media(media="screen", color_scheme="light")
    expect(desktop.tab.locator("details:not([open])")).to_have_count(2)
    expect(desktop.tab.locator("#theme")).to_be_visible()


@pytest.mark.parametrize("name", ["one.html", "three.html"])
def test_nothing_overflows_a_phone(phone, folder, name):
    phone.go(folder / name)
    phone.js("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    phone.js("document.querySelectorAll('.more').forEach(b => b.click())")
    assert phone.js("document.scrollingElement.scrollWidth") <= 360
    edges = phone.js("""[...document.querySelectorAll('.uplot, .keys *, .controls *, h1, h2, p')]
        .map(e => e.getBoundingClientRect().right)""")
    assert max(edges) <= 360
    assert min(phone.inked()) > 1_000
    assert phone.said == []


def test_hostile_names_are_shown_as_text(phone, tmp_path):
    run = example(HOSTILE, points=20, experts=2)
    run["weights"]["names"][0] = run["cumulative"][1]["name"] = HOSTILE
    run["regret"][0] |= {"name": HOSTILE, "theorem": HOSTILE}
    run["certificate"][0] |= dict.fromkeys(run["certificate"][0], HOSTILE)
    run["explain"][0] |= {"expert": HOSTILE, "when": HOSTILE}
    run |= {"parameters": {HOSTILE: HOSTILE}, "data": {HOSTILE: HOSTILE}, "notes": [HOSTILE]}
    run["summary"] |= {"comparator": HOSTILE, "verdict": HOSTILE}
    payload = whole(run, run, title=HOSTILE, subtitle=HOSTILE, version=HOSTILE, created=HOSTILE)
    phone.go(report.write(payload, tmp_path / "hostile.html"))
    assert phone.js("document.images.length") == 0
    assert phone.tab.locator("h1").inner_text() == HOSTILE
    assert phone.tab.get_by_text(HOSTILE).count() > 20
    assert phone.js("document.scrollingElement.scrollWidth") <= 360
    assert phone.said == []
    assert len(phone.asked) == 1


def test_the_policy_forbids_the_network(phone, folder):
    phone.go(folder / "one.html")
    blocked = phone.js("""() => new Promise(done => {
        addEventListener('securitypolicyviolation', e => done(e.effectiveDirective));
        document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'}));
    })""")
    assert blocked == "img-src"


def test_one_round_is_points_and_a_strip(desktop, tmp_path):
    run = example(points=1, rounds=1, experts=2)
    desktop.go(report.write(whole(run), tmp_path / "run.html"))
    assert desktop.has("--learner")
    assert desktop.has("--learner", 1)
    assert desktop.has("--others", 2)
    assert desktop.tab.locator(".where").all_inner_texts() == ["Round 1"] * 3
    assert desktop.said == []


def bare(**parts):
    """A run of which only some parts are known."""
    return {"name": "hedge", "learner": "Hedge", "summary": {"rounds": 3}, "t": [1, 2, 3], **parts}


@pytest.mark.parametrize(
    ("runs", "drawn"),
    [
        ([bare(weights=None, explain=None, regret=None, cumulative=[], notes=None)], 0),
        ([bare(weights={"names": [], "values": []}, regret=[])], 0),
        ([bare(t=[], cumulative=[{"name": "hedge", "kind": "learner", "values": []}])], 0),
        ([bare(cumulative=[{"name": "a", "kind": "expert", "values": [1, None, 3]}])], 1),
        ([bare(regret=[{"name": "vs a", "values": [0, math.nan, 2], "bound": None}])], 1),
        ([bare(weights={"names": ["a"], "values": [[None, 1, 1]]}, summary=None)], 1),
        ([bare(), bare(label="another")], 1),
        ([], 0),
    ],
    ids=[
        "nothing",
        "no weights",
        "no rounds",
        "no learner",
        "no bound",
        "no summary",
        "two without curves",
        "no runs",
    ],
)
def test_what_is_missing_is_left_out(desktop, tmp_path, runs, drawn):
    desktop.go(report.write(whole(*runs), tmp_path / "run.html"))
    assert len(desktop.inked()) == drawn
    assert all(count > 100 for count in desktop.inked())
    assert desktop.said == []
    assert "undefined" not in desktop.tab.inner_text("body")
    assert "NaN" not in desktop.tab.inner_text("body")
