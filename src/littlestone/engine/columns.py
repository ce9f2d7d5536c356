"""Memory for columns: a number a round, in memory that an earlier column gave back.

Memory that is written for the first time has to be fetched from the system page by page. Where other code frees large
arrays in between, that took 9 to 11 ns a row of 100 features, of the 40 that perceptron takes for one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

LEAST = 1 << 14  # rounds: of fewer, the C library has memory at hand
LONGEST = 1 << 19  # rounds of the longest column whose memory is used again
STEP = 1 << 12  # columns are so many rounds longer, or a multiple: at most a quarter is left free
ROOM = 1 << 21  # numbers that are held for later, at most: 16 MB
SPARE: dict[int, list[Any]] = {}  # by size: memory that nobody holds any more


class Memory:
    """The memory of one column; once no array has it any more, it waits for the next column of its size."""

    def __init__(self, size: int) -> None:
        try:
            self.numbers = SPARE[size].pop()  # in one step: no other thread gets the same
        except LookupError:
            self.numbers = np.empty(size)
        self.__array_interface__ = self.numbers.__array_interface__

    def __del__(self, spare: dict[int, list[Any]] = SPARE, room: int = ROOM) -> None:
        # The arguments are there even when Python ends, and modules have lost their names.
        size = len(self.numbers)
        if size + sum(n * len(held) for n, held in list(spare.items())) > room:
            spare.clear()  # of sizes that are not asked for any more
        spare.setdefault(size, []).append(self.numbers)


def column(rows: int) -> Any:
    """A number a round, not yet written; or the numbers of several columns."""
    if not LEAST <= rows <= LONGEST:
        return np.empty(rows)
    return np.asarray(Memory(-(-rows // STEP) * STEP))[:rows]
