"""What FILE holds: losses, the advice of experts, or examples whose outcomes are classes or numbers."""

from __future__ import annotations

from dataclasses import replace

from ..core.errors import LittlestoneError
from ..core.options import declarations
from ..streams.files import OpenFile
from .command_options import CommandOptions
from .options import flags_of

# options that are for examples, and how they are written
EXAMPLES = flags_of(
    [
        name
        for name, rule, _ in declarations(CommandOptions)
        if rule.kinds == ("examples",) or name in ("features", "labels", "threshold")
    ]
)
NEVER_ADVICE = ("libsvm", "vw", "jsonl", "arff")


def data_kind(options: CommandOptions, file: OpenFile | None) -> str:
    """One of "losses", "advice", "classes" or "numbers"; the file is looked at only if the options do not tell."""
    if options.losses:
        return "losses"
    if file is None or options.experts or options.task == "forecasting":
        return "advice"
    if options.classes is not None:
        return "classes" if options.classes else "numbers"
    found = outcomes_are_classes(options, file)
    if found is False and file.alone:
        return "numbers"
    meant = options.outcome is None or any(name in options.written for name in EXAMPLES)
    if found or (
        found is None and meant
    ):  # reading the file as examples will raise an error that says what is wrong with it
        return "classes"
    if options.outcome is None and not holds_examples(options, file):
        return "advice"  # which asks for the outcome
    return "advice" if may_be_advice(options, file) else "numbers"


def kind_to_compare(options: CommandOptions, file: OpenFile | None) -> str:
    """What FILE holds, for learners to compare: `data_kind`, and "several classes" where there are more than two."""
    kind = data_kind(options, file)
    if kind != "classes" or file is None:
        return kind
    if options.labels and not isinstance(options.labels, bool | str):
        return "several classes" if len(options.labels) > 2 else kind
    if options.classes is not None:  # as the user said: nobody has looked yet
        outcomes_are_classes(options, file)
    return "several classes" if file.classes > 2 else kind


def may_be_advice(options: CommandOptions, file: OpenFile) -> bool:
    """Nothing says that numbers are to be learned from features, and the columns are on the scale of the outcome."""
    close = file.problem is not None or (file.scale is not None and file.scale.forecasts)
    return close and not holds_examples(options, file)


def learns_from_examples(options: CommandOptions, file: OpenFile | None) -> bool:
    """Whether the columns are features of examples. Of a format that always holds examples nothing is read."""
    experts = options.losses or options.experts or options.task == "forecasting"
    known = file is not None and not experts
    if known and file is not None and holds_examples(options, file):
        return True
    return data_kind(options, file) in ("classes", "numbers")


def holds_examples(options: CommandOptions, file: OpenFile) -> bool:
    """Whether the options, or the format, leave no doubt that there are examples."""
    examples = (
        options.features or options.weights or options.interactions or options.lags is not None
    )
    if examples or options.classes is not None:
        return True
    return form_of(file) in NEVER_ADVICE


def outcomes_are_classes(options: CommandOptions, file: OpenFile) -> bool | None:
    """Are the outcomes classes, so that the columns are features? None: the file cannot be read so."""
    try:
        wanted = replace(
            file.options, outcome=options.outcome, by=options.by_column, features=options.features, lags=options.lags,
            bare=True,
            weights=options.weights, bits=options.bits, interactions=options.interactions,
        )  # fmt: skip
        return file.holds_classes(wanted)
    except LittlestoneError as problem:
        file.problem = problem  # reported if the file cannot be read as advice either
        return None


def form_of(file: OpenFile) -> str | None:
    """The format of a file; None where it cannot be told, and reading the file will say why."""
    try:
        return file.form
    except LittlestoneError:
        return None
