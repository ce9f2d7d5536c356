"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .catalogue import Dataset as Dataset
from .catalogue import about as about
from .catalogue import names as names
from .download import fetch as fetch
from .inside import table as table
