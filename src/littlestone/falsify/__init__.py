"""Search for a run that breaks a theorem."""

from __future__ import annotations

import sys
import types
from typing import Any


def falsify(learner: Any, **options: Any) -> Any:
    """See `littlestone.falsify.door.falsify`."""
    from .door import (
        falsify as search,  # imported here, so that `import littlestone.falsify` stays quick
    )

    return search(learner, **options)


class _Callable(types.ModuleType):
    """`littlestone.falsify(...)` works whether or not the folder of that name was imported before."""

    def __call__(self, learner: Any, **options: Any) -> Any:
        return falsify(learner, **options)


sys.modules[__name__].__class__ = _Callable
