"""A report as one self-contained HTML page: no network, no build step, under 400 kB.

`render` turns a payload of plain numbers and names into the page; `write` puts it into a file.
The page is template.html with the style, the charts (uPlot, vendored) and the payload inlined;
chart.js and page.js draw it. Rounding and thinning happen here, so that the page stays small.
"""

from __future__ import annotations

import html
import json
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from littlestone.core.errors import BadFile, FileReplaced
from littlestone.core.files import write_whole

LIMIT = 400_000  # a page has at most so many bytes; a larger one is drawn from fewer rounds
LEAST = 32  # a chart of fewer rounds is not thinned further
CURVE, EXACT = 5, 9  # significant digits of a point of a curve, and of a number that is read

MISTAKES = "mistakes counted"  # what words.loss_name calls them
VERDICTS = {
    "kept": "{regret} is within the {bound} that {theorem} promises: kept",
    "vacuous": "{regret} has no promise to keep, because an assumption of {theorem} fails here: "
    "vacuous",
    "unknown": "{regret} against the {bound} of {theorem} is not settled by this run: unknown",
    "broken": "{regret} exceeds the {bound} that {theorem} promises: broken",
}


def render(payload: Mapping[str, Any]) -> str:
    """Return the page for one run or several, as the text of an HTML file.

    >>> page = render({"title": "Prices", "runs": []})
    >>> "<h1>Prices</h1>" in page, "https://cdn" in page
    (True, False)
    """
    runs = [_run(run) for run in payload.get("runs") or ()]
    page = _fill(payload, runs)
    while len(page) > LIMIT and (most := longest(runs)) > LEAST:  # a run with few rounds keeps them
        runs = [_thin(run) if longest([run]) > most / 2 else run for run in runs]
        page = _fill(payload, runs)
    return page


def longest(runs: list[dict[str, Any]]) -> int:
    """The rounds of the longest curve."""
    return max((len(part["t"]) for run in runs for part in (run, *run["charts"])), default=0)


def write(payload: Mapping[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page to `path`, all of it or nothing, and return where it is; a warning says that one was replaced."""
    target = Path(path)
    if target.is_dir():
        raise BadFile(f"cannot write the report to {target}: that is a folder, not a file")
    if not target.parent.is_dir():
        raise BadFile(f"cannot write the report to {target}: no folder {target.parent}")
    text = render(payload).encode("utf-8")
    if target.exists() and not target.is_file():  # a device or a pipe: nothing to replace
        target.write_bytes(text)
        return target
    replaced = target.exists()
    made = write_whole(target, text)
    if replaced:  # said where the method `report` of a run was called
        warnings.warn(f"{target} was there before, and is replaced", FileReplaced, stacklevel=4)
    return made


def headline(run: Mapping[str, Any]) -> str:
    """Say the result of a run in one sentence.

    >>> headline({"learner": "Hedge", "summary": {"rounds": 2000, "mean_loss": 0.25,
    ...     "comparator": "best expert", "comparator_loss": 480, "regret": 20.0, "bound": 55.5,
    ...     "verdict": "kept"}, "certificate": [{"id": "T-HEDGE", "bound": 55.5}]})
    'Hedge lost 0.25 a round over 2,000 rounds; the best expert lost 0.24; the regret of 20 is \
within the 55.5 that theorem T-HEDGE promises: kept.'
    """
    summary = run.get("summary") or {}
    leading = str(summary.get("sentence") or "")
    bound = _real(summary.get("bound"))
    parts = [_played(run, summary)]
    tested = _real(summary.get("test"))
    if tested is not None:
        parts.append(f"of the test examples it got {_share(tested)} right")
    parts += _compared(run, summary, bound)
    if bound is None:
        parts += _kept(run)
    said = "; ".join(parts) + "."
    return f"{leading[:1].upper()}{leading[1:]}. {said}" if leading else said


def _played(run: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """What was played, and what it cost."""
    rounds, mean = summary.get("rounds"), _real(summary.get("mean_loss"))
    who = str(run.get("learner") or run.get("name") or "The learner")
    count = "1 round" if rounds == 1 else f"{in_words(rounds)} rounds"
    right = _real(summary.get("accuracy"))
    if right is not None:
        said = f"{who} was right in {_share(right)} of {count}"
        if summary.get("loss_name") in (None, MISTAKES):
            return said
        return f"{said}, and lost {in_words(mean)} a round ({summary['loss_name']})"
    if mean is None:
        return f"{who} played {count}"
    return f"{who} lost {in_words(mean)} a round over {count}"


def _compared(run: Mapping[str, Any], summary: Mapping[str, Any], bound: float | None) -> list[str]:
    """What the comparator lost, and the regret with what a theorem says of it."""
    parts = []
    against, total = summary.get("comparator"), _real(summary.get("comparator_loss"))
    each = next(
        (v for k in ("importance", "answered", "rounds") if (v := _real(summary.get(k)))), 0.0
    )
    if against and total is not None and each:
        what = "made" if summary.get("loss_name") == MISTAKES else "lost"
        lost = f"{in_words(total)} mistakes" if what == "made" else in_words(total / each)
        parts.append(f"the {_after_the(against)} {what} {lost}")
    regret, saying = _real(summary.get("regret")), VERDICTS.get(str(summary.get("verdict")))
    if regret is None:
        return parts
    if saying is None or (bound is None and "{bound}" in saying):
        return [*parts, f"the regret is {in_words(regret)}"]
    theorem = _theorem(run, bound)
    said = saying.format(regret=in_words(regret), bound=in_words(bound), theorem=theorem)
    return [*parts, f"the regret of {said}"]


def _kept(run: Mapping[str, Any]) -> list[str]:
    """The sentence about a theorem that was kept and is not about the regret."""
    for row in run.get("certificate") or ():
        what, least, most = row.get("measures"), _real(row.get("measured")), _real(row.get("bound"))
        if row.get("verdict") == "kept" and what and least is not None and most is not None:
            return [
                f"{what}: {in_words(least)} of the {in_words(most)} that {row.get('id')} allows, kept"
            ]
    return []


def _share(part: float) -> str:
    return f"{100.0 * part:.2f}%"


def _theorem(run: Mapping[str, Any], bound: float | None) -> str:
    """Name the theorem whose bound the headline quotes."""
    theorem_id = (run.get("summary") or {}).get("theorem")
    if theorem_id:
        return f"theorem {theorem_id}"
    for row in run.get("certificate") or ():
        value = _real(row.get("bound"))
        if value is not None and bound is not None and math.isclose(value, bound, rel_tol=1e-6):
            return f"theorem {row.get('id')}"
    return "the theorem"


def _after_the(name: object) -> str:
    short = re.sub(r"^the ", "", str(name), flags=re.IGNORECASE)
    return re.sub(r", (penalty [^ ]+)$", r" (\1)", short)


def in_words(value: object) -> str:
    """Write a number as the page does: separators, four digits, a true minus sign."""
    number = _real(value)
    if number is None:
        return "an unknown number of" if value is None else str(value)
    size = abs(number)
    if size >= 1e15 or 0 < size < 1e-4:
        text = f"{number:.2e}"
    elif size >= 1000:
        text = f"{math.copysign(math.floor(size + 0.5), number):,.0f}"  # halves up, as there
    else:
        text = f"{float(f'{number:.4g}'):.7f}".rstrip("0").rstrip(".")
    return text.replace("-", "\u2212")


# ---- the payload, made small and safe


def _run(run: Mapping[str, Any]) -> dict[str, Any]:
    """Round one run's numbers, and send each curve as its distance from the learner's."""
    out: dict[str, Any] = _plain({k: v for k, v in run.items() if k not in CURVES}, EXACT)
    out["headline"] = (run.get("words") or {}).get("headline") or headline(run)
    out["summary"] = out.get("summary") or {}
    out["t"] = _plain(_listed(run.get("t")), EXACT)
    out["dates"] = run.get("dates")
    out["cumulative"] = _cumulative(run.get("cumulative") or ())
    out["regret"] = _plain(run.get("regret") or [], CURVE)
    out["seeds"] = _plain(run.get("seeds"), CURVE)
    out["mistakes"] = _plain(_listed(run.get("mistakes")), EXACT) or None
    out["accuracy"] = _plain(run.get("accuracy"), CURVE)
    out["charts"] = [_chart(chart) for chart in run.get("charts") or ()]
    out["weights"] = run.get("weights") and _weights(run["weights"])
    return out


def _weights(weights: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of experts, round by round, with few digits."""
    return {
        "names": [str(name) for name in weights["names"]],
        "values": [[_fixed(w) for w in _listed(row)] for row in weights["values"]],
        "t": _listed(weights.get("t")) or None,  # None: those of the other curves
        "dates": weights.get("dates"),
        "over": weights.get("over") or 1,
    }


def _cumulative(series: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The curves of losses: the learner's, and the others as their distance from it."""
    base = next((_listed(s["values"]) for s in series if s.get("kind") == "learner"), None)
    found = []
    for s in series:
        row, values = {"name": str(s["name"]), "kind": s.get("kind")}, _listed(s["values"])
        if base is None or s.get("kind") == "learner":
            row["values"] = _plain(values, EXACT)
        else:  # a difference of two rounded totals would be a staircase
            row["over"] = _plain(
                [
                    None if (a := _real(v)) is None or (b := _real(w)) is None else a - b
                    for v, w in zip(values, base, strict=True)
                ],
                CURVE,
            )
        found.append(row)
    return found


CURVES = frozenset(
    {"t", "dates", "cumulative", "regret", "seeds", "weights", "mistakes", "accuracy", "charts"}
)


def _chart(chart: Mapping[str, Any]) -> dict[str, Any]:
    """Round the numbers of a chart that a section brings along; when its rounds were is not rounded."""
    lines = [line | {"values": _plain(_listed(line["values"]), CURVE)} for line in chart["lines"]]
    return {**chart, "lines": lines}


def _thin(run: dict[str, Any]) -> dict[str, Any]:
    """Keep every second round of every curve, and the last."""

    def half(values: Any) -> Any:
        return values and values[::2] + ([] if len(values) % 2 else values[-1:])

    weights = run["weights"]
    return run | {
        "t": half(run["t"]),
        "dates": half(run["dates"]),
        "cumulative": [
            s | {k: half(s[k]) for k in ("values", "over") if k in s} for s in run["cumulative"]
        ],
        "regret": [
            r | {"values": half(r["values"]), "bound": half(r.get("bound"))} for r in run["regret"]
        ],
        "mistakes": half(run["mistakes"]),
        "charts": [
            c
            | {"t": half(c["t"]), "dates": half(c.get("dates"))}
            | {"lines": [s | {"values": half(s["values"])} for s in c["lines"]]}
            for c in run["charts"]
        ],
        "seeds": run["seeds"]
        and run["seeds"]
        | {"lines": [s | {"values": half(s["values"])} for s in run["seeds"]["lines"]]},
        "weights": weights
        and weights
        | {"values": [half(row) for row in weights["values"]]}
        | {key: half(weights[key]) for key in ("t", "dates")},
    }


def _plain(value: Any, digits: int) -> Any:
    """Turn numbers, arrays and containers into what JSON has; NaN and infinity into null."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item, digits) for key, item in value.items()}
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _short(float(f"{value:.{digits}g}"))
    if hasattr(value, "tolist"):  # NumPy, without importing it
        return _plain(value.tolist(), digits)
    if isinstance(value, Sequence):
        return [_plain(item, digits) for item in value]
    return str(value)


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _real(value: object) -> float | None:
    """Return a finite number, or None for everything else."""
    if isinstance(value, bool | str) or value is None:
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _fixed(weight: object) -> float | int | None:
    number = _real(weight)
    return None if number is None else _short(round(number, 4))


def _short(number: float) -> float | int | None:
    """A number as short JSON: 12.0 becomes 12, and NaN becomes null."""
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


# ---- the page around it


def _fill(payload: Mapping[str, Any], runs: list[dict[str, Any]]) -> str:
    folder = files("littlestone.report")

    def part(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8").strip()

    # '<' cannot occur in the JSON, so no name in it can end the script element.
    data = json.dumps({"runs": runs}, separators=(",", ":"), allow_nan=False)
    parts = {
        name: html.escape(str(payload.get(name) or ""))
        .encode("ascii", "xmlcharrefreplace")
        .decode("ascii")  # half a surrogate pair included
        for name in ("title", "subtitle", "version", "created")
    } | {
        "data": data.replace("<", "\\u003c"),
        "page_css": part("page.css"),
        "chart_js": part("chart.js"),
        "network_js": part("network.js") if any(run.get("network") for run in runs) else "",
        "calibration_js": part("calibration.js")
        if any(run.get("calibration") for run in runs)
        else "",
        "page_js": part("page.js"),
        "uplot_css": part("vendor/uPlot.min.css"),
        "uplot_js": part("vendor/uPlot.iife.min.js"),
        "uplot_licence": part("vendor/uPlot.LICENSE"),
    }
    # One pass: text that was filled in is not searched for places to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], part("template.html"))
