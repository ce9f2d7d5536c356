"""Count what a reader must step through to follow one call.

    python tools/walk.py                  functions, modules and changes of package of each call that has a budget
    python tools/walk.py perceptron       and the functions of one of them, in the order in which they are first entered

    call                                  functions  modules  changes
    ls.play("perceptron", X, y)                 110       30       50
    ls.play("hedge", losses)                    110       30       50
    littlestone run f.csv --outcome y           280        -        -
    run.certificate                              70        -        -

These are the targets; tests/docs/test_walk.py holds what is reached, so that it cannot grow.

What is counted: every function (or method, or property) of the package that is entered during the call, leaves
included; their modules; and how often the next function that is entered for the first time is in another package
(a folder of `src/littlestone`) than the one before. Comprehensions, generator expressions, lambdas and functions
within functions belong to the function that they are written in and run in; methods that `dataclass` and `NamedTuple`
make, and compiled functions, are no code to step through. The call is warm: modules are imported, loops compiled and
caches filled before.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import littlestone as ls

PACKAGE = str(Path(ls.__file__).parent)
NO_FUNCTIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>", "<module>")
COMPILED = re.compile(r"_[0-9a-f]{12}$")  # the name of a loop that was compiled for a learner
ROWS = 200


class Walk(NamedTuple):
    """Functions in the order in which they are first entered, as "module:function"."""

    functions: list[str]

    @property
    def modules(self) -> list[str]:
        """The modules of the functions, in the order in which they are first entered."""
        return list(dict.fromkeys(name.split(":")[0] for name in self.functions))

    @property
    def changes(self) -> int:
        """How often the next function is in another package than the one before."""
        packages = [name.split(":")[0].split(".")[0] for name in self.functions]
        return sum(before != after for before, after in pairwise(packages))

    @property
    def counts(self) -> tuple[int, int, int]:
        """How many functions, modules and changes of package there are."""
        return len(self.functions), len(self.modules), self.changes


def walk(call: Callable[[], Any]) -> Walk:
    """The functions of the package that a call goes through."""
    entered: dict[CodeType, None] = {}

    def hook(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and is_read(frame):
            entered.setdefault(frame.f_code)

    sys.setprofile(hook)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk([name_of(code) for code in entered])


def is_read(frame: FrameType) -> bool:
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


def name_of(code: CodeType) -> str:
    """module:function, as in play.session:Session.feed"""
    path = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
    return f"{'.'.join(path.parts)}:{code.co_qualname}"


# The calls, each warm.


def perceptron() -> Walk:
    """Examples with four features and two classes."""
    X = np.random.default_rng(0).standard_normal((ROWS, 4))
    y = np.where(X @ [1.0, -1.0, 0.5, 2.0] > 0.0, 1, -1)
    ls.play("perceptron", X, y)
    return walk(lambda: ls.play("perceptron", X, y))


def hedge() -> Walk:
    """The losses of four experts."""
    L = np.random.default_rng(0).random((ROWS, 4))
    ls.play("hedge", L)
    return walk(lambda: ls.play("hedge", L))


def tracker() -> Walk:
    """The advice of four experts."""
    rng = np.random.default_rng(0)
    A, y = rng.random((ROWS, 4)), rng.random(ROWS)
    ls.play("tracker", A, y)
    return walk(lambda: ls.play("tracker", A, y))


def run() -> Walk:
    """The command line, with a table and a learner of one part."""
    return run_with("--learner", "online-kernel")


def run_default() -> Walk:
    """The command line with a table: the mixture plays, and its five parts begin as well."""
    return run_with()


def run_with(*options: str) -> Walk:
    """The command line with a table of four columns and an outcome."""
    from littlestone.cli.main import main

    numbers = np.random.default_rng(0).random((ROWS, 5))

    def call() -> None:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                main(["run", "f.csv", "--outcome", "y", *options])
        except SystemExit as end:
            if end.code:
                raise

    with in_new_folder():
        np.savetxt("f.csv", numbers, delimiter=",", header="a,b,c,d,y", comments="")
        call()
        Path("littlestone-report.html").unlink()
        return walk(call)


def certificate() -> Walk:
    """What a run of hedge says of its theorems."""
    L = np.random.default_rng(0).random((ROWS, 4))
    first, second = ls.play("hedge", L), ls.play("hedge", L)
    _ = first.certificate
    return walk(lambda: second.certificate)


def separator() -> Walk:
    """What a run of perceptron says of its theorems, which are about the best separators: these are searched for."""
    X = np.random.default_rng(0).standard_normal((ROWS, 4))
    y = np.where(X @ [1.0, -1.0, 0.5, 2.0] > 0.0, 1, -1)
    first, second = ls.play("perceptron", X, y), ls.play("perceptron", X, y)
    _ = first.certificate
    return walk(lambda: second.certificate)


@contextlib.contextmanager
def in_new_folder() -> Iterator[None]:
    """Work in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        yield


CALLS: dict[str, Callable[[], Walk]] = {
    one.__name__: one
    for one in (perceptron, hedge, tracker, run, run_default, certificate, separator)
}


if __name__ == "__main__":
    for shown in sys.argv[1:]:
        print("\n".join(CALLS[shown]().functions))
    for title, follow in CALLS.items():
        functions, modules, changes = follow().counts
        print(f"{title:12} {functions:4} functions {modules:4} modules {changes:4} changes")
