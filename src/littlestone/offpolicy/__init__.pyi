"""What type checkers and editors see: the names that are found when they are first asked for.

Written by tools/stubs.py from the list of public names.
"""

from .logged import LoggedDecisions as LoggedDecisions
from .off_policy import off_policy_value as off_policy_value
from .replay import replay as replay
