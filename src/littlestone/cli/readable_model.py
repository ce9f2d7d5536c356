"""`--readable-model`: the weights of a learner by name, as a table that people can read."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, Self

import click

from ..core.errors import BadFile
from ..core.files import write_whole
from ..encode.hashing import remember
from .write import Unwritten


class Names:
    """Remembers the names that are hashed while FILE is read; the weights of all others have only their place."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names: dict[Any, int] = {}
        self.products: dict[int, tuple[int, ...]] = {}

    def __enter__(self) -> Self:
        remember(self.names, self.products)
        return self

    def __exit__(self, *problem: object) -> None:
        remember(None)

    def write(self, run: Any) -> None:
        """The weights of the learner of a run, the largest first; those that are 0 are left out."""
        learner = run.learner
        live = learner.begun()
        if not live.traits.kind.has_examples:
            what = "arm" if live.traits.kind.has_arms else "expert"
            names = list(live.names or range(len(live.weights())))
            self.put([what, "weight"], list(zip(names, live.weights().tolist(), strict=True)))
            return
        from ..report.explain_example import weights_at

        classes, W, places = weights_at(learner, self.names, self.products)
        rows = [
            (*((label,) if len(W) > 1 else ()), name, float(w[i]))
            for label, w in zip(classes, W, strict=True)
            for i, name in places
            if w[i] != 0.0
        ]
        self.put([*(["class"] if len(W) > 1 else []), "feature", "weight"], rows)

    def put(self, header: list[str], rows: list[tuple[Any, ...]]) -> None:
        rows.sort(key=lambda row: -abs(row[-1]))
        text = io.StringIO(newline="")
        out = csv.writer(text, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)
        if self.path == "-":
            click.echo(text.getvalue().encode("utf-8"), nl=False)
            return
        try:
            write_whole(Path(self.path), text.getvalue().encode("utf-8"))
        except BadFile as problem:
            raise Unwritten(f"--readable-model {problem}") from None
