"""Graphs, their Laplacians and resistances, and learners that label vertices: one at a time, or all that are left."""

from ..core.groups import make_group

make_group(__name__)
