"""Which processor rules are compiled for: one declared baseline of each architecture, so that bits are the same on all.

Numba compiles for the processor that it runs on. Another one has wider registers, adds a sum up in another order, and
decides otherwise after a few rounds. Here rules are compiled for a processor that nearly all machines of an
architecture contain:

    x86-64     x86-64-v3 (AVX2 and FMA: Intel since 2013, AMD since 2015); on older ones x86-64-v2, or x86-64
    AArch64    generic (ARMv8.0-A)
    others     the host's own

`LITTLESTONE_TARGET` names another one, "host" among them. Where NUMBA_CPU_NAME or a like setting of Numba's is given,
that one holds. `engine_id` says what was taken, with all else that decides the bits of compiled rules.
"""

from __future__ import annotations

import functools
import os
import platform
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import BadInput
from . import probe

V1 = ("cmov", "cx8", "fxsr", "mmx", "sse", "sse2")
V2 = (*V1, "cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
V3 = (*V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave")
V4 = (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
# What LLVM calls the levels of an architecture, and what a processor of that level has.
LEVELS: dict[str, dict[str, tuple[str, ...]]] = {
    "x86-64": {"x86-64-v4": V4, "x86-64-v3": V3, "x86-64-v2": V2, "x86-64": V1},
    "aarch64": {"generic": ()},
}
# The baseline is the first of these that the processor contains.
BASELINES = {"x86-64": ("x86-64-v3", "x86-64-v2", "x86-64"), "aarch64": ("generic",)}
MACHINES = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "aarch64", "arm64": "aarch64"}
# Settings of Numba's that decide bits, beside those of the processor.
SETTINGS = ("NUMBA_OPT", "NUMBA_LOOP_VECTORIZE", "NUMBA_SLP_VECTORIZE", "NUMBA_DISABLE_JIT")


class Target(NamedTuple):
    """A processor to compile for."""

    name: str  # as engine_id says it
    cpu: str  # as LLVM calls it; "": as Numba likes


def architecture() -> str:
    """The architecture of this process; "" where no baseline is declared for it."""
    return MACHINES.get(platform.machine().lower(), "")


def has_levels(features: Any) -> list[str]:
    """The levels of the architecture that a processor with these features contains, the highest first."""
    levels = LEVELS.get(architecture(), {})
    return [name for name, needed in levels.items() if all(features.get(f) for f in needed)]


@functools.cache
def target() -> Target:
    """What rules are compiled for in this process."""
    import llvmlite.binding as llvm
    from numba import config

    asked, settings = os.environ.get("LITTLESTONE_TARGET", ""), numba_settings(config)
    if asked == "host" or not (probe.used() or asked):
        return Target(f"host {llvm.get_host_cpu_name()}", "")
    if settings and not asked:
        return Target(settings, "")
    contained = has_levels(llvm.get_host_cpu_features())
    if asked:
        if asked not in contained:
            raise BadInput(
                f"LITTLESTONE_TARGET is {asked!r}; on this processor it may be {', '.join([*contained, 'host'])}"
            )
        if not probe.used():
            raise BadInput(
                f"LITTLESTONE_TARGET is {asked!r}, and Numba's internals are switched off: only Numba can be told so, "
                f"by NUMBA_CPU_NAME={asked}"
            )
        return Target(asked, asked)
    for name in BASELINES.get(architecture(), ()):
        if name in contained:
            return Target(name, name)
    return Target(f"host {llvm.get_host_cpu_name()}", "")


def numba_settings(config: Any) -> str:
    """What a user has told Numba of the processor; "" where nothing."""
    said = []
    if config.CPU_NAME is not None:
        said.append(str(config.CPU_NAME))
    if config.CPU_FEATURES is not None:
        said.append(f"features {config.CPU_FEATURES}")
    if not config.ENABLE_AVX:
        said.append("without AVX")
    return " ".join(said)


def what_decides_bits() -> tuple[str, ...]:
    """What beside versions decides the bits of compiled code."""
    from numba import config

    known: Any = config
    svml = "with SVML" if known.USING_SVML else "without SVML"
    more = [f"{name}={os.environ[name]}" for name in SETTINGS if name in os.environ]
    inside = () if probe.used() else ("public Numba",)
    return (target().name, svml, *inside, *more)


def engine_id(engine: str | None = None) -> str:
    """What decides the bits that rules compute, in one line: version, Numba, LLVM, target. Files and runs hold it.

    Compiled rules that call neither BLAS nor the C library's mathematics give the same bits wherever it is the same.
    `engine` is "compiled" or "plain"; left out, the one that is in use.

    >>> engine_id("plain").startswith("littlestone ")
    True
    """
    from .. import __version__
    from . import compile as engines

    which = engine or engines.engine()
    if which == "plain":
        return f"littlestone {__version__}, plain, numpy {np.__version__}"
    return f"littlestone {__version__}, {compiler_id()}"


@functools.cache
def compiler_id() -> str:
    """What compiles rules, and for what."""
    import llvmlite.binding as llvm
    import numba

    version = ".".join(map(str, llvm.llvm_version_info))
    return ", ".join((f"numba {numba.__version__}", f"LLVM {version}", *what_decides_bits()))
