"""`ls.intervals` and the game of intervals: measures, late and missing truths, files, bad input."""

import math

import numpy as np
import pytest

import littlestone as ls
from littlestone.conformal.sets.measures import measure_intervals
from littlestone.conformal.sets.seasons import of_times

KEYS = (
    "aci",
    "conformal-pid",
    "cover",
    "decaying-tracker",
    "dtaci",
    "kt-betting",
    "quantile-tracker",
    "sf-ogd",
)


def rounds(T=400, seed=0):
    rng = np.random.default_rng(seed)
    forecast = rng.normal(size=T)
    return forecast, forecast + rng.normal(size=T) * np.where(np.arange(T) < T // 2, 0.5, 2.0)


def test_the_measures_by_hand():
    lower, upper = np.array([0.0, 0.0, -math.inf, 3.0]), np.array([2.0, 2.0, math.inf, 1.0])
    m = measure_intervals("four", lower, upper, np.array([2.0, 2.5, 9.0, 2.0]), 0.9)
    # held, missed by 1/2, everything, an empty set whose limits are 1 away on either side
    assert (m.rounds, m.coverage, m.infinite) == (4, 0.5, 1)
    assert (m.misses_below, m.misses_above) == (1, 2)
    assert m.width == pytest.approx(4 / 3)
    assert m.winkler == pytest.approx((2 + (2 + 20 * 0.5) + 20 * 2) / 3)


def test_the_worst_window():
    y = np.r_[np.zeros(600), np.ones(100), np.zeros(600)]
    m = measure_intervals("", np.full(1300, -0.5), np.full(1300, 0.5), y, 0.9)
    assert m.worst == pytest.approx(0.8)
    assert m.coverage == pytest.approx(12 / 13)


def test_a_change_of_noise_is_followed(plain):
    forecast, y = rounds(2000)
    found = ls.intervals(forecast, y, after=500)
    assert found.coverage == pytest.approx(0.9, abs=0.01)
    assert found.simple[0].coverage < 0.85  # all the past is too narrow after the change
    assert found.measures.worst > found.simple[0].worst
    assert found.winkler < found.simple[0].winkler
    assert found.certificate.verdict == "kept"
    assert found.misses_below + found.misses_above == round((1 - found.coverage) * 1500)
    assert "cover" in str(found)
    assert "all the past" in str(found)
    assert "T-COVER: kept" in str(found)


@pytest.mark.parametrize("key", KEYS)
def test_every_learner_of_sets_makes_intervals(key, plain):
    forecast, y = rounds()
    for delay in (0, 3):
        found = ls.intervals(forecast, y, level=0.8, learner=key, delay=delay)
        assert found.lower.shape == found.upper.shape == y.shape
        assert found.run.parameters["level"] == 0.8
        assert {v.verdict for v in found.certificate} == {"kept"}


def test_truths_that_are_late_change_nothing_before_they_come(plain):
    forecast, y = rounds()
    prompt, late = ls.intervals(forecast, y), ls.intervals(forecast, y, delay=5)
    assert late.run.parameters["late"] == 5
    assert np.isinf(late.upper[:6]).all()
    assert np.isfinite(late.upper[6:]).all()
    assert np.isfinite(prompt.upper[1:]).all()


def test_a_round_without_truth_counts_no_miss(plain):
    forecast, y = rounds()
    gone = np.arange(len(y)) % 3 == 1
    holes = np.where(gone, np.nan, y)
    found = ls.intervals(forecast, holes)
    alone = ls.intervals(forecast[~gone], y[~gone])
    assert found.measures == alone.measures
    assert np.array_equal(found.lower[~gone], alone.lower)
    assert np.isfinite(found.lower[gone][1:]).all()


def test_several_forecasters_are_mixed_first(plain):
    forecast, y = rounds()
    bad = np.c_[forecast, forecast + 30.0]
    mean = ls.intervals(bad, y, mix="mean")
    assert mean.forecast == pytest.approx(forecast + 15.0)
    tracked = ls.intervals(bad, y)
    assert np.median(np.abs(tracked.forecast - forecast)) < 1.0
    assert tracked.certificate.verdict == "kept"


def test_any_learner_over_experts_may_mix(plain):
    forecast, y = rounds()
    several = np.c_[forecast, forecast + 30.0]
    found = ls.intervals(several, y, mix="hedge")
    run = ls.play("hedge", several, y, certify=False)
    assert np.array_equal(found.forecast, run.predictions)
    same = ls.intervals(run, y, season=0)
    assert same.forecast == pytest.approx(found.forecast)
    assert ls.intervals(run).coverage == same.coverage


def test_a_round_without_a_forecast_has_no_interval_and_says_so(plain):
    forecast, y = rounds()
    gone = np.arange(len(y)) % 7 == 3
    found = ls.intervals(np.where(gone, np.nan, forecast), y)
    assert np.isnan(found.lower[gone]).all()
    assert not np.isnan(found.lower[~gone]).any()
    assert found.measures.rounds == np.count_nonzero(~gone)
    assert "note: 57 of 400 rounds have no forecast, and no interval; the first is row 4" in str(
        found
    )
    some = np.c_[
        forecast, np.where(gone, np.nan, forecast + 1.0)
    ]  # one forecaster sleeps: there is another
    assert not np.isnan(ls.intervals(some, y).lower).any()
    mean = ls.intervals(some, y, mix="mean")
    assert mean.forecast[gone] == pytest.approx(forecast[gone])
    assert mean.notes == ()


def seasonal(T=720, places=24, seed=1):
    """Noise that is ten times as large in two of 24 rounds, and a bias that repeats."""
    rng = np.random.default_rng(seed)
    hour = np.arange(T) % places
    return np.zeros(T), 2.0 * (hour == 5) + rng.normal(size=T) * np.where(hour < 2, 5.0, 0.5)


def test_a_season_makes_intervals_narrower(plain):
    forecast, y = seasonal()
    without = ls.intervals(forecast, y, after=360)
    with_it = ls.intervals(forecast, y, after=360, season=24)
    assert with_it.winkler < 0.7 * without.winkler
    assert with_it.coverage == pytest.approx(0.9, abs=0.04)
    wide = with_it.upper - with_it.lower
    assert wide[480::24].mean() > 4 * wide[492::24].mean()
    both = ls.intervals(forecast, y, after=360, season=[168, 24], delay=24)
    assert both.run.parameters["season"] == (24.0, 168.0)
    assert both.winkler < 0.9 * without.winkler


def test_the_season_comes_from_the_times(plain):
    forecast, y = seasonal(80)
    hours = np.datetime64("2024-03-01T00") + np.arange(80).astype("timedelta64[h]")
    found = ls.intervals(forecast, y, times=hours)
    assert found.run.parameters["season"] == (24.0, 168.0)
    assert ls.intervals(forecast, y, times=hours, season=0).run.parameters["season"] == ()
    assert ls.intervals(forecast, y, times=hours, season=48).run.parameters["season"] == (48.0,)
    gaps = np.delete(np.arange(80), [50, 51, 70])  # hours that are missing do not shift the others
    assert np.array_equal(ticks(hours[gaps]) % 24, (ticks(hours) % 24)[gaps])


def ticks(times):
    return of_times(times)[1].read(times, len(times))


@pytest.mark.parametrize(
    ("unit", "many", "seasons"),
    [("m", 1, (1440,)), ("m", 15, (96, 672)), ("m", 30, (48, 336)), ("D", 1, (7,)), ("W", 1, (52,)), ("M", 1, (12,)),
     ("h", 5, ()), ("Y", 1, ())],
)  # fmt: skip
def test_which_seasons_times_have(unit, many, seasons):
    times = np.datetime64("2020-01-01").astype(f"datetime64[{unit}]") + np.arange(
        60
    ) * np.timedelta64(many, unit)
    found, clock = of_times(times.astype("datetime64[s]"))
    assert found == seasons
    times = times.astype("datetime64[s]")
    assert (np.diff(clock.read(times, 60)) == 1).all() or unit == "Y"


def test_forecasters_that_are_apart_make_intervals_wider(plain):
    rng = np.random.default_rng(3)
    unsure = np.where(rng.random(800) < 0.5, 4.0, 0.5)
    x = rng.normal(size=(800, 4)) * unsure[:, None]
    y = rng.normal(size=800) * unsure
    found = ls.intervals(x, y, mix="mean", after=300)
    alone = ls.intervals(x.mean(axis=1), y, after=300)
    assert found.run.parameters["spread"] == 1
    assert found.winkler < 0.9 * alone.winkler


def test_levels_are_inside_each_other(plain):
    forecast, y = rounds(300)
    found = ls.intervals(forecast, y, level=[0.9, 0.5, 0.8])
    assert list(found) == [0.5, 0.8, 0.9]
    for inner, outer in ((0.5, 0.8), (0.8, 0.9)):
        assert (found[outer].lower <= found[inner].lower).all()
        assert (found[outer].upper >= found[inner].upper).all()
        assert found[outer].coverage >= found[inner].coverage
    alone = ls.intervals(forecast, y, level=0.9)
    assert (found[0.9].lower <= alone.lower).all()
    assert found[0.9].misses_below <= alone.misses_below  # so that the theorem about misses stands
    assert {run.certificate.verdict for run in found.values()} == {"kept"}
    assert "level 0.8" in str(found)


def test_a_learner_with_parameters_is_played_at_several_levels(plain):
    forecast, y = rounds()
    found = ls.intervals(forecast, y, level=[0.5, 0.9], learner=ls.ACI(level=0.3, gamma=0.05))
    assert [run.run.parameters for run in found.values()] == [
        {"level": level, "gamma": 0.05, "window": 500} for level in (0.5, 0.9)
    ]


def test_each_key_has_a_run_of_its_own(plain):
    forecast, y = rounds(300)
    keys = np.where(np.arange(300) % 3 == 0, "NO", "DE")
    found = ls.intervals(forecast, y, by=keys)
    alone = ls.intervals(forecast[keys == "DE"], y[keys == "DE"])
    assert list(found) == ["NO", "DE"]
    assert np.array_equal(found["DE"].lower, alone.lower)
    assert "key DE" in str(found)
    fans = ls.intervals(forecast, y, level=[0.5, 0.9], by=keys)
    assert [run.level for run in fans.each()] == [0.5, 0.9, 0.5, 0.9]


def test_late_truths_with_holes_are_learned_with_the_scales_of_then(plain):
    """A truth that never comes shifts nothing: places of the season are those of the clock."""
    forecast, y = seasonal()
    holes = np.where(np.arange(720) % 11 == 4, np.nan, y)
    found = ls.intervals(forecast, holes, season=24, delay=24, after=360)
    assert found.winkler < 0.9 * ls.intervals(forecast, holes, delay=24, after=360).winkler
    assert found.certificate.verdict == "kept"


def test_a_pair_of_quantile_forecasts(plain):
    """The limits are moved from where the pair puts them, and in which order it stands does not matter."""
    forecast, y = rounds()
    pair = np.c_[forecast - 1.0, forecast + 1.0]
    run = ls.play(ls.QuantileTracker(eta=0.1), pair, y)
    assert run.predictions[0] == pytest.approx(pair[0])
    assert np.array_equal(
        ls.play(ls.QuantileTracker(eta=0.1), pair[:, ::-1], y).predictions, run.predictions
    )
    assert run.certificate.verdict == "kept"
    assert (np.diff(run.predictions)[-1] > 2.0).all()


def test_pairs_of_quantile_forecasts_are_moved_and_must_not_cross(plain):
    forecast, y = rounds()
    pair = np.c_[forecast - 1.0, forecast + 1.0]
    found = ls.intervals(pair, y, score="cqr")
    run = ls.play("cover", pair, y)
    assert np.array_equal(found.lower, run.predictions[:, 0])
    assert found.forecast == pytest.approx(forecast)
    assert "spread" not in found.run.parameters or found.run.parameters["spread"] == 0
    pair[7] = pair[7, ::-1]
    with pytest.raises(
        ls.BadInput, match=r"row 8: the lower quantile forecast, .* is above the upper one"
    ):
        ls.intervals(pair, y, score="cqr")
    with pytest.raises(ls.BadInput, match=r"score='cqr' needs two columns.* not 1"):
        ls.intervals(forecast, y, score="cqr")
    pair[7] = math.nan, 1.0
    assert np.isnan(ls.intervals(pair, y, score="cqr").upper[7])


def test_errors_of_any_size_are_played(plain):
    """Errors of 1e-300 and of 1e149 in one run: nothing overflows, and the theorem is kept."""
    forecast, y = rounds()
    for size in (1e-300, 1e149):
        many = np.where(np.arange(len(y)) % 50 < 3, size, 1e-300) * (y - forecast)
        found = ls.intervals(np.zeros(len(y)), many)
        assert not np.isnan(found.lower).any()
        assert found.certificate.verdict == "kept" or "the total loss" in str(found.certificate)


def test_a_frame_has_the_limits_as_columns(plain):
    pytest.importorskip("pandas")
    forecast, y = rounds(20)
    frame = ls.play("cover", forecast[:, None], y).to_frame()
    assert list(frame.columns) == ["lower", "upper", "outcome", "loss"]
    assert (frame["upper"] >= frame["lower"]).all()


def test_one_round_at_a_time_with_late_truths_and_a_file(tmp_path, engine):
    forecast, y = rounds(60)
    run = ls.play(ls.Cover(late=2), forecast[:, None], y, delay=2)
    learner, tickets = ls.Cover(late=2).start(1, allocation=False), []
    for t in range(60):
        tickets.append(learner.ask(forecast[t : t + 1]))
        assert np.array_equal(tickets[-1].prediction, run.predictions[t])
        if t >= 2:
            learner.tell(tickets[t - 2], y[t - 2])
        if t == 30:
            learner.save(tmp_path / "cover.ls")
            learner = ls.load(tmp_path / "cover.ls")


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5, -0.1, math.nan, "much"])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(ls.BadInput, match=r"cover: level must be a number in \(0, 1\)"):
        ls.intervals([1.0, 2.0], [1.0, 2.0], level=level)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1.0, 2.0, math.inf], [1.0, 2.0, 3.0]), r"row 3: forecast is inf"),
        (([math.nan, math.nan], [1.0, 2.0]), r"there is no forecast in any round"),
        (([1.0, 2.0],), r"outcomes are missing"),
        (([1.0, 2.0], [1.0, math.inf]), r"row 2: outcome is inf"),
        (([1.0, 2.0], [1.0]), r"2 rows of forecasts and 1 outcomes"),
        (([1.0, "a"], [1.0, 2.0]), r"forecasts must be numbers"),
        (([[[1.0]]], [1.0]), r"forecasts must have 2 dimensions"),
    ],
)
def test_bad_rounds_are_refused(arguments, words):
    with pytest.raises(ls.BadInput, match=words):
        ls.intervals(*arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delay": -1}, r"delay must be a whole number of rounds, 0 or more, not -1"),
        ({"delay": 1.5}, r"delay must be a whole number"),
        (
            {"learner": "perceptron"},
            r"perceptron does not make prediction sets; these do: aci, conformal-pid, cover",
        ),
        ({"learner": ls.Hedge()}, r"hedge does not make prediction sets"),
        ({"learner": 3}, r"3 does not make prediction sets"),
        ({"mix": "median"}, r"mix must be one of 'auto', 'tracker', 'mean'"),
        ({"after": 2}, r"after must be a whole number from 0 to 1, not 2"),
        ({"score": "raps"}, r"score must be one of 'forecast', 'cqr', not 'raps'"),
        ({"season": 1}, r"season must be a number of rounds, 2 or more .* not 1"),
        ({"season": "day"}, r"season must be a number of rounds.* not 'day'"),
        ({"season": [24, 2.5]}, r"season must be"),
        ({"season": 24, "learner": "aci"}, r"season: aci knows nothing of seasons; cover does"),
        ({"times": ["2024-01-01"]}, r"there are 1 times and 2 outcomes"),
        ({"times": ["2024-01-01", "NaT"]}, r"row 2: the time is missing"),
        ({"times": ["monday", "tuesday"]}, r"times must be dates"),
        ({"by": [1]}, r"there are 1 keys and 2 outcomes"),
        ({"level": []}, r"level must be a number between 0 and 1.*there are none"),
        ({"level": [0.5, 1.5]}, r"cover: level must be a number in \(0, 1\), not 1.5"),
    ],
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ls.BadInput, match=words):
        ls.intervals([[1.0, 2.0], [2.0, 3.0]], [1.0, 2.0], **options)
