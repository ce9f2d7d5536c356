"""Kernel functions, their algebra, and Gram matrices: below the learners, which use them."""

from . import calls as calls
