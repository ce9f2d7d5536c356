"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from ..core.convex_losses import Custom as Custom
from ..core.convex_losses import Distance as Distance
from ..core.convex_losses import Linear as Linear
from ..core.convex_sets.dykstra import Everywhere as Everywhere
from ..core.convex_sets.dykstra import Intersection as Intersection
from ..core.convex_sets.dykstra import room as room
from ..core.convex_sets.shapes import Ball as Ball
from ..core.convex_sets.shapes import Box as Box
from ..core.convex_sets.shapes import Halfspace as Halfspace
from ..core.convex_sets.shapes import Shifted as Shifted
from ..core.convex_sets.shapes import Simplex as Simplex
from .follow_the_leader import FollowTheLeader as FollowTheLeader
from .lazy_ftrl import LazyFTRL as LazyFTRL
from .mirror_descent import MirrorDescent as MirrorDescent
from .projected_gradient import ProjectedGradient as ProjectedGradient
