"""Examples that are strings, for learners with a kernel of strings: a sparse row of the code points of the letters.

Rows are sparse, so that a later string may be longer than all before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.vectors import Sparse


def holds_strings(x: Any) -> bool:
    """Is it a list, an array or a column of strings?"""
    if isinstance(x, (list, tuple)):
        return bool(len(x)) and isinstance(x[0], str)
    if getattr(x, "ndim", 0) != 1 or not len(x):
        return False
    return isinstance(x.tolist()[0] if isinstance(x, np.ndarray) else next(iter(x)), str)


def one_string(learner: Any, x: Any) -> Any:
    """A string as a sparse row; any other x as it is."""
    if not learner.strings or not isinstance(x, str):
        return x
    from ..kernels.functions.letters import letters

    codes = letters([x], "an example")[0]
    return Sparse(np.arange(len(codes), dtype=np.int32), codes)


def every_string(learner: Any, x: Any, width: int = -1) -> Any:
    """Many strings as the rows of a matrix, a dense one where there is a width; x itself if nothing is to be done."""
    if not learner.strings or not holds_strings(x):
        return x
    from ..kernels.functions.letters import as_wide_as, letters

    if width >= 0:  # the learner began with a matrix of letters
        return as_wide_as(letters(x, "examples"), width)
    from scipy.sparse import csr_array

    return csr_array(letters(x, "examples"))
