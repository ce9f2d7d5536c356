"""What chooses the rounds: arms, generators and adversaries."""

from ..core.groups import make_group

make_group(__name__)
