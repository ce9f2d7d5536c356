"""Files of chains: one, or one for each key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...live import store
from .chain import Chain


def save_by_key(chains: Mapping[Any, Chain], path: str | Path) -> Path:
    """The chains of several keys in one file; `littlestone.load` gives a dict of them."""
    keys, each = [store.pack(k) for k in chains], [c.body() for c in chains.values()]
    return store.write(path, {"kind": "interval chains", "keys": keys, "chains": each})


def from_body(body: dict[str, Any]) -> Any:
    """What `littlestone.load` brings back: a chain, or a dict of them."""
    if body["kind"] == "interval chain":
        return Chain.revive(body)
    pairs = zip(body["keys"], body["chains"], strict=True)
    return {store.unpack(key, {}): Chain.revive(one) for key, one in pairs}
