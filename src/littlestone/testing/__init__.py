"""The generic suite, for learners of your own: `check_learner(MyLearner(), row)`.

Littlestone holds its own learners to the same checks (tests/every). They need no test framework; with pytest, one test
a check: `@pytest.mark.parametrize(("name", "check"), checks(MyLearner(), row))`.
"""

from __future__ import annotations

from .checks import check_learner as check_learner
from .checks import checks as checks
from .row import Row as Row

__all__ = ["Row", "check_learner", "checks"]
