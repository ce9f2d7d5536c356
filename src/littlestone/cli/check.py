"""Check that the options go together, before anything long begins."""

from __future__ import annotations

from ..core.errors import BadInput
from ..core.options import declarations
from ..play.task import check_task
from ..streams.files import OpenFile
from .checkpoint import interval
from .command_options import CommandOptions
from .data_kind import EXAMPLES, form_of
from .learner_spec import AnyLearner
from .options import flags_of
from .probabilities import refuse_none

# options that are for experts, and how they are written
EXPERTS = flags_of(
    [
        name
        for name, rule, _ in declarations(CommandOptions)
        if name == "interval"
        or (rule.flag and "experts" in rule.kinds and "examples" not in rule.kinds)
    ]
)


def check(options: CommandOptions) -> None:
    """Refuse options that contradict each other, whatever the learner."""
    if options.file is None:
        refuse_without_file(options)
    if options.losses and options.outcome:
        raise BadInput("--losses and --outcome: with losses there is nothing to predict")
    if options.losses and options.loss:
        raise BadInput("--losses and --loss: the columns are the losses already")
    if options.experts and options.features:
        raise BadInput("--experts and --features: columns are the one or the other")
    if options.labels is not None and (options.task == "regression" or options.classes is False):
        raise BadInput("--labels names classes, and the outcomes are said to be numbers")
    refuse_alone(options)


def refuse_alone(options: CommandOptions) -> None:
    """Refuse options that mean nothing without another one."""
    if "interleave" in options.written and not (options.rounds_late or options.horizons):
        raise BadInput(
            "--one-copy and --interleave are about late feedback: add --delay ROUNDS or --horizon COLUMN"
        )
    if options.save_every is not None:
        if options.save is None:
            raise BadInput("--save-every needs --save FILE.ls")
        interval(options.save_every)
    if "loops" in options.written and options.graph is None:
        raise BadInput(f"--loops {options.loops} is about edges of a graph: add --graph FILE")


def refuse_without_file(options: CommandOptions) -> None:
    """Refuse options about the columns and rows of a FILE where there is none."""
    for name in ("outcome", "experts", "losses", "by"):
        if name in options.written and not (name == "outcome" and options.test):
            raise BadInput(f"--{name} needs a FILE; without one the built-in stream is played")
    if options.horizons is not None:
        raise BadInput("--horizon needs a FILE; without one the built-in stream is played")
    if options.skip:
        raise BadInput("--skip needs a FILE, whose first rows are left out")


def check_kind(learner: AnyLearner, options: CommandOptions) -> None:
    """Refuse options of learners over examples with other learners, and the other way round."""
    if options.task is not None:
        check_task(learner, options.task)
    if learner.examples:
        check_examples(learner, options)
        return
    for name, flag in EXAMPLES.items():
        if name in options.written:
            raise BadInput(
                f"{flag}: {learner.key} combines experts; for examples: --learner online-linear"
            )


def check_examples(learner: AnyLearner, options: CommandOptions) -> None:
    """Refuse options that a learner over examples cannot be given."""
    for name, flag in EXPERTS.items():
        if name in options.written:
            more = "; --features names the columns" if name == "experts" else ""
            raise BadInput(f"{flag}: {learner.key} learns from examples, not from experts{more}")
    if options.file is None:
        raise BadInput(
            f"{learner.key} learns from examples: name a FILE (the built-in stream has experts)"
        )
    if options.labels is not None and not learner.labels:
        raise BadInput(f"--labels: {learner.key} predicts numbers; for classes: --learner logistic")
    if options.classes is False and learner.labels and learner.for_numbers() is None:
        hint = "--loss square" if "loss" in learner.parameters else "--learner online-linear"
        raise BadInput(f"--numbers: {learner.key} tells classes apart; for numbers: {hint}")
    if options.classes and not learner.labels:
        raise BadInput(
            f"--classes: {learner.key} predicts numbers; for classes: --learner online-linear"
        )


def check_predictions(learner: AnyLearner, options: CommandOptions) -> None:
    """Refuse --id and --probabilities without --predictions."""
    for name, flag in (("id", "--id"), ("probabilities", "--probabilities")):
        if name in options.written and options.predictions is None:
            raise BadInput(f"{flag} needs --predictions FILE")
    if options.id is not None and options.by_column is not None:
        raise BadInput("--id and --by: with --by the key is written beside each prediction")
    if options.probabilities:
        refuse_none(learner)
    out = [
        flag
        for flag, said in (
            ("--json", options.as_json),
            ("--predictions -", options.predictions == "-"),
            ("--readable-model -", options.readable == "-"),
        )
        if said
    ]
    if len(out) > 1:
        raise BadInput(f"{' and '.join(out)}: both would go to standard output; name a file")


def check_test(learner: AnyLearner, options: CommandOptions) -> None:
    """Refuse --test unless there is one learner, and it learns from examples."""
    if not learner.examples:
        raise BadInput(f"--test: {learner.key} combines experts; it is for learners over examples")
    if options.by_column:
        raise BadInput(
            "--test examines one learner, and --by makes one a key: leave one of them out"
        )
    if options.rounds_late and options.interleave:
        raise BadInput(
            f"--test examines one learner, and --delay {options.rounds_late} makes {options.rounds_late + 1} of them "
            "take turns: leave --interleave or --test out"
        )
    if options.test == "-" == options.file:
        raise BadInput("--test -: standard input is FILE already")


def check_formats(file: OpenFile | None, test: OpenFile) -> None:
    """Refuse to test a learner that was trained on libsvm or vw text on a file of another format."""
    if file is None:
        return
    forms = [one.format or (form_of(one) if one.regular else None) for one in (file, test)]
    if None not in forms and forms[0] != forms[1] and {"libsvm", "vw"} & set(forms):
        raise BadInput(
            f"--test {test.path} is {forms[1]}, and {file.path} is {forms[0]}: their features are not the "
            "same; test on a file of the same format"
        )


def check_test_alone(options: CommandOptions) -> None:
    """Refuse options about learning with `--load MODEL --test FILE` alone, which learns nothing."""
    for name, flag in {
        "save": "--save",
        "passes": "--passes",
        "page": "--report",
        "by": "--by",
        "delay": "--delay",
        "horizons": "--horizon",
        "threshold": "--threshold",
        "cost": "--cost",
    }.items():
        if name in options.written:
            more = ""
            if name in ("threshold", "cost"):
                more = f"; littlestone predict MODEL FILE {flag} … decides"
            raise BadInput(f"{flag}: without FILE nothing is learned; --test only predicts{more}")


def check_save(options: CommandOptions) -> None:
    """Refuse --save where several learners take turns: it is of one learner, or of one for each key."""
    if options.horizons and options.interleave:
        raise BadInput(
            "--save keeps one learner for each key, and with --horizon 3 four of them take turns: leave "
            "--interleave or --save out"
        )
    if options.rounds_late and options.interleave:
        raise BadInput(
            f"--save keeps one learner, and --delay {options.rounds_late} makes {options.rounds_late + 1} of them take "
            "turns: leave --interleave or --save out"
        )
