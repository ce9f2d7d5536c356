"""Graphs as kernels over rows or columns: see `networks.laplacian`, which has moved out of this room."""

from __future__ import annotations

from ..networks.laplacian import graph_kernel as graph_kernel
from ..networks.laplacian import laplacian as laplacian
from ..networks.laplacian import positive_definite as positive_definite
from ..networks.laplacian import pseudo_inverse as pseudo_inverse
from ..networks.laplacian import resistance as resistance
