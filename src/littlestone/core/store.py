"""A learner in one file: parameters and state as arrays and plain values, never code.

Layout: a magic line, then a msgpack envelope {"version", "checksum", "body"}; the body is msgpack again, and the
checksum is over its bytes, so a file that was cut off or altered is refused before anything of it is used.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from . import games, losses
from .engine import engine
from .errors import BadFile
from .learner import Learner
from .live import Live, Ticket
from .registry import learners

MAGIC = b"LITTLESTONE\n"
VERSION = 1
KNOWN = {c.__name__: c for c in (*losses.KINDS, games.Shape, games.Room)} | {
    c.__name__: c
    for c in (
        games.Allocation,
        games.Advice,
        games.Substitution,
        games.Tangent,
        games.Vote,
        games.Draw,
        games.Labels,
    )
}
AnyLearner = Learner[Any, Any, Any, Any]


def pack(v: Any) -> Any:
    """Values as msgpack knows them: arrays, NamedTuples and learners are tagged maps."""
    if isinstance(v, np.ndarray):
        return {"@": "array", "dtype": v.dtype.str, "shape": list(v.shape), "bytes": v.tobytes()}
    if isinstance(v, Learner):
        return {
            "@": "learner",
            "key": v.key,
            "parameters": {k: pack(p) for k, p in v.parameters.items()},
        }
    if isinstance(v, Ticket):
        return {"@": "ticket", "values": [pack(p) for p in vars(v).values()]}
    if hasattr(v, "_fields"):
        return {"@": "tuple", "name": type(v).__name__, "values": [pack(p) for p in v]}
    if isinstance(v, tuple):
        return {"@": "row", "values": [pack(p) for p in v]}
    if isinstance(v, np.generic):
        return v.item()
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    raise BadFile(f"a {type(v).__name__} cannot be saved: {v!r:.60}")


def unpack(v: Any, classes: dict[str, Any]) -> Any:
    if not isinstance(v, dict):
        return v
    kind = v["@"]
    if kind == "array":
        dtype = np.dtype(v["dtype"])
        if dtype.hasobject:
            raise BadFile("an array of objects is not data")
        return np.frombuffer(v["bytes"], dtype).reshape(v["shape"]).copy()
    if kind == "learner":
        if v["key"] not in learners():
            raise BadFile(
                f"it holds a {v['key']!r}, which is not a learner here; import the module that defines it"
            )
        return learners()[v["key"]](**{k: unpack(p, classes) for k, p in v["parameters"].items()})
    values = [unpack(p, classes) for p in v["values"]]
    if kind == "row":
        return tuple(values)
    if kind == "ticket":
        return Ticket(*values)
    if v["name"] not in classes:
        raise BadFile(f"it holds a {v['name']!r}, which this learner does not have")
    return classes[v["name"]](*values)


def states(cls: type) -> dict[str, Any]:
    """The NamedTuples that the module of a learner class defines or imports: what its state may be made of."""
    import sys

    return {
        v.__name__: v
        for v in vars(sys.modules[cls.__module__]).values()
        if isinstance(v, type) and issubclass(v, tuple) and hasattr(v, "_fields")
    }


def write(path: str | Path, body: dict[str, Any]) -> Path:
    """Write atomically: a reader sees the old file or the new one, never a part."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise BadFile(f"{path} is not a file that could be replaced")
    raw = msgspec.msgpack.encode(body)
    envelope = {"version": VERSION, "checksum": hashlib.sha256(raw).digest(), "body": raw}
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise BadFile(f"{path} cannot be written: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + msgspec.msgpack.encode(envelope))
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # as other files are made; a temporary one is private
        os.replace(name, path)
    except BaseException as problem:
        Path(name).unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise BadFile(f"{path} cannot be written: {problem.strerror}") from None
        raise
    return path


def read(path: str | Path) -> dict[str, Any]:
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise BadFile(f"{path} cannot be read: {problem.strerror}") from None
    if not raw.startswith(MAGIC):
        if raw and MAGIC.startswith(raw[: len(MAGIC)]):
            raise BadFile(f"{path} is cut off after {len(raw)} bytes")
        raise BadFile(f"{path} is not a Littlestone file")
    try:
        envelope = msgspec.msgpack.decode(raw[len(MAGIC) :])
        version, checksum, body = envelope["version"], envelope["checksum"], envelope["body"]
    except (
        KeyError,
        TypeError,
        ValueError,
    ):  # msgspec's errors, and text that is no text, are ValueErrors
        raise BadFile(f"{path} is cut off or damaged: its envelope cannot be read") from None
    if version != VERSION:
        raise BadFile(f"{path} was written in format {version}; this version reads {VERSION}")
    if not isinstance(body, bytes) or hashlib.sha256(body).digest() != checksum:
        raise BadFile(f"{path} is damaged: its checksum does not match")
    decoded: dict[str, Any] = msgspec.msgpack.decode(body)
    return decoded


def save(learner: AnyLearner, path: str | Path) -> Path:
    """Parameters, and the state where there is one."""
    live = learner._live
    body: dict[str, Any] = {"kind": "learner", "learner": pack(learner)}
    if live is not None:
        body["live"] = {
            "learner": pack(live.learner),
            "game": pack(live.game),
            "shape": pack(live.shape),
            "state": pack(live.state),
            "room": pack(live.room),
            "seed": live.seed,
            "t": live.t,
            "labels": None if live.labels is None else [pack(v) for v in live.labels],
            "engine": live.which,
            "names": None if live.names is None else list(live.names),
        }
    return write(path, body)


def load(path: str | Path) -> Any:
    """The learner (or ticket) that was saved; it goes on where it was."""
    body = read(path)
    try:
        if body["kind"] == "ticket":
            return unpack(body["ticket"], KNOWN)
        if body["kind"] != "learner":
            raise BadFile(f"it holds a {body['kind']!r}, which is neither a learner nor a ticket")
        learner = unpack(body["learner"], KNOWN)
        if "live" in body:
            part = body["live"]
            classes = KNOWN | states(type(learner))
            which = (
                part["engine"] if part["engine"] == "plain" or engine() == "compiled" else engine()
            )
            labels = (
                None if part["labels"] is None else tuple(unpack(v, KNOWN) for v in part["labels"])
            )
            learner._live = Live(
                unpack(part["learner"], KNOWN),
                unpack(part["game"], KNOWN),
                unpack(part["shape"], KNOWN),
                seed=int(part["seed"]),
                labels=labels,
                state=unpack(part["state"], classes),
                t=int(part["t"]),
                which=which,
                room_=unpack(part["room"], KNOWN),
            )
            names = part.get("names")
            learner._live.names = None if names is None else tuple(names)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, BadFile):
            raise BadFile(f"{path}: {problem}") from None
        raise BadFile(f"{path} is damaged, or from another version: {problem}") from None
    return learner


def save_ticket(ticket: Ticket, path: str | Path) -> Path:
    return write(path, {"kind": "ticket", "ticket": pack(ticket)})
