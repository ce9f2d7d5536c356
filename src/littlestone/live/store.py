"""A learner in one file: parameters and state as arrays and plain values, never code.

Layout: a magic line, then a msgpack envelope {"version", "checksum", "body"}; the body is msgpack again, and the
checksum is over its bytes, so a file that was cut off or altered is refused before anything of it is used.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, overload

import msgspec
import numpy as np

from .. import games
from ..core import losses
from ..core.errors import BadFile, BadInput, on_one_line
from ..core.files import write_whole
from ..core.hooks import hook
from ..core.learner import Learner
from ..core.named_tuples import is_named_tuple, is_named_tuple_class
from ..core.registry import learners, walk
from ..core.vectors import Sparse
from ..engine.compile import engine
from ..engine.memory import arrays
from ..engine.target import engine_id
from ..settings import Setting
from ..settings.fit import first_state
from .alarm import Alarm
from .books import Books
from .late_rounds import HELD, LateRounds
from .live import Live
from .tickets import FIELDS, Ticket, Tickets, are_numbers

MAGIC = b"LITTLESTONE\n"
VERSION = 2
# The one place where files of before are made new: from the body of a format to that of the next. None is promised yet.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
SMALL = 4096  # entries of an array that is written as it is
PACKAGE = __name__.partition(".")[0]
# Classes that any file may hold, by name.
KNOWN = {c.__name__: c for c in (*losses.KINDS, *games.GAMES, games.Shape, games.Room, Sparse)}
# Modules whose NamedTuples a file may name, beside those of the learners: kernels, sets, losses of points, graphs.
NAMED = (
    "core.losses",
    "core.convex_losses",
    "core.convex_sets.shapes",
    "core.convex_sets.dykstra",
    "graphs.algorithms.graph",
)
KERNELS = "kernels.functions"
# kinds of `conformal.sets`; files of the last two belong to runs of intervals
SETS = ("set ticket", "intervals", "prediction sets", "interval chain", "interval chains")
AnyLearner = Learner[Any, Any, Any, Any]
K = TypeVar("K")


def pack(v: Any) -> Any:
    """Values as msgpack knows them: arrays, NamedTuples and learners are tagged maps."""
    if isinstance(v, np.ndarray):
        return pack_array(v)
    if isinstance(v, Learner):
        return {
            "@": "learner",
            "key": v.key,
            "parameters": {k: pack(p) for k, p in v.parameters.items()},
        }
    if isinstance(v, Ticket):
        return pack_ticket(v)
    if is_named_tuple(v):
        return {
            "@": "tuple",
            "name": type(v).__name__,
            "module": type(v).__module__,
            "values": [pack(p) for p in v],
        }
    if isinstance(v, tuple):
        return {"@": "row", "values": [pack(p) for p in v]}
    if isinstance(v, np.generic):
        return v.item()
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    raise BadFile(f"a {type(v).__name__} cannot be saved: {v!r:.60}")


def pack_ticket(ticket: Ticket) -> dict[str, Any]:
    """A ticket, with the names that came with its round, if any."""
    found = {"@": "ticket", "values": [pack_short(getattr(ticket, name)) for name in FIELDS]}
    return found if ticket.names is None else found | {"names": pack_record(ticket.names)}


def pack_short(v: Any) -> Any:
    """As `pack`, in fewer bytes where it is a row of numbers, as examples and decisions of tickets are."""
    if are_numbers(v):
        return {"@": "f8", "b": v.tobytes()}
    if type(v) is tuple:
        return {"@": "row", "values": [pack_short(p) for p in v]}
    return pack(v)


def pack_record(names: dict[str, Any]) -> dict[str, Any]:
    """What `Setting.names_since` gives: lists of names, and numbers."""
    return {k: pack_names(v) for k, v in names.items()}


def unpack_record(v: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if v is None else {k: unpack_names(part) for k, part in v.items()}


def pack_array(v: Any) -> dict[str, Any]:
    """An array; of a large one whose entries are mostly alike, as hashed weights are, only the others."""
    found = {"@": "array", "dtype": v.dtype.str, "shape": list(v.shape)}
    if SMALL <= v.size < 2**32 and v.dtype.itemsize == 8:
        bits = (
            np.ascontiguousarray(v).reshape(-1).view(np.uint64)
        )  # so that -0.0 and NaN stay what they are
        fill = bits[-1]
        at = np.flatnonzero(bits != fill)
        if 12 * len(at) < 4 * v.size:
            rest = {"at": at.astype(np.uint32).tobytes(), "bytes": bits[at].tobytes()}
            return found | {"fill": bits[-1:].tobytes()} | rest
    return found | {"bytes": v.tobytes()}


def unpack(v: Any, classes: dict[str, Any]) -> Any:
    """The value that `pack` wrote; `classes` are those that it may name, beside the modules of the package."""
    if not isinstance(v, dict):
        return v
    kind = v["@"]
    if kind == "array":
        return unpack_array(v)
    if kind == "f8":
        return np.frombuffer(v["b"], np.float64).copy()
    if kind == "learner":
        made_by = known_learner(v["key"])
        if made_by is None:
            raise BadFile(
                f"it holds a {v['key']!r}, which is not a learner here; import the module that defines it"
            )
        return made_by(**{k: unpack(p, classes) for k, p in v["parameters"].items()})
    values = [unpack(p, classes) for p in v["values"]]
    if kind == "row":
        return tuple(values)
    if kind == "ticket":
        ticket = Ticket(*values)
        ticket.names = unpack_record(v.get("names"))
        return ticket
    # states of several modules have one name: the module tells them apart
    found = find_named_tuple(v["name"], v.get("module", "")) or classes.get(v["name"])
    if found is None:
        raise BadFile(f"it holds a {v['name']!r}, which this learner does not have")
    most = len(found._fields)
    if len(values) != most:
        raise BadFile(
            f"its {v['name']} has {len(values)} parts and here it has {most}: "
            "another version saved it; let it learn again from its data"
        )
    return found(*values)


def unpack_array(v: dict[str, Any]) -> Any:
    """The array that `pack_array` wrote."""
    dtype = np.dtype(v["dtype"])
    if dtype.hasobject:
        raise BadFile("an array of objects is not data")
    if "at" not in v:
        return np.frombuffer(v["bytes"], dtype).reshape(v["shape"]).copy()
    size = int(np.prod(v["shape"], dtype=np.int64))
    at = np.frombuffer(v["at"], np.uint32)
    if size > 2**32 or (len(at) and int(at.max()) >= size):
        raise BadFile("an array of the file has entries beyond its end")
    made = np.full(size, np.frombuffer(v["fill"], dtype)[0], dtype)
    made[at] = np.frombuffer(v["bytes"], dtype)
    return made.reshape(v["shape"])


FOUND: dict[str, type[AnyLearner]] = {}  # learners of files read before


def known_learner(key: str) -> type[AnyLearner] | None:
    """The class of this key; the registry is walked once for each learner of the package."""
    found = FOUND.get(key)
    if found is None or found.abstract:
        found = learners().get(key)
        if found is not None and found.__module__.startswith(PACKAGE):
            FOUND[key] = found
    return found


@functools.cache
def modules_in_files() -> frozenset[str]:
    """The modules that a file may name: those of learners and kernels, and a few of the core."""
    package = importlib.import_module(f"{PACKAGE}.{KERNELS}").__path__
    some = (*NAMED, *(f"{KERNELS}.{m.name}" for m in pkgutil.iter_modules(package)))
    return frozenset([*walk(), *(f"{PACKAGE}.{name}" for name in some)])


def find_named_tuple(name: str, module: str) -> Any:
    """A NamedTuple of this package (a kernel, a set, a state): the only code that a file can name."""
    inside = module.removeprefix(f"{PACKAGE}.")
    module = f"{PACKAGE}.{inside}"
    if module not in modules_in_files():
        return None
    found = getattr(importlib.import_module(module), name, None)
    return found if is_named_tuple_class(found) else None


def states(cls: type) -> dict[str, Any]:
    """The NamedTuples that the module of a learner class defines or imports: what its state may be made of."""
    return {
        v.__name__: v for v in vars(sys.modules[cls.__module__]).values() if is_named_tuple_class(v)
    }


def seal_body(body: dict[str, Any]) -> bytes:
    """The bytes of a file: magic line, and an envelope with a checksum."""
    raw = msgspec.msgpack.encode(body)
    envelope = {"version": VERSION, "checksum": hashlib.sha256(raw).digest(), "body": raw}
    return MAGIC + msgspec.msgpack.encode(envelope)


def write(path: str | Path, body: dict[str, Any]) -> Path:
    """Write a learner or a ticket, atomically."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise BadFile(f"{path} is not a file that could be replaced")
    return write_whole(path, seal_body(body))


def holds_intervals(path: str | Path | None) -> bool:
    """Does a file begin as one of intervals does? The rest is not read; a file that is not there does not."""
    if path is None:
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(256)
    except OSError:
        return False
    kinds = (msgspec.msgpack.encode({"kind": kind})[1:] for kind in SETS[-2:])
    return head.startswith(MAGIC) and any(kind in head for kind in kinds)


def read(path: str | Path) -> dict[str, Any]:
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise BadFile(f"{path} cannot be read: {problem.strerror}") from None
    return open_envelope(raw, path)


def open_envelope(raw: bytes, path: str | Path) -> dict[str, Any]:
    """The body of a file, if it is one of ours and whole; `path` is for messages."""
    if not raw.startswith(MAGIC):
        if raw and MAGIC.startswith(raw[: len(MAGIC)]):
            raise BadFile(f"{path} is cut off after {len(raw)} bytes")
        raise BadFile(f"{path} is not a Littlestone file")
    try:
        envelope = msgspec.msgpack.decode(raw[len(MAGIC) :])
        version, checksum, body = envelope["version"], envelope["checksum"], envelope["body"]
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError):
        raise BadFile(f"{path} is cut off or damaged: its envelope cannot be read") from None
    old = range(version, VERSION) if isinstance(version, int) else range(0)
    if version != VERSION and not (old and all(format in MIGRATIONS for format in old)):
        raise BadFile(
            f"{path} was written in format {version}; this version reads {VERSION}: let it learn again from its data"
        )
    if not isinstance(body, bytes) or hashlib.sha256(body).digest() != checksum:
        raise BadFile(f"{path} is damaged: its checksum does not match")
    try:
        found = msgspec.msgpack.decode(body, type=dict[str, Any])
    except (ValueError, RecursionError, msgspec.MsgspecError) as problem:
        raise BadFile(f"{path} is damaged: {problem}") from None
    for format in old:
        found = MIGRATIONS[format](found)
    return found


def save(learner: AnyLearner, path: str | Path, tickets: Any = True) -> Path:
    """Parameters, and the state where there is one; with open tickets, or only their fingerprints."""
    tickets = holds_tickets(tickets)
    made, live = write(path, describe_learner(learner, tickets)), learner.live
    if live is not None:
        live.tickets.names_written = live.setting.names_met
        if tickets and live.tickets.log is not None:
            live.tickets.log.saved = True
    return made


def save_by_key(learners: Mapping[Any, AnyLearner], path: str | Path) -> Path:
    """The learners of several keys in one file; `load` gives a dict of them."""
    keys = [pack(key) for key in learners]
    each = [describe_learner(learner) for learner in learners.values()]
    return write(path, {"kind": "learners", "keys": keys, "learners": each})


def to_bytes(learner: AnyLearner, tickets: bool = True) -> bytes:
    """What a file would hold."""
    return seal_body(describe_learner(learner, tickets))


def holds_tickets(tickets: object) -> bool:
    """What a user says of open tickets, "all" or "none", also as True or False: are they written?"""
    if tickets in ("all", "none") or isinstance(tickets, bool):
        return tickets in ("all", True)
    raise BadInput(
        f'tickets must be "all" or "none", not {tickets!r:.80}', field="tickets", value=tickets
    )


def describe_learner(learner: AnyLearner, tickets: bool = True) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": "learner", "learner": pack(learner)}
    live: Live | None = learner.live
    return body if live is None else body | {"live": describe_whole_live(live, tickets)}


def describe_whole_live(live: Live, tickets: bool = True) -> dict[str, Any]:
    """A live learner as a file holds it, with its open tickets or their fingerprints."""
    body = describe_live(live) | {"room": pack(live.scratch), "engine": live.engine}
    body["engine_id"] = engine_id(live.engine)
    later = live.late_rounds
    if later is not None and later.t == live.t:
        body["late"] = {
            "live": None if later.live is None else describe_whole_live(later.live, tickets),
            "rounds": [pack(v) for v in later.rounds],
            "labels": None if later.labels is None else [pack(v) for v in later.labels],
        }
    if live.books is not None:
        body["books"] = pack_tree(live.books.body())
    if live.alarm is not None:
        body["alarm"] = pack_tree(live.alarm.body())
    book = live.tickets
    if not book.mark:  # it has issued no tickets
        return body
    kept = [pack(ticket) for ticket in book.all_kept()] if tickets else []
    prints = list(map(list, (book.bare if tickets else book.prints()).items()))
    return body | {"mark": book.mark, "tickets": kept, "prints": prints}


def live_to_bytes(live: Live) -> bytes:
    """A live learner without the learner that the user made."""
    return seal_body(
        {"kind": "learner", "learner": pack(live.learner), "live": describe_whole_live(live)}
    )


def live_from_bytes(learner: type[AnyLearner], raw: bytes) -> Live:
    """The live learner again. Its class is given, so that the module that defines it is imported."""
    found: Live = from_bytes(raw).live
    return found


def describe_live(live: Live) -> dict[str, Any]:
    """All that decides what a live learner will do."""
    s = live.setting
    return {
        "learner": pack(live.learner),
        "game": pack(live.game),
        "shape": pack(live.shape),
        "state": pack(live.state),
        "seed": live.seed,
        "t": live.t,
        "labels": None if s.labels is None else [pack(v) for v in s.labels],
        "names": None if s.names is None else list(s.names),
        "more": {k: pack_more(v) for k, v in s.more().items()},
    }


def pack_more(v: Any) -> Any:
    """Names of features and their places, in their order; and lists, and numbers."""
    return {"@": "places", "names": pack_names(list(v))} if isinstance(v, dict) else v


def unpack_more(v: Any) -> Any:
    names = unpack_names(v["names"]) if isinstance(v, dict) else ()
    return {name: i for i, name in enumerate(names)} if isinstance(v, dict) else v


def pack_tree(v: Any) -> Any:
    """Lists and dicts of arrays and numbers."""
    if isinstance(v, dict):
        return {"@": "dict", "items": [[k, pack_tree(part)] for k, part in v.items()]}
    if isinstance(v, (list, tuple)):
        return [pack_tree(part) for part in v]
    return pack(v)


def unpack_tree(v: Any) -> Any:
    if isinstance(v, dict) and v["@"] == "dict":
        return {k: unpack_tree(part) for k, part in v["items"]}
    return [unpack_tree(part) for part in v] if isinstance(v, list) else unpack(v, KNOWN)


def pack_names(v: Any) -> Any:
    """A list of names, which need not be text; anything else as it is."""
    return [pack(name) for name in v] if isinstance(v, list) else v


def unpack_names(v: Any) -> Any:
    return [unpack(name, KNOWN) for name in v] if isinstance(v, list) else v


@overload
def load(path: str | Path) -> AnyLearner: ...
@overload
def load(path: str | Path, kind: type[K]) -> K: ...
def load(path: str | Path, kind: type[Any] | None = None) -> Any:
    """The learner (or ticket) that was saved; it goes on where it was. Of several keys, a dict of learners.

    `kind` says what it must be, to the reader, to type checkers and to this function, which refuses anything else:
    `load("model.ls", ls.Tracker)`, `load("round.ticket", Ticket)`.
    """
    return of_kind(revive_learner(read(path), path), kind, path)


@overload
def from_bytes(raw: bytes, *, path: str | Path = ...) -> AnyLearner: ...
@overload
def from_bytes(raw: bytes, kind: type[K], path: str | Path = ...) -> K: ...
def from_bytes(raw: bytes, kind: type[Any] | None = None, path: str | Path = "these bytes") -> Any:
    """What `to_bytes` was called on, a learner or a ticket; it goes on where it was. `kind`: see `load`.

    >>> import littlestone as ls
    >>> learner = ls.Hedge(eta=1.0).start(2).update([0.0, 1.0])
    >>> again = ls.from_bytes(learner.to_bytes(), ls.Hedge)
    >>> again.weights.round(3).tolist(), again.digest() == learner.digest()
    ([0.731, 0.269], True)
    """
    if not isinstance(raw, (bytes, bytearray, memoryview)):
        raise BadInput(f"from_bytes takes bytes, not {raw!r:.80}", field="raw", value=raw)
    return of_kind(revive_learner(open_envelope(bytes(raw), path), path), kind, path)


def of_kind(found: Any, kind: type[Any] | None, path: str | Path) -> Any:
    """What was found, if it is what it must be."""
    if kind is not None and not isinstance(found, kind):
        raise BadFile(f"{path} holds a {type(found).__name__}, not a {kind.__name__}")
    return found


def revive_learner(body: dict[str, Any], path: str | Path) -> Any:
    try:
        if body["kind"] == "ticket":
            return unpack(body["ticket"], KNOWN)
        if body["kind"] in SETS:
            return hook("sets_from_body")(body)
        if body["kind"] == "learners":
            pairs = zip(body["keys"], body["learners"], strict=True)
            return {unpack(key, KNOWN): revive_learner(one, path) for key, one in pairs}
        if body["kind"] != "learner":
            raise BadFile(f"it holds a {body['kind']!r}, which is neither a learner nor a ticket")
        learner = unpack(body["learner"], KNOWN)
        if "live" in body:
            learner.attach(revive_live(body["live"], learner))
    except (
        ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError,
    ) as problem:  # fmt: skip
        if isinstance(problem, BadFile):
            raise BadFile(f"{path}: {problem}") from None
        raise BadFile(
            f"{path} is damaged, or from another version: {on_one_line(problem)}"
        ) from None
    return learner


def revive_live(part: dict[str, Any], learner: AnyLearner) -> Live:
    """A live learner of what `describe_whole_live` wrote."""
    classes = KNOWN | states(type(learner))
    setting = revive_setting(part, classes)
    state = unpack(part["state"], classes)
    refuse_misfit(state, setting)
    live = Live(
        setting, seed=int(part["seed"]), state=state, t=int(part["t"]),
        engine="plain" if part["engine"] == "plain" else engine(), scratch=unpack(part["room"], KNOWN),
    )  # fmt: skip
    live.tickets.names_written = setting.names_met
    if "late" in part:
        late = part["late"]
        before = None if late["live"] is None else revive_live(late["live"], learner)
        rounds = tuple(unpack(v, HELD) for v in late["rounds"])
        live.late_rounds = LateRounds(live.t, before, rounds, unpack_labels(late["labels"]))
    if "books" in part:
        live.take_books(Books.revive(live, unpack_tree(part["books"])))
    if "alarm" in part:
        live.alarm = Alarm.revive(unpack_tree(part["alarm"]))
    revive_tickets(live.tickets, part)
    return live


def revive_setting(part: dict[str, Any], classes: dict[str, Any]) -> Setting:
    """The setting of a live learner, with names and labels."""
    game = unpack(part["game"], classes)  # a game of the learner's own module, too
    names = part.get("names")
    return Setting.kinds[game.traits().kind.name](
        unpack(part["learner"], KNOWN),
        game,
        unpack(part["shape"], KNOWN),
        labels=unpack_labels(part["labels"]),
        names=None if names is None else tuple(names),
        **{k: unpack_more(v) for k, v in part.get("more", {}).items()},
    )


def unpack_labels(labels: Any) -> tuple[Any, ...] | None:
    return None if labels is None else tuple(unpack(v, KNOWN) for v in labels)


def revive_tickets(tickets: Tickets, part: dict[str, Any]) -> None:
    """Keep the open tickets of a file again, or their fingerprints."""
    tickets.mark = int(part.get("mark", 0))
    for v in part.get("tickets", []):
        tickets.keep(unpack(v, KNOWN))
    for t, fingerprint in part.get("prints", []):
        if int(t) not in tickets.held:
            tickets.bare[int(t)] = fingerprint


def refuse_misfit(state: Any, setting: Any) -> None:
    """Refuse a state whose arrays are not as long as its shape says: compiled rules would read behind their ends."""
    if not setting.learner.fixed:  # arrays that grow with the rounds may have any length
        return
    found, wanted = (
        [(v.dtype.kind, v.shape) for v in arrays(one)]
        for one in (state, first_state(setting.learner, setting.shape))
    )
    if found != wanted:
        raise BadFile(f"its state has arrays of shapes {found}, and its shape asks for {wanted}")


def save_ticket(ticket: Ticket, path: str | Path) -> Path:
    return write(path, {"kind": "ticket", "ticket": pack(ticket)})


def ticket_to_bytes(ticket: Ticket) -> bytes:
    return seal_body({"kind": "ticket", "ticket": pack(ticket)})


def ticket_from_bytes(raw: bytes) -> Ticket:
    found = from_bytes(raw, path="a ticket")
    if not isinstance(found, Ticket):
        raise BadFile("a ticket: these bytes hold a learner")
    return found
