"""One line of VW text, for a live learner that was trained on such lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.core.errors import BadInput

from .text_chunks import PAD, Chunk
from .text_parser import Malformed, Parser
from .vw_interactions import letter_sets
from .vw_text import VwText


def vw_line(text: str, bits: int, interactions: Sequence[str] = ()) -> tuple[Any, Any]:
    """Index and value of the features in a line; a label, an importance and a tag before the bar are passed over.

    >>> index, value = vw_line("|f 3 price:0.5", 18)
    >>> index.tolist(), value.tolist()
    ([34878, 742], [1.0, 0.5])
    """
    line = text.strip()
    if "\n" in line or "|" not in line:
        raise BadInput(
            f"an example in VW text is one line such as '| name:0.5 other', not {text!r:.80}"
        )
    raw = line.encode(errors="surrogatepass") + b"\n"
    buffer = np.zeros(len(raw) + 2 * PAD, np.uint8)
    buffer[PAD : PAD + len(raw)] = np.frombuffer(raw, np.uint8)
    parser = Parser(VwText(bits, letter_sets(tuple(interactions)), False), False)
    try:
        part = parser.parse_plain(Chunk(buffer, len(raw)))
        (whole,) = parser.form.finish(part, parser.sums)
    except Malformed as problem:
        raise BadInput(f"an example in VW text: {problem.args[1]}") from None
    m = int(whole.ptr[1] - whole.ptr[0])
    return whole.index[:m], whole.value[:m]
