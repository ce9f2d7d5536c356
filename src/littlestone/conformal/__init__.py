"""Prediction sets that keep their coverage on any sequence: learners, and intervals around forecasts."""

from ..core.groups import make_group

make_group(__name__)
