"""Linear learners, online: perceptrons, Winnow, gradient descent, second-order rules, and the defaults."""

from ..core.groups import make_group

make_group(__name__)
