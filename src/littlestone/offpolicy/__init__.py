"""Logged decisions: what another policy would have earned."""

from ..core.groups import make_group

make_group(__name__)
