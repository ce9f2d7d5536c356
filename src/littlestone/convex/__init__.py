"""Online convex optimisation: a point of a set is played, then the loss is seen."""

from ..core.groups import make_group

make_group(__name__)
