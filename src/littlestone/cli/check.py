"""Whether the options go together, before anything long begins."""

from __future__ import annotations

import math
from typing import Any

from ..core.errors import BadInput
from .learner_spec import AnyLearner, form_of

EXPERTS = {
    "experts": "--experts",
    "losses": "--losses",
    "interval": "--interval",
    "asleep": "--asleep",
}
EXAMPLES = {
    "features": "--features",
    "weights": "--weights",
    "bits": "-b",
    "interact": "--interact",
    "classes": "--classes and --numbers",
    "passes": "--passes",
}


def check(o: dict[str, Any], said: set[str]) -> None:
    """Refuse options that contradict each other, whoever learns."""
    if o["file"] is None:
        for name in ("outcome", "experts", "losses", "by"):
            if name in said:
                raise BadInput(f"--{name} needs a FILE; without one the built-in stream is played")
    if o["losses"] and o["outcome"]:
        raise BadInput("--losses and --outcome: with losses there is nothing to predict")
    if o["losses"] and o["loss"]:
        raise BadInput("--losses and --loss: the columns are the losses already")
    if o["experts"] and o["features"]:
        raise BadInput("--experts and --features: columns are the one or the other")
    if o["one_copy"] is not None and not o["delay"]:
        raise BadInput("--one-copy and --interleave are about late feedback: add --delay ROUNDS")
    if o["interval"]:
        low, high = o["interval"]
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise BadInput(f"--interval {low:g} {high:g}: the first must be less than the second")
    if o["passes"] < 1:
        raise BadInput("--passes must be at least 1")


def check_kind(learner: AnyLearner, o: dict[str, Any], said: set[str]) -> None:
    """Some options are for learners over examples, some for those over experts."""
    if not learner.examples:
        for name, flag in EXAMPLES.items():
            if name in said:
                raise BadInput(
                    f"{flag}: {learner.key} combines experts; for examples: --learner online-linear"
                )
        return
    for name, flag in EXPERTS.items():
        if name in said:
            more = "; --features names the columns" if name == "experts" else ""
            raise BadInput(f"{flag}: {learner.key} learns from examples, not from experts{more}")
    if o["file"] is None:
        raise BadInput(
            f"{learner.key} learns from examples: name a FILE (the built-in stream has experts)"
        )
    if o["classes"] is False and learner.labels and learner.for_numbers() is None:
        hint = "--loss square" if "loss" in learner.parameters else "--learner online-linear"
        raise BadInput(f"--numbers: {learner.key} tells classes apart; for numbers: {hint}")
    if o["classes"] and not learner.labels:
        raise BadInput(
            f"--classes: {learner.key} predicts numbers; for classes: --learner online-linear"
        )


def check_test(test: str | None, learner: AnyLearner, o: dict[str, Any]) -> None:
    """Examples to be examined with: one learner must have learned from examples before."""
    if test is None:
        return
    if not learner.examples:
        raise BadInput(f"--test: {learner.key} combines experts; it is for learners over examples")
    if o["by"]:
        raise BadInput(
            "--test examines one learner, and --by makes one a key: leave one of them out"
        )
    if o["delay"] and interleaved(learner, o):
        raise BadInput(
            f"--test examines one learner, and --delay {o['delay']} makes {o['delay'] + 1} of them "
            "take turns: add --one-copy, or leave --test out"
        )
    if test == "-" == o["file"]:
        raise BadInput("--test -: standard input is FILE already")
    forms = form_of(o["file"], o["format"]), form_of(test, o["format"])
    if None not in forms and forms[0] != forms[1] and {"libsvm", "vw"} & set(forms):
        raise BadInput(
            f"--test {test} is {forms[1]}, and {o['file']} is {forms[0]}: their features are not the "
            "same; test on a file of the same format"
        )


def check_exam(said: set[str]) -> None:
    """`--load MODEL --test FILE` alone learns nothing."""
    for name, flag in {
        "save": "--save",
        "passes": "--passes",
        "page": "--report",
        "by": "--by",
        "delay": "--delay",
    }.items():
        if name in said:
            raise BadInput(f"{flag}: without FILE nothing is learned; --test only predicts")


def check_save(save: str | None, learner: AnyLearner, o: dict[str, Any]) -> None:
    if save is None:
        return
    if o["by"]:
        raise BadInput("--save keeps one learner, and --by makes one a key: leave one of them out")
    if o["delay"] and interleaved(learner, o):
        raise BadInput(
            f"--save keeps one learner, and --delay {o['delay']} makes {o['delay'] + 1} of them take "
            "turns: add --one-copy, or leave --save out"
        )


def interleaved(learner: AnyLearner, o: dict[str, Any]) -> bool:
    if o["one_copy"] is None:
        return not any(g.late for g in learner.guarantees)
    return not o["one_copy"]
