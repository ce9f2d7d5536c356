"""Environments, many seeds, offers, and the command line of bandits; each learner has its own tests."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

import littlestone as ls
from littlestone.cli.main import main
from littlestone.core.errors import BadInput
from littlestone.core.guarantee import Assumption, Guarantee
from littlestone.core.intervals import divergence
from littlestone.core.numeric import uniform
from littlestone.environments.arms import Arms, uniforms
from littlestone.environments.worlds import Drawn, Table
from littlestone.games import Bandit, Offer, Pulled, Shape
from littlestone.live.bandit_learner import BanditLearner
from littlestone.play import seeds as play_seeds
from littlestone.run.seeds import lai_robbins


class Count(NamedTuple):
    v: np.ndarray
    pulls: np.ndarray


def never(s: Any) -> str | None:
    return None if s.iid else s.iid_why


PROMISE: dict[str, Any] = {"bound": 0.0}


class Fixed(BanditLearner[Count]):
    """Pulls arms with probabilities that never change; its theorems promise what the test says."""

    first: float = 0.25
    delta: float = 0.1
    guarantees = (
        Guarantee("mean", "mean", "", "", lambda s: PROMISE["bound"], mode="in expectation"),
        Guarantee("means", "means", "", "", lambda s: PROMISE["bound"], mode="in expectation",
                  measures="pseudo-regret", assumptions=(Assumption("losses are independent", never),)),
        Guarantee("often", "often", "", "", lambda s: PROMISE["bound"], mode="with probability 1 - delta"),
    )  # fmt: skip

    def begin(self, shape: Shape) -> Count:
        v = np.full(shape.n, (1 - self.first) / max(1, shape.n - 1))
        v[0] = self.first
        return Count(v, np.zeros(shape.n))

    def decide(self, state: Count, x: Offer) -> Any:
        return state.v

    def learn(self, state: Count, x: Offer, d: Any, f: Pulled) -> Count:
        state.pulls[f.arm] += 1.0
        return state


def test_the_losses_of_an_environment_are_those_that_compiled_code_draws():
    for kind in ("bernoulli", "uniform", "constant"):
        arms = Arms([[0.2, 0.7, 1.0], [0.9, 0.1, 0.0]], kind, segment=3)
        table = arms.losses(seed=7, rounds=20)
        y, means = np.zeros(3), np.zeros(3)
        for t in range(20):
            arms.world.fill(7, t, y, means)
            assert (y == table[t]).all()
            assert (means == arms.means_at(t)).all()
        assert (arms.losses(seed=7, rounds=5, first=15) == table[15:]).all()
    u = uniforms(2**62 + 5, np.arange(4), 3)
    assert u[2, 1] == uniform(2**62 + 5, 2, 2)
    assert not (arms.means_at(2) == arms.means_at(3)).any()


def test_an_environment_has_the_means_that_it_was_given():
    for kind in ("bernoulli", "uniform"):
        m = Arms([0.1, 0.5, 0.9], kind).losses(seed=1, rounds=100_000).mean(axis=0)
        assert np.abs(m - [0.1, 0.5, 0.9]).max() < 5 * 0.5 / math.sqrt(100_000)


@pytest.mark.parametrize(
    ("means", "more"),
    [([0.5, 1.5], {}), ([], {}), ("x", {}), ([[0.1], [0.2]], {}), ([0.5], {"kind": "normal"}),
     ([0.5, math.nan], {}), ([0.5], {"segment": -1})],
)  # fmt: skip
def test_arms_that_are_none_are_refused(means, more):
    with pytest.raises(BadInput, match=r"means|kind|segment"):
        Arms(means, **more)


def test_one_run_knows_all_losses_and_the_learner_one():
    L = np.array([[0.0, 1.0], [1.0, 0.25], [0.5, 0.5]])
    run = ls.play(Fixed(first=0.5), L, seed=3)
    assert run.losses.tolist() == [0.5, 0.625, 0.5]
    assert (run.realised == L[np.arange(3), run.arms]).all()
    assert (run.propensities == 0.5).all()
    assert run.learner.state.pulls.tolist() == np.bincount(run.arms, minlength=2).tolist()
    assert run.comparator == "best arm (arm 0)" or run.experts.L.tolist() == [1.5, 1.75]
    assert run.certificate.verdict == "unknown"
    assert "seeds=N" in str(run.certificate)


def test_arms_are_drawn_as_often_as_decided():
    run = ls.play(Fixed(first=0.2), np.zeros((20_000, 4)), seed=1)
    share = np.bincount(run.arms, minlength=4) / 20_000
    assert np.abs(share - [0.2, 0.8 / 3, 0.8 / 3, 0.8 / 3]).max() < 5 * 0.5 / math.sqrt(20_000)


def test_a_mean_is_judged_by_its_limits():
    arms = Arms([0.0, 1.0], "constant")  # regret (1 - first) a round, without noise
    PROMISE["bound"] = 80.0
    runs = ls.play(Fixed(first=0.25), arms, rounds=100, seeds=200)
    assert runs.regret == pytest.approx(75.0)
    assert runs.pseudo_regret == pytest.approx(75.0)
    assert [v.verdict for v in runs.certificate][:2] == ["kept", "kept"]
    PROMISE["bound"] = 60.0
    runs = ls.play(Fixed(first=0.25), arms, rounds=100, seeds=200)
    assert [v.verdict for v in runs.certificate][:2] == ["broken", "broken"]
    runs = ls.play(Fixed(first=0.25), arms, rounds=100, seeds=2)
    assert [v.verdict for v in runs.certificate][:2] == [
        "unknown",
        "unknown",
    ]  # two seeds tell nothing
    PROMISE["bound"] = 95.0
    runs = ls.play(Fixed(first=0.0), arms, rounds=100, seeds=400)  # always the wrong arm
    assert [v.verdict for v in runs.certificate] == ["broken", "broken", "broken"]
    PROMISE["bound"] = 100.0
    runs = ls.play(Fixed(first=0.0), arms, rounds=100, seeds=400)
    assert [v.verdict for v in runs.certificate] == ["kept", "kept", "kept"]
    PROMISE["bound"] = 24.0
    noisy = ls.play(Fixed(first=0.5), Arms([0.25, 0.75]), rounds=100, seeds=5)
    v = next(iter(noisy.certificate))
    low, high = noisy.limits(noisy.regrets[:, -1])
    assert v.verdict == ("kept" if high <= 24 else "broken" if low > 24 else "unknown")


def test_a_few_runs_beyond_a_bound_that_holds_with_probability_are_chance():
    arms, N = Arms([0.25, 0.75], "uniform"), 200
    runs = ls.play(Fixed(first=0.5), arms, rounds=50, seeds=N)
    seen = np.sort(runs.sums[:, -1, 1] - runs.sums[:, -1, 3])  # as it was drawn
    for above, verdict in ((2, "kept"), (20, "unknown"), (60, "broken")):
        PROMISE["bound"] = float((seen[N - above - 1] + seen[N - above]) / 2)
        again = ls.play(Fixed(first=0.5), arms, rounds=50, seeds=N)
        found = list(again.certificate)[2]
        assert found.why.startswith(f"{above} of 200")
        assert found.verdict == verdict, (above, found)


def test_theorems_about_means_need_them():
    PROMISE["bound"] = 1e9
    runs = ls.play(Fixed(), np.random.default_rng(0).random((20, 3)), seeds=4)
    assert [v.verdict for v in runs.certificate] == ["kept", "vacuous", "unknown"]
    turning = Arms([[0.1, 0.9], [0.9, 0.1]], segment=5)
    assert "means change" in str(ls.play(Fixed(), turning, rounds=20, seeds=4).certificate)


def test_seeds_are_the_runs_one_by_one():
    arms = Arms([0.3, 0.6, 0.9])
    runs = ls.play("exp3", arms, rounds=300, seeds=4, seed=10)
    for k in range(4):
        one = ls.play("exp3", arms, rounds=300, seed=10 + k)
        assert one.loss == pytest.approx(runs.losses[k], rel=1e-12)
        assert one.loss - one.experts.L.min() == pytest.approx(
            runs.regrets[k, -1], rel=1e-9, abs=1e-9
        )
        assert one.pseudo_regret == pytest.approx(runs.pseudo_regrets[k, -1], rel=1e-9)
    plain = ls.play("exp3", arms, rounds=300, seeds=4, seed=10, engine="plain")
    assert np.allclose(plain.regrets, runs.regrets, rtol=1e-12, atol=1e-9)
    assert (np.diff(runs.t) > 0).all()
    assert runs.t[-1] == 300


def test_more_workers_change_nothing():
    one = ls.play("exp3", Arms([0.3, 0.6]), rounds=200, seeds=20, workers=1)
    two = ls.play("exp3", Arms([0.3, 0.6]), rounds=200, seeds=20, workers=2)
    assert (one.regrets == two.regrets).all()


def test_any_interval_is_scaled_and_rewards_are_turned_round():
    L = np.random.default_rng(0).random((200, 3))
    plain = ls.play("exp3", L)
    wide = ls.play("exp3", 10 * L - 3, interval=(-3, 7))
    assert wide.loss == pytest.approx(10 * plain.loss - 3 * 200)
    assert (wide.arms == plain.arms).all()
    turned = ls.play("exp3", 1 - L, rewards=True)
    assert np.allclose(turned.losses, plain.losses)
    assert (turned.arms == plain.arms).all()
    many = ls.play("exp3", 10 * L - 3, interval=(-3, 7), seeds=3)
    assert many.regret == pytest.approx(10 * ls.play("exp3", L, seeds=3).regret)


def test_lai_and_robbins():
    assert divergence(0.5, 0.25) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(0.5 / 0.75))
    by_hand = 0.25 / (0.5 * math.log(0.5 / 0.25) + 0.5 * math.log(0.5 / 0.75))
    assert lai_robbins([0.25, 0.5, 0.25]) == pytest.approx(by_hand)
    runs = ls.play("exp3", Arms([0.25, 0.5]), rounds=100, seeds=2)
    assert runs.lower_bound[-1] == pytest.approx(by_hand * math.log(100))
    assert math.isnan(ls.play("exp3", np.zeros((5, 2)), seeds=2).lower_bound[-1])


def test_worlds_fill_what_they_say():
    y, m = np.zeros(2), np.zeros(2)
    Table(np.array([[0.1, 0.2], [0.3, 0.4]])).fill(0, 1, y, m)
    assert y.tolist() == m.tolist() == [0.3, 0.4]
    Drawn(np.array([[0.0, 1.0]]), 0, 0).fill(5, 3, y, m)
    assert y.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"available": [[1, 0]]}, "3 rounds of 2 arms"),
        ({"available": [[1, 0], [0, 0], [1, 1]]}, "row 2: no arm"),
        ({"available": [[1, 0], [0, 0.5], [1, 1]]}, "row 2, arm 1 is 0.5"),
        ({"seeds": 0}, "seeds"),
        ({"seeds": 2, "delay": 1}, "delay"),
        ({"features": [[1.0], [2.0]]}, "2 rows; there are 3"),
        ({"features": [[1.0], [2.0], [3.0]]}, "looks at no features"),
        ({"rewards": True, "interval": (1, 0)}, "interval"),
    ],
)
def test_what_cannot_be_played_is_refused(given, said):
    with pytest.raises(BadInput, match=said):
        ls.play("exp3", np.zeros((3, 2)), **given)


def test_losses_are_checked():
    for bad in (math.nan, math.inf):
        L = np.zeros((5, 2))
        L[3, 1] = bad
        for seeds in (1, 2):
            with pytest.raises(BadInput, match=r"row 4.*arm 1"):
                ls.play("exp3", L, seeds=seeds)
    with pytest.raises(BadInput, match="rounds"):
        ls.play("exp3", Arms([0.5, 0.5]))
    with pytest.raises(BadInput, match="bandit"):
        ls.play("exp3", np.zeros((5, 2)), np.zeros(5))
    with pytest.raises(BadInput, match="start"):
        ls.learner("exp3").predict()


def test_a_bandit_is_saved_with_its_game(tmp_path):
    learner = ls.learner("exp3", eta=0.3).start(3, interval=(0, 10), seed=4)
    for t in range(5):
        arm = learner.predict()
        learner.update(None, arm, float(t))
    again = ls.load(learner.save(tmp_path / "a.ls"))
    assert (again.propensities() == learner.propensities()).all()
    assert again.predict() == learner.predict()
    assert isinstance(again.live.game, Bandit)
    assert again.live.game.high == 10


def cli(*words):
    return CliRunner().invoke(main, [*words, "--report", ""])


def test_the_command_line_plays_an_environment():
    done = cli(
        "bandit",
        "--arms",
        "0.5,0.2",
        "--rounds",
        "200",
        "--learner",
        "exp3",
        "--json",
    )
    assert done.exit_code == 0, done.output
    row = json.loads(done.output)[0]
    run = ls.play("exp3", Arms([0.5, 0.2]), rounds=200)
    assert row["learner"] == "exp3"
    assert row["rounds"] == 200
    assert row["loss"] == pytest.approx(run.loss)
    assert row["bound"] == pytest.approx(run.bound)
    done = cli(
        "bandit",
        "--arms",
        "0.5,0.2",
        "--rounds",
        "200",
        "--seeds",
        "7",
        "--learner",
        "exp3",
        "--json",
    )
    row = json.loads(done.output)[0]
    assert row["seeds"] == 7
    assert row["regret"] == pytest.approx(
        ls.play("exp3", Arms([0.5, 0.2]), rounds=200, seeds=7).regret
    )


def test_the_command_line_plays_a_file_and_writes_a_page(tmp_path):
    L = np.random.default_rng(0).random((50, 3)).round(3)
    file = tmp_path / "losses.csv"
    file.write_text(
        "a,b,c\n" + "\n".join(",".join(map(str, row)) for row in L) + "\n", encoding="utf-8"
    )
    done = cli(
        "bandit",
        str(file),
        "--learner",
        "exp3",
        "--learner",
        "exp3:eta=0.5",
        "--json",
    )
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.output)) == 2
    page = tmp_path / "page.html"
    done = CliRunner().invoke(
        main,
        [
            "bandit",
            str(file),
            "--learner",
            "exp3",
            "--seeds",
            "5",
            "--report",
            str(page),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "losses.csv: 5 runs of 50 rounds, 3 arms" in done.output
    assert "Regret of many runs" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bandit", "--arms", "0.5,x"), "--arms 0.5,x"),
        (("bandit", "--arms", "0.5,1.5"), "--arms 0.5,1.5"),
        (("bandit", "--arms", "0.5,0.4", "--learner", "hedge"), "hedge sees every loss"),
        (("bandit", "--seeds", "0"), "--seeds must be a whole number, 1 or more, not 0"),
        (("run", "--seeds", "5"), "no such option"),
        (("bandit", "--arms", "0.5,0.4", "--outcome", "y"), "no such option"),
        (("bandit", "x.csv", "--arms", "0.5,0.4"), "choose one"),
        (
            ("run", "--learner", "exp3"),
            "exp3 is a bandit, which sees the loss of its arm alone: littlestone bandit",
        ),
        (("compare", "--learner", "exp3", "--learner", "hedge"), "--learner: exp3 is a bandit"),
    ],
)
def test_the_command_line_refuses(words, said):
    done = cli(*words)
    assert done.exit_code == 2
    assert said in done.output


def test_the_command_line_replays_a_log(tmp_path):
    rng = np.random.default_rng(0)
    arm = rng.integers(0, 3, 300)
    click = (rng.random(300) < np.array([0.1, 0.2, 0.8])[arm]).astype(int)
    file = tmp_path / "log.csv"
    file.write_text(
        "arm,click,p\n" + "".join(f"{a},{c},{1 / 3}\n" for a, c in zip(arm, click, strict=True)),
        encoding="utf-8",
    )
    asked = ("replay", str(file), "--arm", "arm", "--reward", "click", "--propensity", "p")

    def cli(*words):
        return CliRunner().invoke(main, [*words])

    done = cli(*asked, "--learner", "exp3", "--learner", "exp3:eta=0.5", "--json")
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.output)
    assert first["learner"] == "exp3"
    assert 0 < first["counted"] < 300
    assert first["rate"] < second["rate"]
    done = cli(*asked, "--learner", "exp3")
    assert "300 rows, 3 arms" in done.output
    for missing, said in (
        (asked[:4], "--reward"),
        (asked[:6], "--propensity"),
        ((*asked, "--seeds", "5"), "--seeds"),
    ):
        done = cli(*missing)
        assert done.exit_code == 2
        assert said in done.output
    file.write_text("arm,click,p\n0,1,0.5\n1,0,1.5\n", encoding="utf-8")
    done = cli(*asked, "--learner", "exp3")
    assert done.exit_code == 2
    assert "row 2" in done.output
    assert cli("replay", "--reward", "click").exit_code == 2


def test_a_run_is_explained_and_reported(tmp_path):
    L = np.random.default_rng(0).random((60, 3))
    run = ls.play("exp3", L, available=np.ones((60, 3)))
    said = run.explain()
    assert sum(p.share for p in said.parts) == pytest.approx(1.0)
    assert "other arms" in str(said)
    assert "best arm" in run.report(tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(run.plot().axes) == 3
    assert len(ls.play("exp3", L, seeds=3).plot().axes) == 1
    with pytest.raises(ls.LittlestoneError, match="no experts"):
        ls.play("perceptron", [[1.0], [-1.0]], [1, 0]).explain()


@pytest.mark.parametrize(
    ("cores", "workers", "threads"), [(1, 3, 3), (2, None, 2), (1, None, None), (4, 1, None)]
)
def test_workers_are_as_many_as_was_said(monkeypatch, cores, workers, threads):
    """On a system that does not tell its cores, too: `workers` was left out of account there."""
    made = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, many):
            made.append(many)
            super().__init__(many)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    monkeypatch.setattr(play_seeds, "cores", lambda: cores)
    monkeypatch.setattr(play_seeds, "engine", lambda: "compiled")
    monkeypatch.setattr(play_seeds, "compiled", lambda loop, classes: loop)
    PROMISE["bound"] = 80.0
    arms = Arms([0.0, 1.0], "constant")
    ls.play(Fixed(first=0.25), arms, rounds=10, seeds=4, workers=workers)
    assert made == ([] if threads is None else [threads])
    with pytest.raises(BadInput, match="workers must be a whole number, 1 or more, not 0"):
        ls.play(Fixed(first=0.25), arms, rounds=10, seeds=4, workers=0)
