"""Digests: a hash of the bits that decide what a learner will do, and of nothing else.

Values are hashed in order: of an array its type, shape and bytes, of a number its bits. Names of classes, modules and
fields are left out, and so is scratch: a digest does not change when a class gets another name, or when something is
predicted and not learned.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.learner import Learner
from ..core.scratch import kept_leaves
from ..settings.setting import named_by_user

if TYPE_CHECKING:
    from .live import Live

NUMBER = struct.Struct("<d")


def bit_digest(*values: Any) -> str:
    """The hash of values in order: arrays, numbers, text, and tuples, lists, dicts and learners made of these.

    >>> (
    ...     bit_digest(np.zeros(2), 1) == bit_digest((np.zeros(2), 1)),
    ...     bit_digest(0.0) == bit_digest(-0.0),
    ... )
    (False, False)
    """
    hash_ = hashlib.sha256()
    for v in values:
        add(hash_, v)
    return hash_.hexdigest()


def add(hash_: Any, v: Any) -> None:
    """Hash one value; a mark before each tells kinds apart, a length before each where one ends."""
    if isinstance(v, np.generic):
        v = v.item()
    if isinstance(v, np.ndarray):
        hash_.update(f"array {v.dtype.str} {v.shape} ".encode() + np.ascontiguousarray(v).tobytes())
    elif isinstance(v, Learner):
        add(hash_, tuple(v.parameters.values()))
    elif isinstance(v, dict):  # of names and their places: both are values
        add(hash_, [part for pair in v.items() for part in pair])
    elif isinstance(v, (tuple, list)):
        hash_.update(f"parts {len(v)} ".encode())
        for part in v:
            add(hash_, part)
    elif isinstance(v, float):
        hash_.update(b"float " + NUMBER.pack(v))
    elif v is None or isinstance(v, (bool, int, str, bytes)):
        raw = v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogatepass")
        hash_.update(f"{KINDS[type(v)]} {len(raw)} ".encode() + raw)
    else:
        raise TypeError(f"a {type(v).__name__} has no digest: {v!r:.60}")


KINDS: dict[type, str] = {type(None): "none", bool: "bool", int: "int", str: "text", bytes: "bytes"}


def digest(live: Live, tickets: bool = False) -> str:
    """A hash of a live learner: equal where all that it will do is equal; with its open tickets, or without."""
    s = live.setting
    # names that only count columns change no prediction
    names = s.names if named_by_user(live.names) else None
    # what is repeated when all experts sleep
    last = None if s.sleeper is None else live.scratch.last
    return bit_digest(
        live.learner, live.game, live.shape, list(kept_leaves(live.state)), live.seed, live.t,
        s.labels, names, s.more(), last, open_tickets(live) if tickets else None,
    )  # fmt: skip


def open_tickets(live: Live) -> Any:
    """What open tickets hold, and fingerprints of those that are kept elsewhere. Not whose they are: that is drawn."""
    book = live.tickets
    kept = [(k.round, k.x, k.prediction, k.decision, k.action) for k in book.all_kept()]
    return kept, dict(sorted(book.bare.items()))
