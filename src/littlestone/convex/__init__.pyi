"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .follow_the_leader import FollowTheLeader as FollowTheLeader
from .lazy_ftrl import LazyFTRL as LazyFTRL
from .mirror_descent import MirrorDescent as MirrorDescent
from .projected_gradient import ProjectedGradient as ProjectedGradient
