"""From runs over examples to curves, yardsticks and pages."""

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone as ls
from littlestone.core.registry import learners
from littlestone.play import batches
from littlestone.report import curves, page, rivals
from littlestone.report.accuracy import accuracy
from littlestone.report.each_round import each_round
from littlestone.report.payload import payload, report, section
from littlestone.report.references import references
from littlestone.report.simple import LabelTally, quantile
from littlestone.report.words import features, loss_name


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")


def examples(T=150, noise=0.4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(T, 3))
    return x, np.where(x[:, 0] + noise * rng.normal(size=T) > 0, 1, -1)


def stream_of(x, y, rows=20):
    """Batches that are not kept, as of a file that is larger than what is kept."""
    return ((x[i : i + rows], y[i : i + rows]) for i in range(0, len(y), rows))


@pytest.fixture
def not_kept(monkeypatch):
    monkeypatch.setattr(batches, "KEPT", 0)


def mistakes(u, x, y):
    return float((y * (x @ u[-3:] + (u[0] if len(u) > 3 else 0.0)) <= 0).sum())


# ---- rivals


def test_the_rival_of_probabilities_is_the_best_logistic_predictor():
    x, y = examples()
    run = ls.play("online-linear", x, y, labels=(-1, 1))
    who = rivals.find_rival(run)
    assert who.name == "best linear predictor"

    def log_loss(u):
        return np.logaddexp(0.0, -y * (x @ u[1:] + u[0])).sum()

    assert who.loss == pytest.approx(log_loss(who.u))
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(20):
            assert log_loss(who.u + size * rng.normal(size=4)) >= who.loss - 1e-3


def test_the_rival_is_the_comparator_of_the_run():
    x, y = examples()
    for key in ("perceptron", "ogd", "logistic", "multiclass-perceptron", "softmax"):
        run = ls.play(key, x, y)
        who = rivals.find_rival(run)
        assert who.name == run.comparator
        assert who.loss == pytest.approx(run.comparator_loss)


def numbers(rounds=20):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rounds, 2))
    return x, 100.0 + x @ [3.0, -2.0] + rng.normal(size=rounds)


@pytest.mark.parametrize("key", ["online-linear-regression", "online-kernel-regression"])
def test_the_rival_has_a_constant_where_the_learner_has_one(key):
    x, y = numbers()
    run = ls.play(key, x, y)
    A = np.column_stack([np.ones(len(x)), x])
    least = float(np.sum((A @ np.linalg.lstsq(A, y, rcond=None)[0] - y) ** 2))
    who = rivals.find_rival(run)
    assert who.name == run.comparator == "best linear predictor"
    for found in (who.loss, run.comparator_loss, run.best.loss):
        assert found == pytest.approx(least)


def test_a_rival_without_a_constant_says_so():
    x, y = numbers()
    for constant, name in ((False, " through the origin"), (True, "")):
        run = ls.play(ls.OGD(loss="square", intercept=constant), x, y)
        who = rivals.find_rival(run)
        A = np.column_stack([np.ones(len(x)), x]) if constant else x
        assert who.name == run.comparator == f"best linear predictor{name}"
        least = float(np.sum((A @ np.linalg.lstsq(A, y, rcond=None)[0] - y) ** 2))
        assert who.loss == pytest.approx(least, rel=1e-4)


def test_with_several_classes_the_rival_has_a_row_a_class():
    x, _ = examples()
    y = np.where(x[:, 1] > 0.5, "c", np.where(x[:, 0] > 0, "b", "a"))
    run = ls.play("online-linear", x, y, labels=("a", "b", "c"))
    who = rivals.find_rival(run)
    assert who.name == "a good linear predictor"  # with a small penalty
    assert who.u.shape == (3, 4)  # with a constant
    z = np.column_stack([np.ones(150), x]) @ who.u.T
    code = np.searchsorted(["a", "b", "c"], y)
    log = np.log(np.exp(z).sum(axis=1)) - z[np.arange(150), code]
    assert who.loss == pytest.approx(log.sum())
    assert who.loss < 0.5 * 150 * math.log(3)
    (best,) = [r for r in references([run]) if r.kind == "best_linear"]
    assert best.mistakes == (z.argmax(axis=1) != code).sum()


@pytest.mark.parametrize("key", ["perceptron", "logistic"])
def test_where_time_was_up_before_all_comparators_were_found_the_best_is_searched_for(
    key, monkeypatch
):
    monkeypatch.setattr("littlestone.hindsight.search.candidates.path", lambda *_: None)
    x, y = examples()
    run = ls.play(key, x, y)
    assert run.comparator == (
        "its own last weights" if key == "perceptron" else "best linear predictor"
    )
    who = rivals.find_rival(run)
    if (
        key == "perceptron"
    ):  # what it came to makes no more mistakes than the best by the hinge loss
        assert who.name == run.comparator
        assert who.loss == run.comparator_loss == mistakes(who.u, x, y)
    else:
        assert who.name == "best linear predictor"
        assert who.loss == pytest.approx(run.comparator_loss)
        assert who.loss < 0.5 * 150 * math.log(2)
    found = section(run)["summary"]
    assert found["comparator_loss"] == pytest.approx(who.loss)
    assert found["regret"] == pytest.approx(run.loss - who.loss)
    allowed = run.loss - run.regret + run.bound  # which stays as it is
    assert found["bound"] == pytest.approx(allowed - who.loss)
    for name in ("SHARP", "LITTLE"):
        monkeypatch.setattr(f"littlestone.hindsight.search.best_linear.{name}", 0.0)
    assert rivals.find_rival(ls.play("ogd", x, y)).name == "a good linear predictor"


def test_predictors_by_the_hinge_and_by_its_square_have_names_of_their_own():
    x, y = examples(300)
    run = ls.play("p-norm-perceptron", x, y)
    names = [p.name for p in rivals.predictors(run)] if run.certificate else []
    assert len(names) == len(set(names)) > 8
    for k, p in enumerate(rivals.predictors(run)):
        found = rivals.weights_of(run, p.name, k)
        assert found is p.u
        lost = each_round(run, found)["L"].sum()
        assert lost == run.comparators("linear").L[k]


def test_weights_answers_and_passes_count():
    x, y = examples()
    h = np.random.default_rng(0).integers(0, 4, 150).astype(float)
    silent = y.astype(float)
    silent[10:20] = np.nan
    run = ls.play("perceptron", x, silent, importance=h)
    u = rivals.find_rival(run).u
    each = each_round(run, u)
    known = np.isfinite(silent) & (h > 0)
    assert each["T"].sum() == known.sum()
    assert each["importance"].sum() == h[known].sum()
    assert each["L"].sum() == (h * (silent * (x @ u) <= 0))[known].sum()
    twice = ls.play("perceptron", x, y, passes=2)
    assert rivals.find_rival(twice).loss == 2 * mistakes(rivals.find_rival(twice).u, x, y)


# ---- curves


def every_learner():
    return [
        key
        for key, cls in learners().items()
        if cls.examples and not cls.boolean and not key.startswith(("halving", "fourier", "kernel"))
    ]


@pytest.mark.parametrize("key", every_learner())
def test_a_bound_curve_ends_where_the_certificate_is(key):
    x, y = examples()
    try:
        # classes are declared: the mistake in the round that first brings one is no update
        run = (
            ls.play(key, x, y, labels=(-1, 1))
            if learners()[key]().labels
            else ls.play(key, x, y * 1.0)
        )
    except ls.LittlestoneError as problem:
        pytest.skip(str(problem))
    for v in run.certificate:
        found = run.bound_curve(v)
        if found is None:
            assert v.verdict not in ("kept", "broken") or v.guarantee.against != "linear"
            continue
        t, measured, bound = found
        end = (v.measured, v.bound)
        if curves.charted(run, v) == "regret":
            end = (v.regret, v.regret_bound)
        assert t[-1] == 150
        assert measured[-1] == pytest.approx(end[0], rel=1e-9, abs=1e-9)
        assert bound[-1] == pytest.approx(end[1], rel=1e-6)
        assert (measured <= bound + 1e-6 * (1 + np.abs(bound))).all()


def test_a_bound_curve_is_the_bound_of_every_shorter_run():
    x, y = examples()
    run = ls.play(ls.Perceptron(normalise=False), x, y)
    (v,) = [v for v in run.certificate if v.verdict == "kept"]
    u = rivals.weights_of(run, v.comparator, v.index)
    t, regret, bound = run.bound_curve(v)
    for k in (10, 60, 149):
        hinge = np.maximum(0.0, 1.0 - y[:k] * (x[:k] @ u))
        short = ls.play(ls.Perceptron(normalise=False), x[:k], y[:k])
        symbols = short.symbols(short.transcript.copies[0])
        sums = {"H": np.array([hinge.sum()]), "H2": np.array([(hinge**2).sum()])}
        symbols.__dict__.update(U2=np.array([u @ u]), **sums)
        allowed = float(v.guarantee.bound(symbols)[0])
        wrong = mistakes(u, x[:k], y[:k])
        assert t[k - 1] == k
        assert bound[k - 1] == pytest.approx(allowed - wrong, rel=1e-9)
        assert regret[k - 1] == short.mistakes - wrong


def test_a_theorem_about_another_number_is_drawn_as_that_number():
    x, y = examples()
    run = ls.play("online-linear", x, y)
    (v,) = [v for v in run.certificate if v.guarantee.id == "T-ONLINE-LINEAR"]
    assert curves.charted(run, v) == "excess"
    t, excess, bound = run.bound_curve(v)
    assert excess[-1] == pytest.approx(v.measured)
    assert bound[-1] == pytest.approx(v.bound)
    np.testing.assert_allclose(bound, math.log(256 / 51) + np.log(t))
    (r,) = [r for r in section(run)["regret"] if r["theorem"] == "T-ONLINE-LINEAR"]
    assert (r["what"], r["name"]) == ("Excess", "")


def test_no_curve_where_copies_took_turns_or_nothing_was_kept(not_kept):
    x, y = examples()
    late = ls.play("perceptron", x, y, delay=2)
    streamed = ls.play("perceptron", stream_of(x, y))
    assert streamed.transcript.data is None
    for run in (late, streamed):
        assert all(run.bound_curve(v) is None for v in run.certificate)
    own, best = ls.play("online-linear", stream_of(x, y)).certificate
    assert (own.guarantee.id, own.verdict) == ("T-ONLINE-LINEAR", "kept")  # without a comparator
    assert best.verdict == "unknown"


def test_a_run_that_went_on_is_counted_from_where_it_went_on():
    x, y = examples()
    learner = ls.play("perceptron", x[:50], y[:50]).learner
    run = ls.play(learner, x[50:], y[50:], resume=True)
    u = rivals.find_rival(run).u
    lost = curves.predictor_curve(run, u)["L"]
    assert run.trace["t"][-1] == 150
    assert lost[-1] == mistakes(u, x[50:], y[50:])
    assert lost[9] == mistakes(u, x[50:60], y[50:60])


# ---- accuracy


def test_accuracy_in_blocks(monkeypatch):
    monkeypatch.setattr("littlestone.report.accuracy.SEVERAL", 6)
    x, y = examples()
    run = ls.play("perceptron", x, y)
    found = accuracy(run)
    assert found["t"] == [26, 51, 75, 100, 125, 150]  # nearly alike
    lines = {line["name"]: line["values"] for line in found["lines"]}
    ends = [0, *found["t"]]
    right = run.losses == 0
    blocks = [right[a:b].mean() for a, b in pairwise(ends)]
    np.testing.assert_allclose(lines["perceptron"], blocks)
    so_far = [right[:b].mean() for b in ends[1:]]
    np.testing.assert_allclose(lines["perceptron, all rounds so far"], so_far)
    assert so_far[-1] == run.accuracy
    before = np.concatenate([[False], y[1:] == y[:-1]])
    blocks = [before[a:b].mean() for a, b in pairwise(ends)]
    np.testing.assert_allclose(lines["the label of the round before"], blocks)
    u = rivals.find_rival(run).u
    name = rivals.find_rival(run).name
    blocks = [1 - mistakes(u, x[a:b], y[a:b]) / (b - a) for a, b in pairwise(ends)]
    np.testing.assert_allclose(lines[name], blocks)


@pytest.mark.parametrize(("rounds", "points"), [(5, 5), (60, 8), (120, 8), (450, 9)])
def test_a_short_run_has_several_points(rounds, points):
    x, y = examples(rounds)
    found = accuracy(ls.play("perceptron", x, y))
    assert len(found["t"]) == len(found["lines"][0]["values"]) == points
    assert found["t"][-1] == rounds


def test_a_simple_answer_says_once_by_which_loss_it_was_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(90, 3))
    run = ls.play("softmax", x, np.argmax(x + 0.3 * rng.normal(size=(90, 3)), axis=1))
    found = references([run])
    names = [r.name for r in found if r.kind == "best_linear"]
    assert names
    assert all(name.count("by log loss") == 1 for name in names), names


def test_accuracy_of_weighted_rounds_is_weighted_and_without_them_left_out(not_kept, monkeypatch):
    monkeypatch.setattr("littlestone.report.accuracy.SEVERAL", 1)  # one block
    x, y = examples(60)
    h = np.where(np.arange(60) % 2, 3.0, 1.0)
    run = ls.play("perceptron", x, y, importance=h)
    (values,) = [s["values"] for s in accuracy(run)["lines"] if s["name"] == "perceptron"]
    assert values[0] == pytest.approx(run.accuracy)
    streamed = ls.play("perceptron", stream_of(x, y))
    assert accuracy(streamed)["lines"][0]["values"] == [pytest.approx(streamed.accuracy)]
    silent = y.astype(float)
    silent[3] = np.nan
    assert accuracy(ls.play("perceptron", stream_of(x, silent))) is None  # who was heard when?


# ---- yardsticks


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.0, math.nan]), st.integers(0, 3)), max_size=30),
    st.integers(1, 7),
)
def test_a_tally_in_pieces_is_the_count_of_all(rounds, size):
    tally = LabelTally()
    for i in range(0, len(rounds), size):
        piece = rounds[i : i + size]
        tally.add(np.array([y for y, _ in piece]), np.array([float(h) for _, h in piece]))
    heard = [(y, h) for y, h in rounds if y == y and h > 0]
    assert tally.counts.sum() == sum(h for _, h in heard)
    for label in (0, 1, 2):
        counted = tally.counts[label] if label < len(tally.counts) else 0
        assert counted == sum(h for y, h in heard if y == label)
    assert tally.changed == sum(
        h for k, (y, h) in enumerate(heard) if k == 0 or heard[k - 1][0] != y
    )


def test_quantile_by_importance():
    y, h = np.array([5.0, 1.0, 3.0]), np.array([1.0, 1.0, 8.0])
    assert [quantile(y, h, q) for q in (0.05, 0.5, 0.95)] == [1.0, 3.0, 5.0]


def test_yardsticks_of_numbers_are_charged_the_same_loss():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    for loss, best in (("square", np.mean), ("absolute", np.median)):
        at = ls.core.losses.parse_loss(loss).at
        run = ls.play(learners()["ogd"](loss=loss), x, y, labels=False)
        found = {r.kind: r for r in references([run])}
        constant = sum(at(best(y), v) for v in y)
        assert found["constant"].loss == pytest.approx(constant, rel=0.02)
        assert found["constant"].loss <= constant + 1e-9 or loss == "absolute"
        before = sum(at(p, v) for p, v in zip([0.0, *y[:-1]], y, strict=True))
        assert found["previous"].loss == pytest.approx(before)
        assert math.isnan(found["previous"].mistakes)


def test_words_for_losses_and_sizes():
    x, y = examples(30)
    names = {
        key: loss_name(ls.play(key, x, y))
        for key in ("perceptron", "ogd", "logistic", "online-linear", "softmax", "kernel-ogd")
    }
    assert names == {
        "perceptron": "mistakes counted",
        "ogd": "hinge loss",
        "logistic": "log loss",
        "online-linear": "log loss",
        "softmax": "log loss",
        "kernel-ogd": "expected mistakes",
    }
    assert features(ls.play("perceptron", x, y)) == "3 features"
    assert features(ls.play("perceptron", x[:, :1], y)) == "1 feature"
    dicts = [{"a": 1.0}, {"b": 2.0}]
    assert features(ls.play("perceptron", dicts, [1, -1])).endswith("features, sparse")


# ---- pages


def games():
    """A run of every kind that a page has to cope with."""
    x, y = examples(60)
    three = np.where(x[:, 1] > 0.5, "blue", np.where(x[:, 0] > 0, "red", "green"))
    silent = y.astype(float)
    silent[5:15] = np.nan
    many = [f"class {t % 40}" for t in range(60)]
    learner = ls.play("perceptron", x, y).learner
    yield "mistakes", ls.play("perceptron", x, y)
    yield "separable", ls.play("perceptron", x, np.sign(x[:, 0]).astype(int))
    yield "hinge", ls.play("passive-aggressive", x, y)
    yield "probabilities", ls.play("online-linear", x, y)
    yield "several classes", ls.play("online-linear", x, three)
    yield "many classes", ls.play("multiclass-perceptron", x, many)
    yield "numbers", ls.play("online-linear", x, x[:, 0] * 2, labels=False)
    yield "drawn", ls.play("kernel-ogd", x, y)
    yield "points", ls.play("projected-gradient", x, x[:, 0])
    yield "late", ls.play("perceptron", x, y, delay=5)
    yield "resumed", ls.play(learner, x, y, resume=True)
    yield "passes", ls.play("perceptron", x, y, passes=3)
    yield "without answers", ls.play("perceptron", x, silent)
    yield "one round", ls.play("perceptron", x[:1], y[:1])
    yield "importance", ls.play("logistic", x, y, importance=np.arange(60.0))
    yield "sparse", ls.play("perceptron", [{"a": v, "b<i>": 1.0} for v in x[:, 0]], y)
    yield "hostile labels", ls.play("perceptron", x, np.where(y > 0, "</script>", "<b>"))


def test_a_page_of_every_game(browser, tmp_path):
    runs = dict(games())
    opened, problems = browser.new_page(), []
    opened.on("console", lambda m: problems.append(m.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto(report(list(runs.values()), tmp_path / "page.html").resolve().as_uri())
    opened.wait_for_selector("canvas")
    opened.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    text = opened.inner_text("body")
    assert problems == []
    assert "undefined" not in text
    assert "NaN" not in text
    kinds = opened.evaluate("littlestone.charts.map(c => c.kind)")
    assert kinds.count("accuracy") == sum(run.classifies for run in runs.values())
    assert kinds.count("cumulative") == len(runs)
    drawn = opened.evaluate("littlestone.charts.filter(c => c.plot).length")
    assert drawn == len(kinds)
    opened.close()


def test_every_game_has_a_headline_without_a_number_that_is_none():
    for name, run in games():
        if name == "sparse":
            continue
        said = page.headline(section(run))
        assert said.endswith("."), name
        assert not re.search(r"\b(nan|None|inf)\b", said), said


def test_the_page_of_a_run_over_examples(browser, tmp_path):
    x, y = examples()
    run = ls.play("perceptron", x, y)
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.goto(run.report(tmp_path / "page.html").resolve().as_uri())
    opened.wait_for_selector("canvas")
    assert opened.evaluate("littlestone.charts.map(c => c.kind)") == [
        *("accuracy", "cumulative", "regret")
    ]
    figures = dict(
        zip(
            opened.locator(".figures dt").all_inner_texts(),
            opened.locator(".figures dd").all_inner_texts(),
            strict=True,
        )
    )
    assert figures["Accuracy"] == f"{run.accuracy:.2%}"
    assert figures["Loss"] == f"{run.mistakes:.0f}"
    assert opened.get_by_role("heading", name="Mistakes so far").count() == 1
    values = opened.locator("#chart-0 ~ .keys .value").all_inner_texts()
    assert f"{run.accuracy:.2%}" in values  # all rounds so far
    ends = opened.evaluate("littlestone.charts[1].plot.data.slice(1).map(v => v[v.length - 1])")
    assert ends == pytest.approx([run.comparator_loss, run.mistakes], abs=1e-3)
    opened.close()


def test_learners_of_classes_are_compared_by_their_mistakes(browser, tmp_path):
    x, y = examples()
    runs = [ls.play(key, x, y) for key in ("perceptron", "logistic")]
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.goto(report(runs, tmp_path / "two.html").resolve().as_uri())
    opened.wait_for_selector("canvas")
    heads = opened.locator("table").first.locator("th").all_inner_texts()
    assert heads[:5] == ["Learner", "Accuracy", "Loss", "Mean loss", "Charged"]
    assert opened.get_by_role("heading", name="Mistakes of the learners").count() == 1
    ends = opened.evaluate("littlestone.charts[0].plot.data.slice(1).map(v => v[v.length - 1])")
    assert ends == [run.mistakes for run in runs]
    opened.close()


def embedded(text):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found[1])["runs"]


def test_a_large_page_is_thinned_with_its_mistakes():
    x, y = examples(700)
    run = section(ls.play("perceptron", x, y))
    text = page.render({"title": "t", "runs": [run] * 32})
    assert len(text) < 400_000
    for found in embedded(text):
        assert len(found["mistakes"]) == len(found["t"]) < 600
        assert found["mistakes"][-1] == run["summary"]["mistakes"]
        assert len(found["accuracy"]["t"]) == len(run["accuracy"]["t"])


class Test:
    """What `--test` hands to the page."""

    accuracy = 0.875

    def __str__(self):
        return "test t.csv: 8 rows, accuracy 0.8750"


def test_the_test_stands_with_the_last_run():
    x, y = examples(60)
    runs = [ls.play("perceptron", x, y, delay=d, interleave=False) for d in (0, 2)]
    last, first = payload(runs, test=Test())["runs"]  # the late one stands first on the page
    assert "test" not in first["summary"]
    assert last["summary"]["test"] == 0.875
    assert last["notes"][0] == "test t.csv: 8 rows, accuracy 0.8750"
    assert "of the test examples it got 87.50% right" in page.headline(last)


def test_headlines_say_what_was_learned():
    x, y = examples()
    said = page.headline(section(ls.play("perceptron", x, y)))
    run = ls.play("perceptron", x, y)
    assert said.startswith("Better than always ")
    assert f". Perceptron was right in {run.accuracy:.2%} of 150 rounds; the linear " in said
    assert f"(penalty {run.comparator.rpartition(' ')[2]}) made" in said
    assert f"the regret of {run.regret:.0f} is within the" in said
    assert said.endswith("that theorem T-PERC-INSEP promises: kept.")
    said = page.headline(section(ls.play("online-linear", x, y)))
    assert re.search(
        r", and lost 0\.\d+ a round \(log loss\); the best linear predictor lost", said
    )
    assert re.search(
        r"is within the [\d.]+ that theorem T-ONLINE-LINEAR-BEST promises: kept\.$", said
    )


def test_facts_name_features_classes_and_simple_answers():
    x, y = examples()
    found = section(ls.play("logistic", x, y))["data"]
    assert found["features"] == "3"
    assert found["classes"] == "-1, 1"
    often = max((y == 1).mean(), (y == -1).mean())
    key = next(name for name in found if name.startswith("always"))
    assert found[key] == f"{often:.2%} right"
    names = [f"c{t:03}" for t in range(150)]
    many = section(ls.play("multiclass-perceptron", x, names, labels="classes"))["data"]
    assert many["classes"] == "150: c000, c001, c002, c003, c004, c005, c006, c007, …"


def test_plot_of_examples_shows_accuracy(tmp_path):
    pytest.importorskip("matplotlib")
    x, y = examples()
    run = ls.play("perceptron", x, y)
    top, middle, bottom = run.plot().axes
    assert bottom.get_ylabel() == "accuracy, in blocks"
    assert {line.get_label() for line in bottom.lines} >= {"perceptron", run.comparator}
    assert len(top.lines) == 2
    assert any("regret" in line.get_label() for line in middle.lines)
    streamed = ls.play("ogd", x, y, record="none")
    streamed.plot().savefig(tmp_path / "run.png")
