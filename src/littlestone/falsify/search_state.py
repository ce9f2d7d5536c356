"""The state of a search in a file: a later search, or another process, goes on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import BadFile, BadInput
from ..core.files import write_whole
from .attack import Case
from .hunt import AttackerTally, Elite, Hunt

VERSION = 1


def to_json(case: Case) -> dict[str, Any]:
    """A case as JSON; numbers come back bit for bit. Files call `horizon_known` "told"."""
    setting = case.setting
    return {
        "y": np.asarray(case.y).tolist(),
        "x": None if case.x is None else np.asarray(case.x).tolist(),
        "told": setting.pop("horizon_known"),
        **setting,
    }


def from_json(kept: dict[str, Any]) -> Case:
    """A case from JSON."""
    kept = dict(kept)
    y, x, interval = kept.pop("y"), kept.pop("x"), kept.pop("interval")
    kept["horizon_known"] = kept.pop("told")
    parameters = {k: tuples(v) for k, v in kept.pop("parameters").items()}
    return Case(
        np.array(y, float),
        None if x is None else np.array(x, float),
        parameters,
        tuple(interval) if interval is not None else None,
        **kept,
    )


def tuples(v: Any) -> Any:
    """Turn the lists of JSON back into tuples."""
    return tuple(map(tuples, v)) if isinstance(v, list) else v


def write(hunt: Hunt, path: str | Path) -> None:
    """Write the state of a search, as a whole or not at all."""
    kept = {
        "version": VERSION,
        "learner": hunt.target.key,
        "theorem": hunt.target.theorem.id,
        "bound": hunt.target.expression,
        "where": hunt.target.where,
        "seed": hunt.seed,
        "epoch": hunt.epoch,
        "runs": hunt.runs,
        "seconds": hunt.now,
        "tallies": {k: vars(t) for k, t in hunt.tallies.items()},
        "elite": [
            {"ratio": min(e.ratio, 1e308), "attacker": e.attacker, "case": to_json(e.case)}
            for e in hunt.elite
        ],
        "failures": [(said, to_json(case)) for said, case in hunt.target.failures],
    }
    write_whole(Path(path), json.dumps(kept).encode("utf-8"))


def describe_search(learner: str, theorem: str, bound: str | None, where: str | None) -> str:
    """What a search is about, in words."""
    more = "" if bound is None else f", bound {bound}"
    return f"{learner}, {theorem}{more}" + ("" if where is None else f", where {where}")


def read_state(hunt: Hunt, path: str | Path) -> None:
    """Put a state into `hunt`: its runs count, the search begins from its cases, and draws are not repeated."""
    try:
        kept = json.loads(Path(path).read_text(encoding="utf-8"))
        target = hunt.target
        mine = (target.key, target.theorem.id, target.expression, target.where)
        of = (kept["learner"], kept["theorem"], kept["bound"], kept.get("where"))
        if kept["version"] != VERSION:
            raise BadFile(f"{path}: it was written by another version")
        if of != mine:
            raise BadInput(
                f"{path} is a search of {describe_search(*of)}; this is one of {describe_search(*mine)}"
            )
        hunt.epoch, hunt.seed = kept["epoch"] + 1, kept["seed"]
        hunt.runs, hunt.spent = kept["runs"], kept["seconds"]
        hunt.tallies = {k: AttackerTally(**t) for k, t in kept["tallies"].items()}
        cases = [(e["ratio"], from_json(e["case"]), e["attacker"]) for e in kept["elite"]]
    except (OSError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, (BadInput, BadFile)):
            raise
        raise BadFile(f"{path}: not the state of a search ({problem})") from None
    hunt.elite = [Elite(ratio, case, who) for ratio, case, who in cases]
    hunt.__post_init__()
