"""Learners that grow decision trees online."""

from ..core.groups import make_group

make_group(__name__)
