"""Matrices of two labels, completed entry by entry, with what is known about rows and columns."""

from ..core.groups import make_group

make_group(__name__)
