"""Signature, docstring and stub of `ls.play`, made of the declarations of its options.

    python -m littlestone.play.signature > src/littlestone/play/play.pyi

A test compares the stub with what is made here.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields

from ..core.options import GROUPS, Rule, declarations
from ..streams.options import ReadOptions
from .options import PlayOptions

SPLIT = ("by", "seeds")  # they decide what `play` returns, and each of its overloads has its own
# What `play` takes beyond the type of the option, and makes that type of it.
WIDER = {
    "outcome": "str | int | None",
    "by": "str | int | None",
    "progress": "Progress | Literal[False] | None",
}
HEAD = """Play a learner over data: arrays, a frame, a path, an iterator of batches, or a Stream.

With outcomes, an array with one a round, the experts give advice; without, arrays hold the losses themselves.
Learners over examples take a matrix, CSR or a list of dicts with outcomes. Returns a `Run`; with `by` a `Runs`, one
run a key; with `seeds` of 2 or more a `SeedRuns`.
"""
EXAMPLE = """
>>> import littlestone as ls
>>> run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
>>> round(run.loss, 4), run.comparator
(0.6591, 'best expert (expert 1)')
>>> run = ls.play("perceptron", [[0, -1], [1, 0]], [-1, -1])
>>> run.mistakes, run.learner.state.w.tolist()
(2.0, [-1.0, 1.0])
"""
STUB = '''"""What type checkers and editors see of `ls.play`. Made by play/signature.py; do not edit."""

{imports}

class PlayKeywords(TypedDict, total=False):
    """What `play` takes by name, besides `by` and `seeds`, which decide what it returns."""

{keywords}

@overload
def play(
    learner: AnyLearner | str,
    data: Any,
    outcomes: Any = None,
    *,
    by: None = None,
    seeds: Literal[1] = 1,
    **options: Unpack[PlayKeywords],
) -> Run:
    """{doc}
    """

@overload
def play(
    learner: AnyLearner | str | Mapping[Any, AnyLearner],
    data: Any,
    outcomes: Any = None,
    *,
    by: str | int,
    seeds: Literal[1] = 1,
    **options: Unpack[PlayKeywords],
) -> Runs: ...
@overload
def play(
    learner: AnyLearner | str,
    data: Any,
    outcomes: Any = None,
    *,
    by: None = None,
    seeds: int,
    **options: Unpack[PlayKeywords],
) -> SeedRuns: ...
def learner(key: str, **parameters: Any) -> Learner[Any, Any, Any, Any]:
    """Any learner of the registry, by key."""
'''


def public_fields() -> Iterator[tuple[str, str, Rule, object]]:
    """Name, type as it is written, rule and default of each option of `play`, in the order of the groups."""
    found = [
        (f.name, str(f.type), rule, default)
        for owner in (ReadOptions, PlayOptions)
        for f, (_, rule, default) in zip(fields(owner), declarations(owner), strict=True)
        if rule.public
    ]
    yield from sorted(found, key=lambda one: GROUPS.index(one[2].group))


def written_type(name: str, declared: str, rule: Rule, default: object) -> str:
    """The type of an option, as a stub has it: a choice is a Literal."""
    if rule.form == "choice":
        words = ", ".join(f'"{word}"' for word in rule.choices)
        return f"Literal[{words}]" + " | None" * (default is None)
    return WIDER.get(name, declared)


def signature_of_play() -> inspect.Signature:
    """The signature of `play`, with every option by its name."""
    P = inspect.Parameter
    first = [
        P("learner", P.POSITIONAL_OR_KEYWORD, annotation="AnyLearner | str | Mapping[Any, AnyLearner]"),
        P("data", P.POSITIONAL_OR_KEYWORD, annotation="Any"),
        P("outcomes", P.POSITIONAL_OR_KEYWORD, default=None, annotation="Any"),
    ]  # fmt: skip
    options = [
        P(name, P.KEYWORD_ONLY, default=default, annotation=written_type(name, kind, rule, default))
        for name, kind, rule, default in public_fields()
    ]
    return inspect.Signature([*first, *options], return_annotation="Run | Runs | SeedRuns")


def docstring_of_play() -> str:
    """The docstring of `play`: every option in its group."""
    lines, group = [HEAD], ""
    for name, _, rule, default in public_fields():
        if rule.group != group:
            lines += [""] * bool(group) + [f"{rule.group}:"]
            group = rule.group
        lines += textwrap.wrap(
            describe(name, rule, default), 116, initial_indent="    ", subsequent_indent=" " * 8
        )
    text = "\n".join([*lines, EXAMPLE])
    return textwrap.indent(text, "    ").strip() + "\n    "


def describe(name: str, rule: Rule, default: object) -> str:
    """
    >>> describe("lines", Rule("how many lines are read", "", otherwise="all"), None)
    'lines: how many lines are read; if not given, all.'
    """
    otherwise = f"; if not given, {rule.otherwise}" if rule.otherwise and default is None else ""
    return f"{name}: {rule.help}{otherwise}."


def stub_of_play() -> str:
    """The text of play.pyi."""
    keywords = {
        name: written_type(name, kind, rule, default)
        for name, kind, rule, default in public_fields()
        if name not in SPLIT
    }
    types = " ".join(keywords.values())
    doc = docstring_of_play().rstrip()
    return STUB.format(
        imports="\n".join(imports_of(types)),
        keywords="\n".join(f"    {name}: {kind}" for name, kind in keywords.items()),
        doc=doc,
    )


def imports_of(types: str) -> Iterator[str]:
    """The imports of a stub that mentions these types."""
    names = set(re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", types)))
    everywhere = {"Any", "Literal", "Mapping", "TypedDict", "Unpack", "overload"}
    for module, offered in (
        ("collections.abc", ("Callable", "Iterable", "Mapping", "Sequence")),
        ("typing", ("Any", "Literal", "TypedDict", "Unpack", "overload")),
    ):
        yield f"from {module} import {', '.join(n for n in offered if n in names | everywhere)}"
    yield ""
    if "np" in names:
        yield "import numpy as np\n"
    mine = {
        "..core.costs": ("Costs",),
        "..core.learner": ("Learner",),
        "..run.run": ("Run", "Runs"),
        "..run.seeds": ("SeedRuns",),
        "..streams.options": ("Column", "Names"),
        ".options": ("Delay", "Importance", "Progress"),
        ".request": ("AnyLearner",),
    }
    returned = {"Learner", "Run", "Runs", "SeedRuns", "AnyLearner"}
    for module, of_module in mine.items():
        if used := [name for name in of_module if name in names | returned]:
            yield f"from {module} import {', '.join(used)}"


if __name__ == "__main__":
    print(stub_of_play(), end="")
