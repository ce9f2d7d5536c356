"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .committee import Committee as Committee
from .conversion import Conversion as Conversion
from .longest_survivor import longest_survivor as longest_survivor
from .online_to_batch import average as average
from .online_to_batch import ewa as ewa
from .online_to_batch import random_stop as random_stop
