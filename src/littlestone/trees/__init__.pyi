"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .mondrian_forest import MondrianForest as MondrianForest
from .mondrian_forest_regression import MondrianForestRegression as MondrianForestRegression
