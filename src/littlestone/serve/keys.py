"""API keys: 256 random bits, of which the log holds the SHA-256; each has scopes."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import NamedTuple

from ..core.errors import BadInput
from .problems import Problem
from .store import Store, now

SCOPES = ("read", "decide", "admin")
NO_KEY = bytes(32)
LOOK_EVERY = 0.2  # seconds: so long may a key that was revoked still open


class Key(NamedTuple):
    """A key as the log knows it."""

    id: str
    name: str
    digest: bytes
    scopes: frozenset[str]
    created: float
    revoked: float | None


class Keys:
    """The keys of one log, read again when another process has changed them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.version, self.looked = -1, 0.0
        self.found: dict[str, Key] = {}

    def all(self) -> dict[str, Key]:
        """Every key, by its id."""
        if time.monotonic() - self.looked < LOOK_EVERY:
            return self.found
        self.looked = time.monotonic()
        version = self.store.keys_version()
        if version != self.version:
            self.version = version
            text = "select id, name, digest, scopes, created, revoked from api_key order by created"
            rows = [
                Key(a, b, c, frozenset(d.split()), e, f)
                for a, b, c, d, e, f in self.store.rows(text)
            ]
            self.found = {key.id: key for key in rows}
        return self.found

    def required(self) -> bool:
        """Is there a key that is not revoked?"""
        return any(key.revoked is None for key in self.all().values())

    def check(self, header: str, scope: str) -> str:
        """The name of the key in an Authorization header that may do this; a problem where there is none."""
        given = header[7:] if header[:7].lower() == "bearer " else ""
        id_ = given.partition("_")[2].partition("_")[0]
        key = self.all().get(id_)
        same = hmac.compare_digest(digest(given), NO_KEY if key is None else key.digest)
        if key is None or not same or key.revoked is not None:
            raise Problem(401, "no valid key", "send a key: Authorization: Bearer ls_…")
        if scope not in key.scopes and "admin" not in key.scopes:
            raise Problem(403, "scope missing", f"this needs a key with the scope {scope!r}")
        return key.name


def digest(key: str) -> bytes:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).digest()


def add_key(store: Store, name: str, scopes: tuple[str, ...]) -> str:
    """Make a key and return it; it is shown this once."""
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        raise BadInput(
            f"scopes are {', '.join(SCOPES)}, not {(unknown or ['nothing'])[0]!r}",
            field="scopes",
            value=(unknown or [""])[0],
        )
    id_ = secrets.token_hex(4)
    key = f"ls_{id_}_{secrets.token_hex(32)}"
    values = id_, name, digest(key), " ".join(scopes), now()
    store.do("insert into api_key values(?,?,?,?,?,null)", values)
    store.do("insert into audit values(?,?,?,?)", (now(), "command line", "add key", id_))
    return key


def revoke_key(store: Store, id_: str) -> None:
    """Let a key open nothing any more."""
    if not store.number("select count(*) from api_key where id=?", (id_,)):
        raise BadInput(
            f"there is no key {id_!r}: see `littlestone keys list`", field="id", value=id_
        )
    store.do("update api_key set revoked=? where id=? and revoked is null", (now(), id_))
    store.do("insert into audit values(?,?,?,?)", (now(), "command line", "revoke key", id_))
