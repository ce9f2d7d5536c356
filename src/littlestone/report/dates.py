"""The times of rounds, for the axes of the charts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..run.run import Run


def dates(run: Run, t: Any) -> list[int] | None:
    """Seconds since 1970 of the rounds t (counted from 1), where they are known and go forward."""
    times, t = run.times, np.asarray(t, int) - run.transcript.started
    if times is None or not len(t) or t[-1] > len(times):
        return None
    found = times[t - 1].astype("datetime64[s]").astype(np.int64)
    if (np.diff(found) <= 0).any():
        return None
    seconds: list[int] = found.tolist()
    return seconds
