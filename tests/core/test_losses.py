"""Losses by hand: values, slopes as derivatives, and the curvature that rates are tuned by."""

import math

import numpy as np
import pytest

from littlestone.core import losses
from littlestone.core.losses import exp_concave, mixable, on_interval, parse_loss

NUMBERS = np.linspace(-2.0, 2.0, 9)
SIGNS = (-1.0, 1.0)
POINTS = {  # predictions and outcomes at which the loss has a derivative
    "square": (NUMBERS, NUMBERS),
    "absolute": (NUMBERS + 0.1, NUMBERS),
    "logistic": (NUMBERS, SIGNS),
    "hinge": (NUMBERS + 0.1, SIGNS),
    "squared-hinge": (NUMBERS + 0.1, SIGNS),
    "perceptron": (NUMBERS + 0.1, SIGNS),
    "log": (np.linspace(0.1, 0.9, 9), (0.0, 0.3, 1.0)),
}


@pytest.mark.parametrize("name", POINTS)
def test_the_slope_is_the_derivative(name):
    loss, (predictions, outcomes), h = parse_loss(name, examples=True), POINTS[name], 1e-6
    for p in predictions:
        for y in outcomes:
            rise = (loss.at(p + h, y) - loss.at(p - h, y)) / (2 * h)
            assert loss.slope(p, y) == pytest.approx(rise, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "p", "y", "value"),
    [
        ("square", 0.5, 2.0, 2.25),
        ("absolute", 0.5, 2.0, 1.5),
        ("hinge", 0.25, -1.0, 1.25),
        ("squared-hinge", 0.5, -1.0, 2.25),
        ("perceptron", 0.5, -1.0, 0.5),
        ("logistic", 0.0, 1.0, math.log(2)),
        ("logistic", 2.0, -1.0, math.log1p(math.exp(2))),
        ("log", 0.25, 1.0, math.log(4)),
    ],
)
def test_values_by_hand(name, p, y, value):
    assert parse_loss(name, examples=True).at(p, y) == pytest.approx(value)


def test_too_low_costs_the_quantile_of_pinball_and_too_high_the_rest():
    loss = losses.Pinball(quantile=0.9)
    assert loss.at(1.0, 3.0) == pytest.approx(0.9 * 2)
    assert loss.at(3.0, 1.0) == pytest.approx(0.1 * 2)
    assert (loss.slope(1.0, 3.0), loss.slope(3.0, 1.0)) == pytest.approx((-0.9, 0.1))


@pytest.mark.parametrize("width", [1.0, 4.0])
def test_the_curvature_of_the_square_falls_with_the_square_of_the_interval(width):
    loss = on_interval(parse_loss("square"), 3.0, 3.0 + width)
    assert exp_concave(loss) == pytest.approx(1 / (2 * width**2))
    assert mixable(loss) == pytest.approx(2 / width**2)
