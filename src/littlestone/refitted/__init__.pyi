"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .refitted import Refitted as Refitted
from .refitted_boosting import RefittedBoosting as RefittedBoosting
from .refitted_boosting_regression import RefittedBoostingRegression as RefittedBoostingRegression
from .refitted_regression import RefittedRegression as RefittedRegression
from .window_neighbours import WindowNeighbours as WindowNeighbours
