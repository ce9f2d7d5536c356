"""Prediction with expert advice: experts say, one answers, and regret to the best of them is bounded."""

from ..core.groups import make_group

make_group(__name__)
