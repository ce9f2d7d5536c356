"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .fit import Mixture as Mixture
from .fit import fit as fit
from .play import ScaledRuns as ScaledRuns
from .play import play as play
from .sweep import Sweep as Sweep
from .sweep import sweep as sweep
