"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .mixture import Mixture as Mixture
from .mixture_regression import MixtureRegression as MixtureRegression
