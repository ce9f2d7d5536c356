"""Which learner `run` takes for examples where none is named.

The mixture of unlike learners for a dense, narrow table, else online-linear.
Tables on which it was tried are in docs/mixtures/measurements.md.
"""

from __future__ import annotations

from ..core import registry
from ..encode.categories import NARROW
from ..encode.stream import Stream
from ..engine.compile import engine
from ..streams.files import OpenFile
from .command_options import CommandOptions
from .data_kind import form_of
from .learner_spec import AnyLearner

MIXTURES = {
    "online-linear": "mixture",
    "online-linear-regression": "mixture-regression",
}
SPARSE = ("libsvm", "vw")  # formats whose rows name the features that they have
# options that ask for a linear model, or for many learners
LINEAR = (
    "settings",
    "loss",
    "l1",
    "l2",
    "readable",
    "interactions",
    "bits",
    "by",
    "delay",
    "graph",
)


def mixture_may_play(learner: AnyLearner, file: OpenFile | None, options: CommandOptions) -> bool:
    """Does nothing but the width of the table speak against the mixture?"""
    if learner.key not in MIXTURES or file is None or form_of(file) in SPARSE:
        return False
    # without compiled code a row would take 20 ms
    return not any(name in options.written for name in LINEAR) and engine() != "plain"


def choose_for_table(learner: AnyLearner, stream: Stream) -> tuple[AnyLearner, str]:
    """The learner for this table, for which the mixture may play, and a line that says so; "" where it stays."""
    few = 0 < (stream.categories.coded or len(stream.names)) <= NARROW
    hashed = stream.bits is not None or stream.places is not None
    if not few or hashed or learner.key not in MIXTURES:
        return learner, ""
    table = stream.categories.columns
    columns = len(table or stream.names)
    count = f"{columns} {'column' if table else 'dense feature'}{'s' * (columns != 1)}"
    if table:
        text = [
            f"{c.name}: {len(c.values)} value{'s' * (len(c.values) != 1)}"
            if c.values
            else f"{c.name}: many values"
            for c in table
            if c.values is not None
        ]
        count += f" ({', '.join(text[:3])}{', …' * (len(text) > 3)})"
    made = registry.learner(MIXTURES[learner.key])
    return (
        made,
        f"learner: {made.key}, for {count} (faster, often less accurate: --learner online-kernel, without trees; "
        "--learner online-linear, lines alone)",
    )
