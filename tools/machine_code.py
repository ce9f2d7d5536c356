"""A wheel with machine code in it: a build hook, which `tools/wheel.py` asks for by LITTLESTONE_MACHINE_CODE.

The variable names a folder of compiled code. The wheel that holds it is one for this Python and platform; without the
variable the wheel is pure.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "LITTLESTONE_MACHINE_CODE"
# The code calls Python, Numba and functions that each C library has had for decades: tools/wheel.py looks at each file.
PLATFORM = "manylinux_2_17_x86_64"


class MachineCode(BuildHookInterface[Any]):
    """Puts the files into the package, and says what the wheel is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = os.environ.get(VARIABLE, "")
        if not folder or version == "editable":
            return
        python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{PLATFORM}"
        build_data["force_include"][folder] = "littlestone/engine/machine_code"
