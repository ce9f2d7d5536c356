"""What was asked for: learners from words."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
import shutil
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any, get_args

import click

from ..core import registry
from ..core.errors import BadFile, BadInput, LittlestoneError
from ..core.learner import Learner, hints
from ..core.parameters import split

AnyLearner = Learner[Any, Any, Any, Any]

# Whom `compare` plays where nobody said.
DEFAULTS = {
    "losses": ("hedge", "adahedge", "squint", "fixed-share", "tracker"),
    "advice": ("exponential-weights", "ml-poly", "boa", "fixed-share", "tracker"),
    "classes": (
        "online-linear",
        "logistic",
        "passive-aggressive",
        "averaged-perceptron",
        "perceptron",
    ),
    "numbers": (
        "online-linear-regression",
        "normalized-adaptive",
        "adagrad",
        "ogd",
        "eg-plus-minus",
    ),
}
WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

# The options of `run` that `report` does without.
NOTHING: dict[str, Any] = {
    "losses": False,
    "by": None,
    "interval": None,
    "loss": None,
    "settings": (),
    "seed": 0,
    "delay": 0,
    "one_copy": None,
    "asleep": "error",
    "as_json": False,
    "passes": 1,
}


def given(ctx: click.Context) -> set[str]:
    """The names of the options that the user wrote."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not default}


def one_of(file: str | None, data: str | None) -> str | None:
    """FILE, or -d FILE."""
    if file is not None and data is not None:
        raise BadInput(f"FILE {file} and -d {data}: name the file once")
    return data if file is None else file


def predictions(path: str | None, o: dict[str, Any], said: set[str]) -> str | None:
    """--predictions FILE; or -p FILE as in vw, which is no NAME=VALUE."""
    files = [word for word in o["settings"] if "=" not in word and re.search(r"[./\\]", word)]
    o["settings"] = tuple(word for word in o["settings"] if word not in files)
    if not o["settings"]:
        said.discard("settings")
    if len(files) + (path is not None) > 1:
        raise BadInput("-p FILE and --predictions FILE: name one file")
    return files[0] if files else path


# Experts or examples?


def kind(o: dict[str, Any]) -> str:
    """What a file holds: losses, advice, or examples whose outcomes are classes or numbers."""
    if o["losses"]:
        return "losses"
    if o["file"] is None or o["experts"]:
        return "advice"
    if o["classes"] is not None:
        return "classes" if o["classes"] else "numbers"
    examples = bool(o["features"] or o["weights"] or o["interact"])
    if o["file"] == "-" or (Path(o["file"]).exists() and not Path(o["file"]).is_file()):
        # read once: only what was said tells, or what can be seen of a pipe without taking it
        said = examples or o["format"] in ("libsvm", "svmlight", "vw")
        return "classes" if said or (o["file"] == "-" and piped_examples(o)) else "advice"
    found = holds_labels(o["file"], o)
    if found or (found is None and o["outcome"] is None):
        return "classes"
    never_advice = form_of(o["file"], o["format"]) in ("libsvm", "vw", "jsonl", "arff")
    return "numbers" if examples or never_advice else "advice"


def holds_labels(file: str, o: dict[str, Any]) -> bool | None:
    """Are the outcomes of a file classes, so that its columns are features of examples? None: it cannot be read so."""
    from ..streams.open import open_stream

    given = {"outcome": o["outcome"], "format": o["format"], "on_bad_line": o["on_bad_line"]}
    try:
        stream = open_stream(file, examples=True, labels="auto", **given)
    except LittlestoneError:
        return None  # whoever reads it will say what is wrong
    close = getattr(stream.batches, "close", None)
    if close is not None:
        close()
    return stream.labels is not None


def piped_examples(o: dict[str, Any]) -> bool:
    """Does standard input begin with examples, as far as it is there?"""
    from ..streams.formats import EXTENSIONS, LOOK, seen
    from ..streams.source import PACKED, PARQUET

    pipe: Any = sys.stdin.buffer
    if hasattr(pipe, "peek"):
        head = pipe.peek(1)
    elif pipe.seekable():
        begin = pipe.tell()
        head = pipe.read(LOOK)
        pipe.seek(begin)
    else:
        return False
    if head.startswith(b"\x1f\x8b"):
        with contextlib.suppress(zlib.error):
            head = zlib.decompressobj(31).decompress(head)
    if head.startswith((PARQUET, *PACKED)):
        return kept_examples(o)
    if not head:
        return False
    head = head[: head.rfind(b"\n") + 1] or head  # whole lines
    said = (o["format"] or "").lower().lstrip(".")
    try:
        form = EXTENSIONS.get(said, said) or seen(head)
    except LittlestoneError:
        return False  # whoever reads it will say what is wrong
    if form != "csv":
        return True
    with tempfile.NamedTemporaryFile(prefix="littlestone-") as part:
        part.write(head)
        part.flush()
        return bool(holds_labels(part.name, o))


def kept_examples(o: dict[str, Any]) -> bool:
    """The same of what says nothing before all of it is there (Parquet, zstd): standard input becomes a file."""
    until = click.get_current_context()  # the command is done
    kept: Any = until.with_resource(tempfile.NamedTemporaryFile(prefix="littlestone-"))  # noqa: SIM115
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.seek(0)
    sys.stdin = io.TextIOWrapper(kept)
    table = form_of(kept.name, o["format"]) in ("csv", "parquet")
    return bool(holds_labels(kept.name, o)) if table else True


def form_of(file: str | None, said: str | None = None) -> str | None:
    """The format of a file; None where that is not known before it is read."""
    from ..streams.formats import format_of
    from ..streams.source import Source

    if file is None or not Path(file).is_file():
        return said
    try:
        source = Source(file)
        try:
            return format_of(source, said)
        finally:
            source.close()
    except LittlestoneError:
        return None  # whoever reads it will say what is wrong


def default(o: dict[str, Any]) -> str:
    """Experts are combined by tracker, examples learned by online-linear."""
    return "tracker" if kind(o) in ("losses", "advice") else "online-linear"


# Learners from words.


def learner(spec: str, o: dict[str, Any]) -> AnyLearner:
    """A learner from `NAME` or `NAME:alpha=0.1,eta=2`, with --loss and -p."""
    key, _, own = spec.partition(":")
    return made(key, [*o["settings"], *pieces(own)], o["loss"])


def learners(specs: tuple[str, ...], o: dict[str, Any]) -> list[tuple[str, AnyLearner]]:
    """Several: -p and the loss go to those that have such a parameter.

    Those that predict numbers are scored alike, with the square loss unless another is asked for; those that tell
    classes apart keep their own loss, as mistakes compare them.
    """
    over = {over_examples(spec) for spec in specs}
    if len(over) > 1:
        raise BadInput(
            "--learner: some learn from examples and some combine experts; compare alike"
        )
    if specs:
        found = "losses" if o["losses"] else "" if over == {True} else "advice"
    else:
        found = kind(o)
        specs = DEFAULTS[found]
    parts = [spec.partition(":") for spec in dict.fromkeys(specs)]
    known = {key: hints(type(registry.learner(key))) for key, _, _ in parts}
    for setting in o["settings"]:
        name = setting.partition("=")[0]
        if not any(name in parameters for parameters in known.values()):
            who = (
                f"none of {', '.join(known)} has a"
                if len(known) > 1
                else f"{next(iter(known))} has no"
            )
            raise BadInput(f"-p {setting}: {who} parameter {name!r}")
    alike = found in ("advice", "numbers") or o["classes"] is False
    loss = o["loss"] or ("square" if alike else None)
    if o["loss"] and not any("loss" in parameters for parameters in known.values()):
        raise BadInput(f"--loss {o['loss']}: none of {', '.join(known)} takes a loss")
    made_ = []
    for spec, (key, _, own) in zip(dict.fromkeys(specs), parts, strict=True):
        theirs = [s for s in o["settings"] if s.partition("=")[0] in known[key]]
        one = made(key, [*theirs, *pieces(own)], loss if "loss" in known[key] else None)
        made_.append((spec, one))
    return made_


def over_examples(spec: str) -> bool:
    return registry.learner(spec.partition(":")[0]).examples


def pieces(text: str) -> list[str]:
    """
    >>> pieces("prior=0.5,0.5,eta=2")
    ['prior=0.5,0.5', 'eta=2']
    """
    return re.split(r",(?=\s*\w+=)", text) if text else []


def made(key: str, settings: list[str], loss: str | None) -> AnyLearner:
    """A learner from its key and its settings, read by their declared types."""
    known = hints(type(registry.learner(key)))
    values: dict[str, Any] = {}
    if loss is not None:
        if "loss" not in known:
            raise BadInput(f"--loss {loss}: {key} takes no loss")
        values["loss"] = loss
    for setting in settings:
        name, eq, text = (part.strip() for part in setting.partition("="))
        if not eq or not name:
            raise BadInput(f"-p {setting}: write NAME=VALUE, as in -p alpha=0.01")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? Its" if near else "its"
            there = f"{hint} parameters: {', '.join(known)}" if known else "it has none"
            raise BadInput(f"-p {setting}: {key} has no parameter {name!r}; {there}")
        values[name] = text if name == "loss" else parsed(setting, text, known[name])
    return registry.learner(key, **values)


def parsed(setting: str, text: str, hint: Any) -> Any:
    """The value, if it can be read as the declared type; else the text, which the learner will refuse by name."""
    kind, _, optional = split(hint)
    if optional and text.lower() in ("", "none", "unset"):
        return None
    if kind is bool:
        if text.lower() not in WORDS:
            raise BadInput(f"-p {setting}: write true or false")
        return WORDS[text.lower()]
    if kind is str or str in get_args(kind):  # a word, or a kernel or set by its name
        return text
    try:
        if kind in (int, float):
            number = float(text)
            return int(number) if kind is int and number.is_integer() else number
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        return text


def loaded(path: str, o: dict[str, Any], said: set[str]) -> AnyLearner:
    """A learner that was saved; it brings its parameters, its interval and its seed."""
    from ..door.play import bits_of
    from ..live.store import load

    for name, flag in {"key": "--learner", "loss": "--loss", "settings": "-p"}.items():
        if name in said:
            raise BadInput(f"--load and {flag}: {path} brings a learner with all its parameters")
    if "interval" in said:
        raise BadInput(f"--load and --interval: {path} brings the interval that it began with")
    if o["by"]:
        raise BadInput("--load brings one learner, and --by makes one a key: leave one of them out")
    if o["delay"]:
        raise BadInput("--load and --delay do not go together: a saved learner goes on at once")
    found: Any = load(path)
    if not isinstance(found, Learner):
        raise BadFile(f"{path} holds a {type(found).__name__.lower()}, not a learner")
    live = found._live
    if live is None:
        raise BadFile(f"{path} holds a {found.key} that has not seen a round: use --learner")
    if "seed" not in said:
        o["seed"] = live.seed
    known = bits_of(found)
    if known and o["bits"] not in (None, known):
        raise BadInput(
            f"--load and -b {o['bits']}: {path} was trained on names hashed to 2^{known} places; "
            "leave -b out"
        )
    o["losses"] = live.allocation
    if live.allocation and o["outcome"]:
        raise BadInput(f"--outcome: {path} was trained on losses, and has nothing to predict")
    return found
