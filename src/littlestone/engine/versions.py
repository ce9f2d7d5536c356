"""The versions of what computes here: what a report of a problem should hold."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from ..core.extras import EXTRAS
from .target import engine_id

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "pyarrow", "scikit-learn")


def versions() -> dict[str, str]:
    """Each library and its version, "-" where it is not installed; the engine last.

    >>> found = versions()
    >>> found["numba"] != "-", list(found)[:2]
    (True, ['python', 'littlestone'])
    """
    from .. import __version__

    found = {"python": f"{platform.python_version()}, {platform.system()} {platform.machine()}"}
    found["littlestone"] = __version__
    for name in (*LIBRARIES, *sorted({*EXTRAS, "polars"})):
        found[name] = installed_version(name)
    return found | {"engine": engine_id(), "machine code": machine_code()}


def machine_code() -> str:
    """Whether machine code came with the package, and whether it is used."""
    from .compile import has_numba

    if not has_numba():
        return "-"
    from . import packaged_code

    return packaged_code.in_words()


def installed_version(library: str) -> str:
    """The version of a library, without importing it.

    >>> installed_version("no-such-library")
    '-'
    """
    try:
        return version(library)
    except PackageNotFoundError:
        return "-"


def show_versions() -> None:
    """Print the versions of Python, of this package and of the libraries that it uses, the engine, and its code.

    >>> show_versions()
    python ...
    """
    found = versions()
    wide = max(map(len, found))
    for name, text in found.items():
        print(f"{name:{wide}}  {text}")
