"""Which learner `run` takes for examples where none is named.

Online-kernel for a dense, narrow table, else online-linear.
Tables on which it was tried are in docs/linear/online-kernel.md.
"""

from __future__ import annotations

from ..core import registry
from ..core.stream import Stream
from ..engine.compile import engine
from ..streams.files import OpenFile
from .data_kind import form_of
from .learner_spec import AnyLearner
from .parsed_options import Options

NARROW = 128  # a table with at most so many features is narrow
CURVES = {
    "online-linear": "online-kernel",
    "online-linear-regression": "online-kernel-regression",
}
SPARSE = ("libsvm", "vw", "jsonl")  # formats whose rows name the features that they have
# options that ask for a linear model, or for many learners
LINEAR = ("settings", "loss", "l1", "l2", "readable", "interact", "bits", "by", "delay", "graph")


def for_table(
    learner: AnyLearner, stream: Stream, file: OpenFile | None, options: Options
) -> tuple[AnyLearner, str]:
    """The learner for this table in place of online-linear, and a line that says so ("": it stays)."""
    few = 0 < len(stream.names) <= NARROW
    hashed = stream.bits is not None or stream.records or stream.places is not None
    if learner.key not in CURVES or file is None or not few or hashed or form_of(file) in SPARSE:
        return learner, ""
    if any(name in options.written for name in LINEAR):
        return learner, ""
    if engine() == "plain":  # a row would take 20 ms
        return learner, ""
    count = f"{len(stream.names)} dense feature{'s' * (len(stream.names) != 1)}"
    made = registry.learner(CURVES[learner.key])
    return (
        made,
        f"learner: online-kernel, for {count} (--learner online-linear: lines only, faster)",
    )
