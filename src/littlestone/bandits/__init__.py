"""Bandits: one arm a round, and only its loss is seen."""

from ..core.groups import make_group

make_group(__name__)
