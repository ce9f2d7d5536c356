"""What compiled code can reach, as one hash: a change of anything else compiles nothing again.

The walk begins with the function that is compiled. It goes on to the globals that a function names, and to those
methods of the classes on the way whose name is used on the way. Comments, docstrings and line numbers are no part of
the hash. An object of a kind that is not known here stands for the source of every module that its user reaches by
import, so that no change is ever missed.
"""

from __future__ import annotations

import dis
import enum
import functools
import hashlib
import importlib
import inspect
import os
import site
import sys
import sysconfig
from collections.abc import Iterable
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, UnionType
from typing import Any, NamedTuple

import numpy as np

PACKAGE = __name__.partition(".")[0]
# Compiled code may always use the twins and what these are made of: these modules count as a whole.
SHARED = "twins lanes compiled_lanes compiled_fours compiled_borrow compiled_methods compiled_python_call numba_ways"
WHOLE = tuple(f"{__package__}.{name}" for name in SHARED.split())
PRIMITIVES = (
    type(None), bool, int, float, complex, str, bytes, type(...), slice, np.generic, np.dtype,
)  # fmt: skip
# Packages whose functions compiled code calls by name, also where they lie beside the user's own modules, as after
# `pip install --target`.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite")
LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
HAS_DOCSTRING = 0x4000000  # CO_HAS_DOCSTRING, of Python 3.13 and newer


class Piece(NamedTuple):
    """One function, class, attribute or module that is reached."""

    label: str
    digest: bytes  # of its own text and of the constants that it names
    names: frozenset[str]  # all names in its code: a method with one of them may be called
    uses: tuple[Any, ...]  # the functions, classes and modules that it names


class Attribute(NamedTuple):
    """A method or a constant of a class."""

    cls: type
    name: str


class Unknown(NamedTuple):
    """An object of a kind that is not known here, and the module that uses it."""

    module: str


def fingerprint(roots: Iterable[Any], text: str) -> str:
    """The hash of all that compiled code can reach from these functions and classes, and of `text`."""
    pieces: dict[Any, Piece] = {}
    classes: list[type] = []
    names: set[str] = set()
    todo = [*roots, *map(importlib.import_module, WHOLE)]
    while todo:
        while todo:
            v = todo.pop()
            if v not in pieces:
                pieces[v] = p = piece(v)
                names |= p.names
                todo += p.uses
                if isinstance(v, type):
                    classes.append(v)
        called = (Attribute(c, name) for c in classes for name in attributes(c) & names)
        todo = [a for a in called if a not in pieces]
    digest = hashlib.sha256(f"{text} numpy {numpy_version()}".encode())
    for label, own in sorted({(p.label, p.digest) for p in pieces.values()}):
        digest.update(label.encode() + b"\0" + own)
    return digest.hexdigest()


def numpy_version() -> str:
    """The version of NumPy as far as machine code depends on it: a patch of NumPy changes nothing that Numba makes."""
    return ".".join(np.__version__.split(".")[:2])


@functools.cache
def attributes(cls: type) -> frozenset[str]:
    """The public names that a class and its ancestors define, in code of ours; its fields left out."""
    own = {n for k in cls.__mro__ if ours(k.__module__) for n in vars(k) if not n.startswith("_")}
    return frozenset(own - set(getattr(cls, "_fields", ())))


@functools.cache
def piece(v: Any) -> Piece:
    """The hash of one thing's own text, and what it names."""
    uses: list[Any] = []
    names: frozenset[str] = frozenset()
    if isinstance(v, FunctionType):
        module = v.__globals__.get("__name__", "")
        label, names = f"function {module}.{v.__code__.co_qualname}", names_in(v.__code__)
        words = [code_text(v.__code__), text_of(v.__defaults__, module, uses)]
        words.append(text_of(v.__kwdefaults__, module, uses))
        words += [text_of(cell.cell_contents, module, uses) for cell in v.__closure__ or ()]
        words.append(text_of(getattr(v, "sparse_form", None), module, uses))
        for name in globals_in(v.__code__):
            if name in v.__globals__:
                words.append(f"{name} {text_of(v.__globals__[name], module, uses, names)}")
    elif isinstance(v, Attribute):
        label = f"attribute {name_of(v.cls)}.{v.name}"
        found = next(vars(k)[v.name] for k in v.cls.__mro__ if v.name in vars(k))
        for wrapped in ("__func__", "fget"):  # of static methods and class methods; of properties
            found = getattr(found, wrapped, found)
        words = [text_of(found, v.cls.__module__, uses)]
    elif isinstance(v, Unknown):
        label = f"what {v.module} imports"
        words = [hashlib.sha256(source_bytes(m)).hexdigest() + m for m in sources(v.module)]
    elif isinstance(v, ModuleType):
        code = module_code(v)
        label, names = f"module {v.__name__}", names_in(code)
        words = [code_text(code)]
        for name, part in sorted(vars(v).items()):  # what it imports from other modules of ours
            here = getattr(part, "__module__", None) in WHOLE or name.startswith("__")
            if not here and (isinstance(part, PRIMITIVES) or is_record(part) or is_helper(part)):
                words.append(f"{name} {text_of(part, v.__name__, uses)}")
    else:
        label = f"class {name_of(v)}"
        kinds = {
            n: getattr(a, "__forward_arg__", "") for n, a in inspect.get_annotations(v).items()
        }
        words = [repr(v._fields), repr(sorted(kinds.items()))]
        words.append(text_of(v._field_defaults, v.__module__, uses))
    return Piece(label, hashlib.sha256("\n".join(words).encode()).digest(), names, tuple(uses))


def text_of(v: Any, user: str, uses: list[Any], names: frozenset[str] = frozenset()) -> str:
    """A value as a text that is the same in every process; what it is made of by name is added to `uses`.

    `user` is the module that names it; `names` are those in the function that names it, for attributes of modules.
    """
    if isinstance(v, PRIMITIVES):
        return f"{type(v).__name__} {v!r}"
    if isinstance(v, np.ndarray) and not v.dtype.hasobject:
        return f"{v.dtype} {v.shape} {hashlib.sha256(v.tobytes()).hexdigest()}"
    if isinstance(v, enum.Enum):
        return f"{name_of(type(v))} {v.name} {text_of(v.value, user, uses)}"
    if isinstance(v, (tuple, list)):
        if is_record(type(v)):
            uses.append(type(v))
        return f"{name_of(type(v))}({', '.join(text_of(part, user, uses) for part in v)})"
    if isinstance(v, (set, frozenset)):
        return f"set({sorted(text_of(part, user, uses) for part in v)})"
    if isinstance(v, dict):
        return f"dict({sorted((repr(k), text_of(part, user, uses)) for k, part in v.items())})"
    if hasattr(v, "py_func"):  # compiled by Numba: what it was compiled from
        options = text_of(getattr(v, "targetoptions", {}), user, uses)
        return f"{text_of(v.py_func, user, uses)} {options}"
    if is_helper(v):
        uses.append(v)
        return f"function {v.__module__}.{v.__code__.co_qualname}"
    if is_record(v):
        uses.append(v)
        return f"class {name_of(v)}"
    if isinstance(v, ModuleType):
        if not ours(v.__name__):
            return f"module {v.__name__}"
        parts = [(n, getattr(v, n)) for n in sorted(names) if hasattr(v, n)]
        return f"{v.__name__}({[(n, text_of(p, user, uses, names - {n})) for n, p in parts]})"
    if isinstance(v, type) and issubclass(v, enum.Enum):
        return f"{name_of(v)} {[text_of(member, user, uses) for member in v]}"
    if isinstance(v, UnionType):
        return f"union {[text_of(part, user, uses) for part in v.__args__]}"
    if is_named(v):
        return name_of(v)
    uses.append(Unknown(user))
    return "unknown"


def is_helper(v: Any) -> bool:
    """A plain function of ours that is compiled as it stands: no twin takes its place."""
    return (
        isinstance(v, FunctionType) and ours(v.__module__) and not hasattr(v, "has_compiled_form")
    )


def is_record(v: Any) -> bool:
    """A NamedTuple class of ours."""
    return isinstance(v, type) and hasattr(v, "_field_defaults") and ours(v.__module__)


def is_named(v: Any) -> bool:
    """May its name stand for it? What other libraries define, errors, and what the twins compile."""
    if isinstance(v, type) and issubclass(v, BaseException):
        return True
    if hasattr(v, "has_compiled_form") and v.__module__.partition(".")[0] == PACKAGE:
        return True
    intrinsic = getattr(v, "_defn", None)  # of Numba's intrinsics
    if intrinsic is not None:
        return getattr(intrinsic, "__module__", None) in WHOLE
    module = getattr(v, "__module__", None)
    if isinstance(v, (type, FunctionType, BuiltinFunctionType, np.ufunc)):
        return module is not None and not ours(module)
    return False


def name_of(v: Any) -> str:
    return (
        f"{getattr(v, '__module__', '')}.{getattr(v, '__qualname__', getattr(v, '__name__', ''))}"
    )


def code_text(code: CodeType) -> str:
    """Instructions, names and constants: the same in every process, whatever the comments, docstrings and lines."""
    constants = list(code.co_consts)
    at = docstring_at(code)
    if at is not None:
        constants[at] = None
    uses: list[Any] = []
    parts = [code_text(c) if isinstance(c, CodeType) else text_of(c, "", uses) for c in constants]
    facts = (
        code.co_code.hex(), code.co_exceptiontable.hex(), code.co_names, code.co_varnames,
        code.co_freevars, code.co_cellvars, code.co_argcount, code.co_posonlyargcount,
        code.co_kwonlyargcount, code.co_flags & ~HAS_DOCSTRING, parts,
    )  # fmt: skip
    return repr(facts)


def docstring_at(code: CodeType) -> int | None:
    """The place of its docstring among the constants."""
    if (
        not code.co_flags & inspect.CO_OPTIMIZED
    ):  # a module or a class, which stores it under a name
        before = None
        for i in dis.get_instructions(code):
            if i.opname == "STORE_NAME" and i.argval == "__doc__":
                return before
            before = i.arg if i.opname == "LOAD_CONST" else None
        return None
    if sys.version_info >= (3, 13):
        return 0 if code.co_flags & HAS_DOCSTRING else None
    # Before Python 3.13 the first constant of a function without a docstring is None.
    first = code.co_consts[0] if code.co_consts else None
    return 0 if isinstance(first, str) and not code.co_name.startswith("<") else None


@functools.cache
def globals_in(code: CodeType) -> tuple[str, ...]:
    """The globals that a function names. Not co_names: f.own is no use of a global `own`.

    Read from the bytes of the instructions, as `dis` reads them, which makes an object of each.
    """
    found, high = set(), 0
    for op, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if op == LOAD_GLOBAL:
            found.add(code.co_names[(high | low) >> 1])
        high = (high | low) << 8 if op == dis.EXTENDED_ARG else 0
    for c in code.co_consts:
        if isinstance(c, CodeType):
            found.update(globals_in(c))
    return tuple(sorted(found))


@functools.cache
def names_in(code: CodeType) -> frozenset[str]:
    """All names in a code, attributes among them."""
    inner = [names_in(c) for c in code.co_consts if isinstance(c, CodeType)]
    return frozenset(code.co_names).union(*inner)


@functools.cache
def ours(module: str | None) -> bool:
    """Is this code whose change must recompile: of this package, or of the user who wrote the learner?"""
    if not module or module not in sys.modules:
        return False
    top = module.partition(".")[0]
    if top == PACKAGE:
        return True
    if top in LIBRARIES or top in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules[module], "__file__", None)
    if file is None:
        return module == "__main__"
    return not os.path.realpath(file).startswith(installed())


@functools.cache
def installed() -> tuple[str, ...]:
    """The folders that Python installs packages into, wherever this one lies: what is in them is not of the user."""
    known = {*site.getsitepackages(), site.getusersitepackages()}
    known |= {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")}
    return tuple(os.path.join(os.path.realpath(folder), "") for folder in known if folder)


def sources(module: str) -> list[str]:
    """Every module of ours that a module reaches by import, and itself."""
    seen: set[str] = set()
    todo = {module}
    while todo:
        name = todo.pop()
        if name in seen or not ours(name):
            continue
        seen.add(name)
        for v in vars(sys.modules[name]).values():
            todo.add(
                v.__name__ if isinstance(v, ModuleType) else getattr(v, "__module__", None) or ""
            )
    return sorted(seen)


@functools.cache
def source_bytes(module: str) -> bytes:
    file = getattr(sys.modules[module], "__file__", None)
    if file is None or not file.endswith(".py"):
        return b""
    with open(file, "rb") as source:
        return source.read()


def module_code(module: ModuleType) -> CodeType:
    """The code of a module, as Python keeps it on disk; compiled from its text where its loader does not say."""
    loader: Any = module.__spec__ and module.__spec__.loader
    try:
        code: CodeType = loader.get_code(module.__name__)
    except AttributeError:  # pytest's loader, where a plugin names the package
        file = module.__file__ or module.__name__
        code = compile(source_bytes(module.__name__), file, "exec", dont_inherit=True)
    return code
