"""More than one machine: many keys, many configurations, or shards of one stream, here or on a dask cluster.

`client` is a `dask.distributed.Client` (extra `littlestone[scale]`); without one everything runs here, with the same
bits. Nothing here imports dask: a client is given, and asked to map, submit and gather.
"""

from ..core.groups import make_group

make_group(__name__)
