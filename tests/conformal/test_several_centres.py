"""Intervals around the mean of the forecasters and around tracker, mixed by their pinball losses."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.conformal.sets.several_centres import SeveralCentres


@pytest.fixture
def market():
    """Errors that last a while, of forecasters who share them: after an error, the next one is alike."""
    rng = np.random.default_rng(7)
    T = 1500
    error = np.zeros(T)
    for t in range(1, T):
        error[t] = 0.8 * error[t - 1] + rng.normal()
    truth = 10.0 * np.sin(np.arange(T) / 30.0)
    own = rng.normal(size=(T, 4)) * np.array([0.3, 0.6, 1.0, 2.0])
    return truth[:, None] + error[:, None] + own, truth


def test_they_are_as_narrow_as_the_better_centre(market, plain):
    x, y = market
    found = {mix: ls.intervals(x, y, mix=mix, after=300) for mix in ("auto", "mean", "tracker")}
    better = min(found[mix].winkler for mix in ("mean", "tracker"))
    assert found["auto"].winkler < 1.05 * better
    assert 0.87 < found["auto"].coverage < 0.94  # ends that are mixed hold a little more
    assert found["auto"].certificate.verdict == "kept"
    assert np.array_equal(found["auto"].forecast, found["tracker"].forecast)


def test_where_one_centre_is_useless_the_other_is_followed(market, plain):
    x, y = market
    far = np.c_[x[:, :1], x[:, 1:] + 200.0 * np.sin(np.arange(len(y)))[:, None]]  # the mean is lost
    found = {
        mix: ls.intervals(far, y, mix=mix, after=300).winkler for mix in ("auto", "mean", "tracker")
    }
    assert found["tracker"] < 0.2 * found["mean"]
    assert found["auto"] < 1.2 * found["tracker"]  # it takes a while to find out


def test_late_truths_and_other_learners_take_tracker_alone(market, plain):
    x, y = market
    for options in ({"delay": 3}, {"learner": "aci"}):
        found, same = (
            ls.intervals(x[:300], y[:300], mix=mix, **options) for mix in ("auto", "tracker")
        )
        assert np.array_equal(found.lower, same.lower)


def test_a_file_goes_on_bit_for_bit_and_predicts_what_comes_next(market, plain, tmp_path):
    x, y = market
    x, y = x[:400], y[:400]
    y[50] = np.nan  # a truth that never became known
    whole = ls.intervals(x, y)
    half = ls.intervals(x[:250], y[:250])
    chain = ls.load(half.save(tmp_path / "m.ls"))
    ahead = chain.predict(x[250:251])
    piece = chain.feed(x[250:], y[250:])
    assert np.array_equal(piece.lower[0.9], whole.lower[250:])
    assert np.array_equal(piece.upper[0.9], whole.upper[250:])
    assert ahead.lower[0.9] == piece.lower[0.9][:1]
    assert ahead.upper[0.9] == piece.upper[0.9][:1]


def test_levels_are_inside_each_other(market, plain):
    x, y = market
    found = ls.intervals(x[:300], y[:300], level=[0.5, 0.9])
    assert (found[0.5].lower >= found[0.9].lower).all()
    assert (found[0.5].upper <= found[0.9].upper).all()
    assert found[0.5].winkler < found[0.9].winkler


def test_a_round_without_a_forecast_has_no_interval(market, plain):
    x, y = market
    x[20] = np.nan
    x[21, :3] = np.nan  # three of four sleep
    found = ls.intervals(x[:100], y[:100])
    assert np.isnan(found.lower[20])
    assert np.isfinite(found.lower[21])


def test_lower_limits_are_mixed_by_the_lower_quantile(plain):
    made = SeveralCentres(ls.Cover(level=0.8, spread=1), ("forecast", "spread"), 0)
    quantiles = [stage.learner.parameters["loss"].quantile for stage in made.ends]
    assert quantiles == pytest.approx([0.1, 0.9])
