"""Learners that remember: hypotheses that come back, in one task or in several."""

from ..core.groups import make_group

make_group(__name__)
