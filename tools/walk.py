"""Count what a reader must step through to follow one call: `ls.play("tracker", A, y)`.

    python tools/walk.py            print each function in the order in which it is first entered, and the totals
    python tools/walk.py --all      the same with leaves: functions that call no other function of the package

What is counted: a function (or method, or property) of the package that calls another function of the package during
the call. A leaf says by its name what it does, and a reader passes it by. Comprehensions, generator expressions,
lambdas and functions within functions belong to the function that they are written in and run in; methods that
`dataclass` and `NamedTuple` generate, and compiled functions, are no code to step through. The call is warm: modules
are imported, loops compiled and caches filled before.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import littlestone

PACKAGE = str(Path(littlestone.__file__).parent)
NO_FUNCTIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>", "<module>")
COMPILED = re.compile(r"_[0-9a-f]{12}$")  # the name of a loop that was compiled for a learner


class Walk(NamedTuple):
    """Functions in the order in which they are entered, as "module:function"."""

    callers: list[str]  # those that call another function of the package
    functions: list[str]  # and all

    @property
    def modules(self) -> list[str]:
        """The modules of the callers."""
        return sorted({name.split(":")[0] for name in self.callers})


def walk(call: Callable[[], Any]) -> Walk:
    """The functions of the package that a call goes through."""
    entered: dict[CodeType, bool] = {}  # and whether it called another one

    def hook(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not counts(frame):
            return
        entered.setdefault(frame.f_code, False)
        above = frame.f_back
        while above is not None:
            if counts(above):
                if above.f_code is not frame.f_code:
                    entered[above.f_code] = True
                return
            above = above.f_back

    sys.setprofile(hook)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk([name(c) for c, caller in entered.items() if caller], [name(c) for c in entered])


def counts(frame: FrameType) -> bool:
    """Does it run a function of the package, written in a file, to be read on its own?"""
    code, file = frame.f_code, frame.f_code.co_filename
    if not file.startswith(PACKAGE) or Path(file).name.startswith("compiled_"):
        return False
    if code.co_name in NO_FUNCTIONS or COMPILED.search(code.co_name):
        return False
    above = frame.f_back
    while above is not None and "<locals>" in code.co_qualname:
        if code in above.f_code.co_consts:  # it is written within a function that runs now
            return False
        above = above.f_back
    return True


def name(code: CodeType) -> str:
    """module:function, as in session.session:Session.feed"""
    path = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
    return f"{'.'.join(path.parts)}:{code.co_qualname}"


def tracker() -> Callable[[], Any]:
    """The call that is followed, warm: four experts and 200 rounds in [0, 1], with certificate as by default."""
    import numpy as np

    rng = np.random.default_rng(0)
    A, y = rng.random((200, 4)), rng.random(200)
    littlestone.play("tracker", A, y)
    return lambda: littlestone.play("tracker", A, y)


if __name__ == "__main__":
    found = walk(tracker())
    print("\n".join(found.functions if "--all" in sys.argv else found.callers))
    modules = {n.split(":")[0] for n in found.functions}
    print(f"{len(found.callers)} functions in {len(found.modules)} modules", end="; ")
    print(f"with leaves {len(found.functions)} in {len(modules)}")
