"""Networks: graphs, their Laplacians, resistances and spanning trees; what learners of the room `graphs` are given."""

from __future__ import annotations
