"""More than one machine: many keys, many configurations, or shards of one stream, here or on a dask cluster.

`client` is a `dask.distributed.Client` (extra `littlestone[scale]`); without one everything runs here, with the same
bits. Nothing here imports dask: a client is given, and asked to map, submit and gather.
"""

from __future__ import annotations

from .fit import Mixture as Mixture
from .fit import fit as fit
from .play import ScaledRuns as ScaledRuns
from .play import play as play
from .sweep import Sweep as Sweep
from .sweep import sweep as sweep

__all__ = ["Mixture", "ScaledRuns", "Sweep", "fit", "play", "sweep"]
