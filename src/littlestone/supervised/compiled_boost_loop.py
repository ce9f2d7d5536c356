"""`boost_loop.boost`, compiled by Numba on its first call and cached on disk where that is possible."""

from __future__ import annotations

from littlestone.engine.compiled_cache import kept

from .boost_loop import boost

compiled = kept(boost, nogil=True)
