"""A Run as the page wants it: at most 600 points a curve, a dozen curves a chart."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core.guarantee import Verdict
from ..run.run import Run, shifts
from ..run.run_examples import ExampleRun
from . import page
from .accuracy import accuracy, mistakes
from .curves import charted, predictor_curve
from .explain import explain
from .references import references
from .rivals import rival
from .words import GAMES, classifies, entrants, features, importance, loss_name, word

POINTS = 600
CURVES = 10  # experts drawn by name; the rest are summed up
RUNS = 32  # that fit on a page
CLASSES = 12  # named


def report(runs: list[Run], path: str | Path, title: str = "", test: Any = None) -> Path:
    """One self-contained page for one run or several; `test` says how well the last one did on other examples."""
    return page.write(payload(runs, title, test), path)


def payload(runs: list[Run], title: str = "", test: Any = None) -> dict[str, Any]:
    first, every, last = runs[0], len(runs), runs[-1]
    keyed = every > 1 and all(run.stream is first.stream for run in runs)  # one run a key
    rounds = sum(run.rounds for run in runs) if keyed else first.rounds
    many = (
        features(first)
        if isinstance(first, ExampleRun)
        else f"{len(first.names):,} {entrants(first)}"
    )
    subtitle = f"{Path(first.stream.source).name}, {rounds:,} rounds, {many}"
    if every > RUNS:
        subtitle += f"; {RUNS} of {every:,} runs are shown"
        runs = runs[:RUNS]
    several = f"{first.key}, {every:,} keys" if keyed else f"{every:,} runs compared"
    return {
        "title": title or (first.label if every == 1 else several),
        "subtitle": subtitle,
        "version": __version__,
        "created": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
        "runs": [
            section(run, explained=len(runs) <= 4, test=test if run is last else None)
            for run in runs
        ],
    }


def section(run: Run, explained: bool = True, test: Any = None) -> dict[str, Any]:
    at = thinned(len(run.trace["t"])) if run._s.books.trace.t else np.empty(0, int)
    verdicts = sorted(run.certificate, key=lambda v: v is not run.headline)  # the headline's first
    return {
        "name": run.key,
        "learner": type(run.learner).__name__,
        "label": run.label,
        "kind": "examples" if isinstance(run, ExampleRun) else "experts",
        "summary": summary(run) | ({} if test is None else {"test": test.accuracy}),
        "t": run.trace["t"][at].tolist() if len(at) else [],
        "cumulative": cumulative(run, at) if len(at) else [],
        "regret": [r for v in verdicts if (r := regret(run, v, at)) is not None],
        "accuracy": accuracy(run) if isinstance(run, ExampleRun) and len(at) else None,
        "mistakes": mistakes(run, at) if len(at) else None,
        "weights": weights(run, run.trace["t"][at]) if len(at) else None,
        "certificate": [line(run, v) for v in verdicts],
        "parameters": {k: word(v) for k, v in run.parameters.items()},
        "data": {k: word(v) for k, v in facts(run).items()},
        "notes": [*([] if test is None else [str(test)]), *run.notes, *feedback(run)],
        "explain": parts(run) if explained else None,
    }


def feedback(run: Run) -> list[str]:
    """Prompt feedback flatters where outcomes really come late: the page says which it was."""
    if run._s.delay or run._s.allocation:
        return []
    return [
        "Each outcome was known before the next prediction was due. If yours come later, play with delay= as well."
    ]


def summary(run: Run) -> dict[str, Any]:
    """The numbers of the table and of `--json`."""
    found = {
        "rounds": run.rounds,
        "loss": run.loss,
        "mean_loss": run.mean_loss,
        "loss_name": loss_name(run),
        "comparator": run.comparator,
        "comparator_loss": run.comparator_loss,
        "regret": run.regret,
        "bound": run.bound,
        "theorem": None if run.headline is None else run.headline.guarantee.id,
        "seconds": run.seconds,
        "verdict": run.certificate.verdict,
    }
    if not isinstance(run, ExampleRun):
        return found
    who = rival(run)
    if who is not None:
        found |= {
            "comparator": who.name,
            "comparator_loss": who.loss,
            "regret": run.loss - who.loss,
            # the least loss that a theorem allows stays as it is
            "bound": run.bound + (run.comparator_loss - who.loss),
        }
    found["importance"] = importance(run)
    if run.classifies:
        found |= {"accuracy": run.accuracy, "mistakes": run.mistakes}
    return found


def facts(run: Run) -> dict[str, Any]:
    """What was played, and what simple answers would have cost."""
    found = run.facts | {"game": GAMES.get(run.facts["game"], run.facts["game"])}
    found["source"] = Path(str(found["source"])).name
    if isinstance(run, ExampleRun):
        found["features"] = features(run).replace(" features", "").replace(" feature", "")
        if run.classifies:
            found["classes"] = listed(run._s.copies[0].live.labels or ())
    total = importance(run)
    for r in references([run]):
        if classifies(run):
            if not math.isnan(r.mistakes):
                found[r.name] = f"{1.0 - r.mistakes / total:.2%} right"
        else:
            found[r.name] = f"{r.loss / total:.5g} a round"
    return found


def listed(names: Any) -> str:
    """
    >>> listed([-1, 1, None]), listed(range(400))
    ('-1, 1', '400: 0, 1, 2, 3, 4, 5, 6, 7, …')
    """
    every = [str(name) for name in names if name is not None]
    if len(every) <= CLASSES:
        return ", ".join(every)
    return f"{len(every):,}: {', '.join(every[:8])}, …"


def thinned(n: int) -> Any:
    """At most POINTS of n positions, the last among them."""
    return np.unique(np.linspace(0, n - 1, min(n, POINTS)).round().astype(int))


def cumulative(run: Run, at: Any) -> list[dict[str, Any]]:
    trace = run.trace
    curves = [{"name": run.key, "kind": "learner", "values": trace["loss"][at].tolist()}]
    if isinstance(run, ExampleRun):
        who = rival(run)
        if who is not None and who.u is not None:
            values = predictor_curve(run, who.u)["L"][at]
            curves.append({"name": who.name, "kind": "comparator", "values": values.tolist()})
        return curves
    L = trace["L"][at]
    for i in np.argsort(L[-1], kind="stable")[:CURVES]:
        curves.append({"name": run.names[i], "kind": "expert", "values": L[:, i].tolist()})
    if "shifting" in trace:
        values = trace["shifting"][at]
        for k in sorted({1, 4, values.shape[1] - 1} & set(range(1, values.shape[1]))):
            name = f"best sequence, {shifts(k)}"
            curves.append({"name": name, "kind": "comparator", "values": values[:, k].tolist()})
    return curves


def regret(run: Run, v: Verdict, at: Any) -> dict[str, Any] | None:
    curve = run.bound_curve(v)
    if curve is None:
        return None
    _, measured, bound = curve
    what = charted(run, v) if isinstance(run, ExampleRun) else "regret"
    against = f"to {v.comparator}" if what == "regret" else f"against {v.comparator}"
    return {
        "what": what.capitalize(),
        "name": "" if v.guarantee.against == "none" and what != "regret" else against,
        "values": measured[at].tolist(),
        "bound": bound[at].tolist(),
        "theorem": v.guarantee.id,
    }


def weights(run: Run, rounds: Any) -> dict[str, Any] | None:
    """The weights at those rounds: those of the heaviest experts, the others added up."""
    if not run._s.experts or run._s.weights.mode == "none":
        return None
    t, W = run.weight_trace
    if not len(t):
        return None
    W = W[
        np.maximum(np.searchsorted(t, rounds - 1, side="right") - 1, 0)
    ]  # the last ones kept by then
    top = np.sort(np.argsort(-W.mean(axis=0), kind="stable")[:CURVES])
    rest = W.sum(axis=1) - W[:, top].sum(axis=1)
    names, values = [run.names[i] for i in top], [W[:, i].tolist() for i in top]
    if len(top) < W.shape[1]:
        names.append("others")
        values.append(np.maximum(rest, 0.0).tolist())
    return {"names": names, "values": values}


def line(run: Any, v: Verdict) -> dict[str, Any]:
    """A line of the certificate."""
    g = v.guarantee
    return {
        "id": g.id,
        "name": g.name,
        "statement": g.statement,
        "source": g.source,
        "mode": g.mode,
        "measures": g.measures.partition("|")[0],
        "verdict": v.verdict,
        "measured": v.measured,
        "bound": v.bound,
        "slack": v.slack,
        "comparator": v.comparator,
        "why": v.why,
    }


def parts(run: Run) -> list[dict[str, Any]] | None:
    if not run._s.experts or run._s.weights.mode == "none":
        return None
    quick = run.rounds * len(run.names) ** 2 <= 20_000_000  # leaving each out costs n more runs
    return [
        {"expert": p.expert, "share": p.share, "when": p.when, "leave_out": p.leave_out}
        for p in explain(run, replay=quick).parts[:CURVES]
    ]
