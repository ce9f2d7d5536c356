"""Learners that fit a model anew to the rows so far, at rounds that a schedule says."""

from ..core.groups import make_group

make_group(__name__)
