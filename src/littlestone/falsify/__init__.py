"""Search for a run that breaks a theorem."""

from __future__ import annotations

from typing import Any


def falsify(learner: Any, **options: Any) -> Any:
    """Attack a learner's theorems (`theorems.falsify_theorem`), or a statement by its id (`falsify_claim`).

    >>> falsify("T-HEDGE", runs=40).learner
    'hedge'
    """
    # imported here, so that `import littlestone.falsify` stays quick
    from .lookup import is_id

    if is_id(learner):
        from .claims import falsify_claim

        return falsify_claim(learner, **options)
    from .theorems import falsify_theorem

    return falsify_theorem(learner, **options)
