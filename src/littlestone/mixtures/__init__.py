"""Mixtures of unlike learners of one table: each part is a learner of another package."""

from ..core.groups import make_group

make_group(__name__)
