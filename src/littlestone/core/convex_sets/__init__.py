"""Convex sets: their projections, and their names as a user writes them."""

from .dykstra import Everywhere as Everywhere
from .dykstra import Intersection as Intersection
from .dykstra import room as room
from .shapes import KINDS as KINDS
from .shapes import Ball as Ball
from .shapes import Box as Box
from .shapes import Halfspace as Halfspace
from .shapes import Set as Set
from .shapes import Shifted as Shifted
from .shapes import Simplex as Simplex
