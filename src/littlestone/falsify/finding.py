"""What a search found: how close it came, whether the bound is broken, and the rounds that show it."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..run.run import Run
from .attack import Case, Trial
from .exact import Check
from .hunt import AttackerTally
from .picture import figure
from .target import Target


@dataclass
class Finding:
    """The run that came closest to a bound, or broke it."""

    target: Target
    broken: bool
    ratio: float  # measured / bound
    runs: int
    attacker: str
    case: Case
    trial: Trial
    check: Check | None = None  # what exact arithmetic says, where the plain run exceeded the bound
    seconds: float = 0.0
    seed: int = 0
    tallies: dict[str, AttackerTally] = field(default_factory=dict)
    alarms: list[Case] = field(
        default_factory=list
    )  # runs that exceeded the bound in floating point only
    others: Sequence[Finding] = ()  # findings for the learner's other theorems

    @property
    def learner(self) -> str:
        return self.target.key

    @property
    def theorem(self) -> str:
        return self.target.theorem.id

    @property
    def measured(self) -> float:
        return self.trial.measured

    @property
    def bound(self) -> float:
        return self.trial.bound

    @property
    def rounding(self) -> int:
        """Runs that exceeded the bound in floating point only: a certificate that says broken would be wrong."""
        return len(self.alarms)

    @property
    def verdict(self) -> str:
        """broken; failed, where the learner's rules or its certificate went wrong on some run (`failures`);
        untested, where no run that the bound is about was found; else survived."""
        if self.broken:
            return "broken"
        if self.failures:
            return "failed"
        tested = self.trial.counts and (math.isfinite(self.bound) or self.ratio > 0.0)
        return "survived" if tested else "untested"

    @property
    def failures(self) -> list[tuple[str, Case]]:
        """Runs on which rules failed, decisions were not numbers or the certificate was wrong: they show a bug."""
        return self.target.failures

    @property
    def formula(self) -> str:
        """The bound that was attacked, in words."""
        return self.target.guarantee.statement

    @property
    def x(self) -> Any:
        """The advice, or the examples; None where rounds are losses."""
        return self.case.x

    @property
    def y(self) -> Any:
        """The outcomes, or the losses."""
        return self.case.y

    @property
    def parameters(self) -> dict[str, Any]:
        """The learner's parameters in this run, tuned as the theorem asks."""
        return self.run().parameters

    def run(self) -> Run:
        """Play the run again, with its certificate."""
        return self.target.played(self.case, record="all")

    # As text, as JSON, as files.

    @property
    def name(self) -> str:
        """The name of the theorem, or of the bound that was conjectured in its place."""
        target = self.target
        what = self.theorem
        if target.conjecture is not None:
            what = target.expression or "your bound"
        return what if target.where is None else f"{what} where {target.where}"

    def __repr__(self) -> str:
        return f"<{self.learner}, {self.name}: {self.verdict}, ratio {self.ratio:.4f}, {self.runs:,} runs>"

    def record(self) -> dict[str, Any]:
        """As JSON."""
        check = self.check
        return {
            "learner": self.learner,
            "theorem": self.theorem,
            "statement": self.formula,
            "expression": self.target.expression,
            "where": self.target.where,
            "broken": self.broken,
            "verdict": self.verdict,
            "ratio": number(self.ratio),
            "measured": number(self.measured),
            "bound": number(self.bound),
            "comparator": self.trial.comparator,
            "runs": self.runs,
            "attacker": self.attacker,
            "checked": None
            if check is None
            else {
                "arithmetic": check.arithmetic,
                "measured": number(check.measured),
                "bound": number(check.bound),
            },
            "rounds": self.case.rounds,
            "n": self.case.n,
            "parameters": to_json(self.case.parameters),
            "interval": self.case.interval,
            "told_rounds": self.case.horizon_known,
            "passes": self.case.passes,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "rounding": self.rounding,
            "failures": [said for said, _ in self.failures],
            "attackers": {
                name: {"runs": t.runs, "ratio": number(t.ratio)} for name, t in self.tallies.items()
            },
        }

    def save(self, path: str | Path) -> Path:
        """Write the rounds: .csv as `littlestone run` reads it, or .json with the setting as well."""
        path = Path(path)
        if path.suffix == ".json":
            rows = {"x": None if self.x is None else np.asarray(self.x).tolist()}
            path.write_text(
                json.dumps(self.record() | rows | {"y": np.asarray(self.y).tolist()}) + "\n",
                encoding="utf-8",
            )
            return path
        if path.suffix != ".csv":
            raise BadInput(f"{path}: the rounds of a search are written to .csv or .json")
        with path.open("w", newline="", encoding="utf-8") as out:
            table = csv.writer(out)
            what = "feature" if self.target.learner.examples else "expert"
            names = [f"{what} {i + 1}" for i in range(self.case.n)]
            table.writerow(names if self.x is None else [*names, "outcome"])
            for t in range(self.case.rounds):
                row = [write_number(v) for v in (self.y[t] if self.x is None else self.x[t])]
                table.writerow(row if self.x is None else [*row, write_number(self.y[t])])
        if "graph" in self.case.parameters:
            edges = ["id_1,id_2", *(f"{a},{b}" for a, b in self.case.parameters["graph"])]
            beside(path).write_text("\n".join(edges) + "\n", encoding="utf-8")
        return path

    def command(self, path: str | Path) -> str:
        """The command that plays the file again; a line of Python where the learner has a class of hypotheses."""
        case, learner = self.case, self.target.learner
        if "hypotheses" in case.parameters:
            given = ", ".join(f"{k}={v!r}" for k, v in case.parameters.items())
            x, y = np.asarray(self.x).tolist(), np.asarray(self.y).astype(int).tolist()
            return f"littlestone.play(littlestone.learner({self.learner!r}, {given}), {x}, {y})"
        words = ["littlestone run", str(path)]
        words.append("--losses" if case.x is None else "--outcome outcome")
        words.append(f"--learner {self.learner}")
        words += self.parameter_words(Path(path))
        if case.interval is not None:
            words.append(f"--interval {case.interval[0]:g} {case.interval[1]:g}")
        if case.passes > 1:
            words.append(f"--passes {case.passes}")
        if case.delay:
            words.append(f"--delay {case.delay} --one-copy")
        if learner.examples and not learner.labels:
            words.append("--numbers")
        elif learner.examples:
            words.append("--classes")
        return " ".join(words)

    def parameter_words(self, path: Path) -> list[str]:
        """The parameters of the learner, as a command line has them; a graph is in a file beside the rounds."""
        case, learner, words = self.case, self.target.learner, list[str]()
        used = {
            k: v
            for k, v in self.parameters.items()
            if k in case.parameters or k in self.target.given
        }
        if not case.horizon_known:
            used = case.parameters | {k: getattr(learner, k) for k in self.target.given}
        if "normalise" in learner.parameters and "normalise" not in used:
            used = used | {"normalise": learner.normalise}  # a command line would scale
        for name, v in used.items():
            if name == "graph" and name in case.parameters:
                words.append(f"-p graph={beside(path)}")
            elif name == "loss":
                words.append(f"--loss {loss_word(v)}")
            elif v is not None:
                words.append(f"-p {name}={word(v)}")
        return words

    # Pictures.

    def curve(self) -> tuple[Any, Any]:
        """Rounds, and for each the ratio measured / bound of the run that ends there."""
        T = self.case.rounds
        at = np.unique(np.linspace(1, T, min(T, 120)).astype(int))
        return at, np.array([self.target.trial(cut_case(self.case, int(t))).ratio for t in at])

    def plot(self) -> Any:
        """A matplotlib figure: the ratio measured / bound round by round, above a picture of the rounds."""
        title = f"{self.learner}, {self.name}: {self.verdict}, ratio {self.ratio:.4f}"
        examples = self.target.learner.examples
        what = "losses" if self.x is None else "features" if examples else "advice"
        return figure(title, *self.curve(), self.y if self.x is None else self.x, what)

    def report(self, path: str | Path = "falsify.html") -> Path:
        """The run's own page: losses, regret against the bound, weights."""
        return self.run().report(path)


def beside(path: Path) -> Path:
    """The file of the edges of a graph, beside that of the rounds."""
    return path.with_name(f"{path.stem}-edges.csv")


def cut_case(case: Case, T: int) -> Case:
    """The first T rounds of a case."""
    return Case(case.y[:T], None if case.x is None else case.x[:T], **case.setting)


def number(v: float) -> float | None:
    """A number as JSON can hold it: None for NaN and infinity."""
    return float(v) if math.isfinite(v) else None


def to_json(v: Any) -> Any:
    """A parameter as JSON can hold it; other values as their text."""
    if isinstance(v, dict):
        return {k: to_json(part) for k, part in v.items()}
    if isinstance(v, (list, tuple)):
        return [to_json(part) for part in v]
    return v if v is None or isinstance(v, (bool, int, float, str)) else str(v)


def write_number(v: Any) -> str:
    """A number with as few digits as give it back exactly; "" for NaN."""
    v = float(v)
    if math.isnan(v):
        return ""
    return str(int(v)) if v == int(v) and abs(v) < 1e15 else repr(v)


def word(v: Any) -> str:
    """A parameter as the option -p takes it."""
    if isinstance(v, bool):
        return str(v).lower()
    return ",".join(map(repr, v)) if isinstance(v, (tuple, list)) else str(v)


def loss_word(v: Any) -> str:
    """A loss as the option --loss takes it."""
    if isinstance(v, str):
        return v
    name = losses.name(v)
    return f"{name}:{v.quantile:g}" if isinstance(v, losses.Pinball) else name
