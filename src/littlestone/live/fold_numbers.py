"""The numbers and arrays that a fold holds, for a file; what it computes with is made anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.errors import BadFile
from ..hindsight.folds.linear import Blocks, Linear
from ..hindsight.folds.mixtures import Mixture
from ..hindsight.folds.sequences import Links, Sequences
from ..hindsight.folds.totals import Block, Totals, Trace
from ..hindsight.folds.uniform import Uniform

PARTS = (Blocks, Linear, Mixture, Sequences, Totals, Trace, Uniform)
LISTS = {"blocks", "links"}  # of a trace, and of the best sequences
PLAIN = (bool, int, float, np.ndarray)


def numbers_of(fold: Any) -> dict[str, Any]:
    """The numbers and arrays of a fold, by name, and those of the folds in it."""
    found: dict[str, Any] = {}
    if isinstance(fold, Trace):
        fold.fold_pending()
        found["blocks"] = [[block.t, block.columns] for block in fold.blocks]
    if isinstance(fold, Sequences):
        found["links"] = [list(link) for link in fold.links]
    for name, v in vars(fold).items():
        if isinstance(v, PLAIN):
            found[name] = v
        elif isinstance(v, PARTS):
            found[name] = numbers_of(v)
    return found


def put_numbers(fold: Any, body: dict[str, Any]) -> None:
    """Give a fold that was just made the numbers of a file, which must be those that it has."""
    wanted = {name for name, v in vars(fold).items() if isinstance(v, (*PLAIN, *PARTS))}
    if wanted != set(body) - LISTS:
        raise BadFile(f"its books hold {sorted(body)}, and here they hold {sorted(wanted)}")
    for name, v in body.items():
        held = getattr(fold, name)
        if name == "blocks":
            fold.blocks = [Block(t, columns) for t, columns in v]
        elif name == "links":
            fold.links = [Links(*link) for link in v]
        elif isinstance(held, PARTS):
            put_numbers(held, v)
        elif isinstance(held, np.ndarray) and np.shape(v) != held.shape:
            raise BadFile(
                f"its books hold {name} of shape {np.shape(v)}, and here it has {held.shape}"
            )
        else:
            setattr(fold, name, v.copy() if isinstance(v, np.ndarray) else v)
