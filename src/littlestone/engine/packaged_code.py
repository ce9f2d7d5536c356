"""Machine code that came with the package: read from its folder, never written.

A wheel for one platform holds the code of the learners that are met first, compiled for the declared target by one
version of Numba (`make wheel`). With another Numba, NumPy, Python or processor it is left alone, and rules are compiled
on their first use, as with a wheel without code.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import sys

from . import compiled_files
from .compiled_places import readable_owners
from .reach import numpy_version

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "machine_code")
FACTS = "made-for.json"


def made_here() -> dict[str, str]:
    """What the machine code of this process depends on, beside the sources."""
    import numba

    from .target import what_decides_bits

    return {
        "Python": f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}",
        "platform": f"{sys.platform} {platform.machine()}",
        "Numba": numba.__version__,
        "NumPy": numpy_version(),
        "target": ", ".join(what_decides_bits()),
    }


@functools.cache
def made_for() -> dict[str, str]:
    """What the code in the package was made for; nothing where the package holds no code."""
    try:
        with open(os.path.join(FOLDER, FACTS), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


@functools.cache
def why_not() -> str:
    """Why the code in the package cannot be used, in words; "" where it can, or where there is none."""
    known = made_for()
    if not known:
        return ""
    if not compiled_files.only_written_by(os.stat(FOLDER), readable_owners()):
        return "the machine code of this package lies in a folder that others can write"
    here = made_here()
    differ = [name for name in here if here[name] != known.get(name)]
    if not differ:
        return ""
    there = ", ".join(f"{name} {known.get(name, '?')}" for name in differ)
    found = ", ".join(f"{name} {here[name]}" for name in differ)
    return f"the machine code of this package is for {there}; here is {found}"


@functools.cache
def folder() -> str:
    """The folder of the code that came with the package; "" where it cannot be used, or where there is none."""
    return FOLDER if made_for() and not why_not() else ""


def in_words() -> str:
    """Whether the package holds machine code, and whether it is used here: for reports of problems."""
    if not made_for():
        return "none in the package"
    return why_not() or f"in the package, used: {made_for().get('learners', '')}"
