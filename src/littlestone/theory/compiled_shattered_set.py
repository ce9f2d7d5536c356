"""`shattered_set.shattered`, compiled by Numba on its first call and cached on disk where that is possible."""

from __future__ import annotations

from littlestone.engine.compiled_cache import kept

from .shattered_set import shattered

compiled = kept(shattered, nogil=True)
