"""Where the figures were taken."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("littlestone", "numpy", "numba", "pyarrow", "scipy")


def facts() -> dict[str, Any]:
    return {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: installed(name) for name in PACKAGES},
    }


def cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(v.split(":")[1].strip() for v in lines if v.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
