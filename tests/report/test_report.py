"""From real runs to pages, pictures and explanations."""

import json
import re
import sys

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import LittlestoneError
from littlestone.core.game import RoundKind, Traits
from littlestone.core.guarantee import Guarantee, Verdict
from littlestone.report import page as pages
from littlestone.report.explain import explain
from littlestone.report.payload import payload, report, section
from littlestone.report.readers import reader
from littlestone.report.references import references
from littlestone.report.sections import Section, certificate_line, document

PRICES = "Forecasts_NP_DNN_LEAR_ensembles.csv"


def rounds(T=80, n=3, seed=0):
    """Advice around an outcome; the first expert is the best in the first half, the last in the second."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(0.3, 0.7, T)
    noise = np.full((T, n), 0.3)
    noise[: T // 2, 0] = noise[T // 2 :, -1] = 0.02
    return np.clip(y[:, None] + rng.normal(size=(T, n)) * noise, 0, 1), y


def opened(browser, path):
    """A page, and what its console complained of; any request but the file itself is a complaint."""
    page, problems = browser.new_page(), []
    page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else 0)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda r: problems.append(r.url) if not r.url.startswith(("file:", "data:")) else 0,
    )
    page.goto(path.resolve().as_uri())
    page.wait_for_selector("canvas")
    return page, problems


# ---- pages of real runs


def test_a_page_of_real_prices(browser, data_dir, tmp_path):
    words = {"outcome": "Real price", "experts": ["!*Ensemble"]}
    runs = [ls.play("tracker", data_dir / PRICES, delay=delay, **words) for delay in (0, 24)]
    path = report(runs, tmp_path / "prices.html")
    assert path.stat().st_size < 400_000
    page, problems = opened(browser, path)
    text = page.inner_text("body")
    assert problems == []
    assert f"{PRICES}, 17,472 rounds, 8 experts" in text
    assert "tracker, feedback 24 rounds late" in text
    assert "T-TRACKER-MIX" in text
    assert "all experts alike" in text
    assert "10.638 a round" in text
    page.close()


def test_a_long_run_has_a_small_page(browser, tmp_path):
    T, n = 200_000, 16
    losses = np.random.default_rng(0).uniform(size=(T, n))
    run = ls.play("hedge", losses)
    path = run.report(tmp_path / "long.html")
    assert path.stat().st_size < 400_000
    page, problems = opened(browser, path)
    assert problems == []
    assert "200,000 rounds" in page.inner_text("body")
    page.close()


def games():
    """A run of every kind that a page has to cope with."""
    x, y = rounds()
    sleepy = x.copy()
    sleepy[::3, 0] = np.nan
    unheard = y.copy()
    unheard[10:20] = np.nan
    labels = np.random.default_rng(0).integers(0, 2, (40, 3))
    learner = ls.play("hedge", x, y, interval=(0, 1)).learner
    yield "advice", ls.play("fixed-share", x, y, interval=(0, 1))
    yield "losses", ls.play("hedge", x)
    yield "late", ls.play("hedge", x, y, delay=7)
    yield "asleep", ls.play("hedge", sleepy, y, interval=(0, 1))
    yield "without answers", ls.play("hedge", x, unheard, interval=(0, 1))
    yield "without any answer", ls.play("hedge", x, np.full(80, np.nan), interval=(0, 1))
    yield "votes", ls.play("weighted-majority", labels, labels[:, 1])
    yield "one round", ls.play("hedge", x[:1], y[:1], interval=(0, 1))
    yield "resumed", ls.play(learner, x, y, resume=True)
    yield "one expert", ls.play("hedge", x[:, :1], y, interval=(0, 1))
    yield "hostile names", ls.play("hedge", x, y, experts=["<b>", "</script>", "a\\b"])


def test_pages_of_every_game(browser, tmp_path, plain):
    for name, run in games():
        page, problems = opened(browser, run.report(tmp_path / f"{name}.html"))
        assert problems == [], name
        assert page.inner_text("h1") == run.label
        page.close()


def test_one_page_for_all_keys(tmp_path, plain):
    x, y = rounds()
    runs = ls.play("hedge", x, y, by=["b", "a", "b", "c"] * 20, interval=(0, 1))
    text = runs.report(tmp_path / "keys.html").read_text(encoding="utf-8")
    assert "<h1>hedge, 3 keys</h1>" in text
    assert "80 rounds, 3 experts" in text
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert [r["label"] for r in json.loads(found[1])["runs"]] == [
        "hedge, b",
        "hedge, a",
        "hedge, c",
    ]


def test_anything_with_a_certificate_can_be_drawn(browser, tmp_path):
    """A section needs no run: here, a theorem about the error of a model on examples that it has not seen."""
    theorem = Guarantee(
        "T-HOEFFDING", "Hoeffding", "error <= ...", "Hoeffding (1963)", lambda s: 0.25
    )
    verdict = Verdict(theorem, "kept", "", "every example", 0.125, 0.25)
    summary = {"rounds": 40, "accuracy": 0.875, "verdict": "kept"}
    made = Section("tree", "a tree, held out", summary, [certificate_line(verdict)], learner="Tree")
    written = pages.write(document("Held out", "40 examples", [vars(made)]), tmp_path / "page.html")
    page, problems = browser.new_page(), []
    page.on("console", lambda m: problems.append(m.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(written.resolve().as_uri())
    text = page.inner_text("body")
    assert problems == []
    assert page.inner_text("h1") == "Held out"
    assert "Tree was right in 87.50% of 40 rounds" in text
    assert "T-HOEFFDING" in text
    assert "kept" in text
    page.close()


def test_rounds_of_a_new_kind_are_read_as_every_run_is(plain):
    x, y = rounds()
    run = ls.play("hedge", x, y, interval=(0, 1))

    class Other:
        """The same run, but its rounds bring something that the report has no reader for."""

        traits = Traits(RoundKind("votes"), "number")

        def __getattr__(self, name):
            return getattr(run, name)

    other = Other()
    found = section(other)
    assert [c["kind"] for c in found["cumulative"]] == ["learner"]
    assert found["cumulative"][0]["values"][-1] == pytest.approx(run.loss)
    assert (found["regret"], found["weights"], found["explain"]) == ([], None, None)
    assert len(found["certificate"]) == len(run.certificate)
    assert reader(other).references([other]) == []
    assert pages.headline(found).startswith("Hedge lost")


# ---- what the page is told


def test_the_payload_is_the_run(plain):
    x, y = rounds()
    run = ls.play("fixed-share", x, y, interval=(0, 1))
    found = section(run)
    assert found["t"][-1] == 80
    learner = found["cumulative"][0]
    assert (learner["kind"], learner["values"][-1]) == ("learner", pytest.approx(run.loss))
    by_name = {c["name"]: c["values"][-1] for c in found["cumulative"]}
    for i, name in enumerate(run.names):
        assert by_name[name] == pytest.approx(((x[:, i] - y) ** 2).sum())
    assert by_name["best sequence, 1 shift"] <= min(by_name[name] for name in run.names)
    assert found["regret"][0]["values"][-1] == pytest.approx(run.regret)
    assert found["regret"][0]["bound"][-1] == pytest.approx(run.bound)
    np.testing.assert_allclose(np.sum(found["weights"]["values"], axis=0), 1.0)
    np.testing.assert_allclose(np.array(found["weights"]["values"]).T, run.weights)


def test_the_theorem_of_the_headline_comes_first():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    run = ls.play("tracker", y[:, None] + rng.normal(size=(300, 4)), y)  # a mixture is best
    assert run.headline.guarantee.id != run.certificate.verdicts[0].guarantee.id
    rows = section(run)["certificate"]
    assert rows[0]["id"] == run.headline.guarantee.id
    assert rows[0]["bound"] == run.headline.bound
    assert len(rows) == len(run.certificate)


def test_a_sequence_that_never_shifts_is_called_by_its_name(plain):
    rng = np.random.default_rng(0)
    losses = rng.uniform(size=(50, 3)) + np.array([0.0, 0.5, 0.5])
    run = ls.play("fixed-share", losses, interval=(0, 1.5))
    assert run.headline.guarantee.against == "sequence"
    found = section(run)
    assert found["summary"]["comparator"] == "best expert (expert 1)"
    assert found["regret"][0]["name"] == "to best expert (expert 1)"


def test_many_runs_are_cut_and_the_page_says_so(plain):
    x, y = rounds()
    runs = ls.play("hedge", x, y, by=[f"k{t % 40}" for t in range(80)], interval=(0, 1))
    found = payload(list(runs.values()))
    assert len(found["runs"]) == 32
    assert "32 of 40 runs are shown" in found["subtitle"]
    assert "80 rounds" in found["subtitle"]


# ---- simple answers


@pytest.mark.parametrize("loss", ["square", "absolute", "pinball:0.8", "log"])
def test_all_experts_alike(loss, plain):
    x, y = rounds()
    x = np.clip(x, 0.01, 0.99)
    learner = ls.WeightedAverage(loss=loss) if loss == "log" else ls.Hedge(loss=loss)
    run = ls.play(learner, x, y, interval=(0, 1))
    at = ls.core.losses.parse_loss(loss).at
    p = x.mean(axis=1)
    expected = sum(at(a, b) for a, b in zip(p, y, strict=True))
    assert run.uniform_loss == pytest.approx(expected, rel=1e-12)


def test_all_experts_alike_means_those_awake(plain):
    x, y = rounds(T=12)
    x[2, 0] = x[5, 1] = np.nan
    x[7] = np.nan  # all sleep: the last prediction is repeated
    y[9] = np.nan  # no answer
    run = ls.play("hedge", x, y, interval=(0, 1), asleep="last")
    p = np.array([np.mean(row[row == row]) if (row == row).any() else np.nan for row in x])
    p[7] = p[6]
    assert run.uniform_loss == pytest.approx(np.nansum((p - y) ** 2), rel=1e-12)


def test_all_experts_alike_in_pieces_is_the_same(plain):
    x, y = rounds()
    x[40] = np.nan
    pieces = ((x[a : a + 8], y[a : a + 8]) for a in range(0, 80, 8))
    words = {"interval": (0, 1), "asleep": "last"}
    whole, parts = ls.play("hedge", x, y, **words), ls.play("hedge", pieces, **words)
    assert parts.uniform_loss == pytest.approx(whole.uniform_loss, rel=1e-12)


def test_references_of_one_run_and_of_keys(plain):
    x, y = rounds()
    losses = (x - y[:, None]) ** 2
    run = ls.play("hedge", x, y, interval=(0, 1))
    found = {r.kind: r.loss for r in references([run])}
    assert found["best_expert"] == pytest.approx(losses.sum(axis=0).min())
    assert found["best_linear"] <= found["best_mixture"] <= found["best_expert"]
    runs = ls.play("hedge", x, y, by=[0] * 40 + [1] * 40, interval=(0, 1))
    keyed = {r.kind: r for r in references(list(runs.values()))}
    assert keyed["best_expert"].loss == pytest.approx(losses.sum(axis=0).min())
    assert keyed["best_expert_of_each_key"].loss == pytest.approx(
        losses[:40, 0].sum() + losses[40:, 2].sum()
    )
    assert keyed["uniform"].loss == pytest.approx(run.uniform_loss)
    assert keyed["best_mixture"].name == "best fixed mixture of each key"


def test_labels_and_rounds_without_answers_have_no_mean(plain):
    labels = np.random.default_rng(0).integers(0, 2, (40, 3))
    votes = ls.play("weighted-majority", labels, labels[:, 1])
    assert votes.uniform_loss is None
    assert [r.kind for r in references([votes])] == ["best_expert", "most_frequent", "previous"]
    x, _ = rounds()
    silent = ls.play("hedge", x, np.full(80, np.nan), interval=(0, 1))
    assert references([silent]) == []


# ---- explanations


def test_explain_says_who_led_and_what_leaving_out_costs(plain):
    x, y = rounds(T=200)
    learner = ls.FixedShare(eta=20.0, alpha=0.02)
    run = ls.play(learner, x, y, interval=(0, 1))
    found = run.explain()
    parts = {p.expert: p for p in found.parts}
    assert sum(p.share for p in found.parts) == pytest.approx(1.0)
    assert [p.share for p in found.parts] == sorted((p.share for p in found.parts), reverse=True)
    first, last = parts["expert 1"], parts["expert 3"]
    assert first.first <= 10
    assert 95 <= first.last <= 130
    assert last.last == 200
    assert first.led + last.led > 0.9
    for i, name in enumerate(run.names):
        rest = [j for j in range(3) if j != i]
        other = ls.play(learner, x[:, rest], y, interval=(0, 1))
        assert parts[name].leave_out == pytest.approx(other.loss - run.loss, rel=1e-12)
    assert first.leave_out > 0 > parts["expert 2"].leave_out
    lines = str(found).splitlines()
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1


def test_nothing_is_left_out_where_the_run_could_not_be_played_again(plain):
    x, y = rounds()
    learner = ls.play("hedge", x, y, interval=(0, 1)).learner
    pieces = iter([(x[:40], y[:40]), (x[40:], y[40:])])
    for run in (
        ls.play(learner, x, y, resume=True),
        ls.play("hedge", x, y, delay=3),
        ls.play("hedge", pieces, interval=(0, 1)),
    ):
        found = explain(run)
        assert all(p.leave_out is None for p in found.parts)
        assert "not computed" in str(found)


# ---- pictures


def test_plot_shows_losses_regret_and_weights(tmp_path, plain):
    pytest.importorskip("matplotlib")
    x, y = rounds()
    run = ls.play("fixed-share", x, y, interval=(0, 1))
    picture = run.plot()
    top, middle, bottom = picture.axes
    lines = {line.get_label(): line for line in top.lines}
    assert lines["fixed-share"].get_ydata()[-1] == pytest.approx(run.mean_loss)
    shown = {line.get_label(): line for line in middle.lines}
    assert shown["T-FS-ANYTIME"].get_ydata()[-1] == pytest.approx(run.bound)
    assert bottom.get_xlabel() == "round"
    picture.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_plot_says_what_it_needs(monkeypatch, plain):
    x, y = rounds()
    run = ls.play("hedge", x, y, interval=(0, 1))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(LittlestoneError, match=r'pip install "littlestone\[plot\]"'):
        run.plot()
