"""Models that were fitted to all rows at once: what may be claimed of them, and models with theorems of their own."""

from ..core.groups import make_group

make_group(__name__)
