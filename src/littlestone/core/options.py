"""An option is declared once, as a field of a dataclass: its type, default, help, range, group, and where it applies.

Validation follows from the declaration, and so do the command line, and signature, docstring and stub of `play`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from .errors import BadInput

if TYPE_CHECKING:  # the command line declares its options without NumPy
    from .learner import Learner

T = TypeVar("T")
Kind = Literal["experts", "examples", "arms"]  # what the rounds of a learner bring
Form = Literal["whole", "choice", "flag", "interval", "function", "free"]
EVERY_KIND: tuple[Kind, ...] = ("experts", "examples", "arms")
IN_WORDS: Mapping[Kind, str] = {
    "experts": "learners that combine experts",
    "examples": "learners over examples",
    "arms": "bandits",
}
# Groups of options, in the order in which they are shown.
DATA, EXAMPLES = "Which part of the data is what", "Features and labels of examples"
READING, BANDITS = "How a file is read", "Bandits alone"
PLAYING, FEEDBACK = "How to play", "Feedback"
DECISIONS, RESULTS = "Decisions", "Results"
PROGRAMS = "Set by programs"
GROUPS = (DATA, EXAMPLES, READING, PLAYING, FEEDBACK, DECISIONS, BANDITS, RESULTS)


@dataclass(frozen=True)
class Flag:
    """How an option is written on the command line."""

    names: tuple[str, ...] = ()  # --its-name, if none is given
    metavar: str = ""
    help: str = ""  # where it differs from that of Python
    otherwise: str = ""  # likewise
    several: bool = False  # may it be given several times?
    number: Literal["", "whole", "real"] = (
        ""  # is it a number there, though its form does not say so?
    )


@dataclass(frozen=True)
class Rule:
    """What is declared of an option beside its name, type and default."""

    help: str
    group: str
    form: Form = "free"  # "free": whoever uses it checks it
    kinds: tuple[Kind, ...] = EVERY_KIND  # learners that it applies to
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    takes: str = ""  # of a function: what it is called with
    otherwise: str = ""  # what happens where it is not given, if the default does not say it
    elsewhere: str = ""  # why it does not apply to learners of other kinds, and what to do
    public: bool = True  # False: set by programs, and no argument of `play`
    flag: Flag | None = None  # None: there is none on the command line


def declare(default: T, help: str, group: str, form: Form = "free", **more: Any) -> T:
    """Declare an option: a field of an `Options` class; `more`: other fields of `Rule`."""
    made: T = field(default=default, metadata={"rule": Rule(help, group, form, **more)})
    return made


@dataclass(frozen=True, kw_only=True, eq=False)  # options may hold arrays, whose == is an array
class Options:
    """Options whose values were checked when they were made.

    >>> @dataclass(frozen=True, kw_only=True, eq=False)
    ... class Reading(Options):
    ...     lines: int = declare(1, "how many lines are read", "Reading", "whole", least=1)
    >>> Reading(lines=3).lines
    3
    >>> Reading(lines=0)
    Traceback (most recent call last):
        ...
    littlestone.core.errors.BadInput: lines must be a whole number, 1 or more, not 0: leave it out for 1
    """

    def __post_init__(self) -> None:
        values, as_declared = self.__dict__, True
        for name, rule, default in DECLARED.get(type(self)) or declarations(type(self)):
            if values[name] is not default:
                as_declared = False
                if rule.form != "free":
                    refuse_value(name, rule, default, values[name])
        if not as_declared:
            self.refuse_combination()

    def refuse_combination(self) -> None:
        """Refuse options that contradict each other."""

    def refuse_learner(self, learner: Learner[Any, Any, Any, Any]) -> None:
        """Refuse options that were given and do not apply to a learner."""
        kind: Kind = "arms" if learner.bandit else "examples" if learner.examples else "experts"
        for name, rule, default in DECLARED[type(self)]:
            value = self.__dict__[name]
            if kind not in rule.kinds and value is not default and not same(value, default):
                why = rule.elsewhere or (
                    f"it is for {join_words(rule.kinds)}, and {learner.key} is none of them; leave it out, or choose "
                    "another learner"
                )
                raise BadInput(f"{name}={value!r:.80}: {why}")


DECLARED: dict[type[Options], tuple[tuple[str, Rule, Any], ...]] = {}


def declarations(owner: type[Options]) -> tuple[tuple[str, Rule, Any], ...]:
    """Each option of a class: its name, its rule and its default."""
    if owner not in DECLARED:
        DECLARED[owner] = tuple((f.name, f.metadata["rule"], f.default) for f in fields(owner))
    return DECLARED[owner]


def flag_names(name: str, flag: Flag) -> tuple[str, ...]:
    """How an option is written on the command line.

    >>> flag_names("on_bad_line", Flag()), flag_names("bits", Flag(("-b", "--bits")))
    (('--on-bad-line',), ('-b', '--bits'))
    """
    return flag.names or (f"--{name.replace('_', '-')}",)


def join_words(kinds: tuple[Kind, ...]) -> str:
    """Kinds of learners, in words."""
    return " and ".join(IN_WORDS[kind] for kind in kinds)


def same(value: Any, default: Any) -> bool:
    """Is a value the default one? Arrays never are."""
    return type(value) in (bool, int, str) and bool(value == default)


def refuse_value(name: str, rule: Rule, default: Any, value: Any) -> None:
    """Refuse a value that is not as declared; the default, which None may be, is always fine."""
    if ALLOWS[rule.form](rule, value):
        return
    otherwise = rule.otherwise or str(default)
    raise BadInput(
        f"{name} must be {describe_range(rule)}, not {value!r:.80}: leave it out for {otherwise}"
    )


def is_whole(rule: Rule, value: Any) -> bool:
    """Is it a whole number in the declared range?"""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    low, high = rule.least, rule.most
    return whole and (low is None or value >= low) and (high is None or value <= high)


def is_interval(rule: Rule, value: Any) -> bool:
    """Is it (low, high), two finite numbers?"""
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        return False
    return low < high and math.isfinite(low) and math.isfinite(high)


ALLOWS: Mapping[str, Callable[[Rule, Any], bool]] = {
    "whole": is_whole,
    "choice": lambda rule, value: isinstance(value, str) and value in rule.choices,
    "flag": lambda rule, value: type(value).__name__ in ("bool", "bool_"),  # NumPy's too
    "interval": is_interval,
    "function": lambda rule, value: callable(value),
}


def describe_range(rule: Rule) -> str:
    """What a value must be, in words.

    >>> (
    ...     describe_range(Rule("", "", "whole", least=1)),
    ...     describe_range(Rule("", "", "choice", choices=("a", "b"))),
    ... )
    ('a whole number, 1 or more', 'one of a, b')
    """
    if rule.form == "choice":
        words = (word if word.isidentifier() else repr(word) for word in rule.choices)
        return f"one of {', '.join(words)}"
    if rule.form == "flag":
        return "True or False"
    if rule.form == "interval":
        return "two finite numbers, low < high"
    if rule.form == "function":
        return f"a function of {rule.takes}"
    if rule.most is not None:
        most = "2^63 - 1" if rule.most == 2**63 - 1 else f"{rule.most:,}"
        return f"a whole number from {rule.least or 0} to {most}"
    return "a whole number" if rule.least is None else f"a whole number, {rule.least} or more"
