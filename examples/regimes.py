"""Regimes that come back: a learner that remembers who was good once pays less for each return.

    python examples/regimes.py --seeds 5 --out regimes.png
    python examples/regimes.py --prices electricity.csv --out regimes-prices.png

Simulated: 20,000 rounds, 1,000 experts of which 5 take turns, 100 switches; an ordinary expert loses 1/2 a round, the
one in charge 1/4. Then 50 tasks that share the same 5 experts. Real: half-hourly electricity prices of New South
Wales (the column `nswprice` of the Elec2 data), where expert j forecasts the price of j half-hours ago, j = 48 to 336:
the price of a while ago, one day to one week. Losses are absolute errors.

It prints mean regrets over seeds and draws the first one.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import littlestone as ls

T, N, MODES, SWITCHES = 20_000, 1000, 5, 100
TASKS, FEWER = 50, 50  # tasks, and switches in all of them
RATE = 3.0  # one rate for all, beside the one of each theorem
QUIET: dict[str, Any] = {"certify": False}
COLOURS = {
    "hedge": "tab:red",
    "fixed share": "tab:blue",
    "mixing past posteriors": "tab:green",
    "multitask": "tab:purple",
}


def regimes(
    rounds: int, n: int, modes: int, switches: int, tasks: int, seed: int
) -> tuple[Any, Any, Any]:
    """Losses, the task of each round, and the expert in charge; every task switches among the same few experts."""
    rng = np.random.default_rng(seed)
    task = np.concatenate([np.arange(tasks), rng.integers(0, tasks, rounds - tasks)])
    few = rng.choice(n, modes, replace=False)
    change = set((tasks + rng.choice(rounds - tasks, switches, replace=False)).tolist())
    now, charge = rng.integers(0, modes, tasks), np.zeros(rounds, int)
    for t, i in enumerate(task.tolist()):
        if t in change:
            now[i] = (now[i] + rng.integers(1, modes)) % modes
        charge[t] = few[now[i]]
    losses = rng.random((rounds, n))
    losses[np.arange(rounds), charge] *= 0.5
    return losses, task, charge


def one_task(seed: int, eta: float | None) -> dict[str, Any]:
    """The regret of each round to the experts in charge."""
    losses, _, charge = regimes(T, N, MODES, SWITCHES, 1, seed)
    alpha = SWITCHES / (T - 1)
    learners = {
        "hedge": ls.Hedge(eta=eta),
        "fixed share": ls.FixedShare(eta=eta, alpha=alpha),
        "mixing past posteriors": ls.MixingPastPosteriors(eta=eta, alpha=alpha),
        "multitask": ls.Multitask(eta=eta, modes=MODES, switches=SWITCHES),
    }
    best = losses[np.arange(T), charge]
    return {k: ls.play(v, losses, **QUIET).losses - best for k, v in learners.items()}


def many_tasks(seed: int, eta: float | None) -> dict[str, Any]:
    """The same for many tasks: each on its own, all as one, and together."""
    losses, task, charge = regimes(T, N, MODES, FEWER, TASKS, seed)
    best, each = losses[np.arange(T), charge], FEWER / TASKS

    def apart(make: Callable[[int], Any]) -> Any:
        """A learner for each task."""
        mine = np.empty(T)
        for i in range(TASKS):
            rows = np.flatnonzero(task == i)
            mine[rows] = ls.play(make(len(rows)), losses[rows], **QUIET).losses
        return mine - best

    together = ls.Multitask(eta=eta, modes=MODES, switches=FEWER)
    blind = ls.FixedShare(eta=eta, alpha=FEWER / (T - 1))
    return {
        "hedge, one a task": apart(lambda _: ls.Hedge(eta=eta)),
        "fixed share, one a task": apart(lambda k: ls.FixedShare(eta=eta, alpha=each / (k - 1))),
        "fixed share, tasks unknown": ls.play(blind, losses, **QUIET).losses - best,
        "multitask": ls.play(together, losses, tasks=task, **QUIET).losses - best,
    }


def certified(seed: int) -> str:
    """What the theorems say of multitask over many tasks, on a smaller stream."""
    losses, task, _ = regimes(4000, 100, MODES, 40, 10, seed)
    run = ls.play(ls.Multitask(modes=MODES, switches=40), losses, tasks=task, shifts=40)
    return str(run.certificate)


def prices(path: Path) -> tuple[dict[str, Any], str]:
    """The loss of each half-hour, at one rate and one share rate for all; and a table of several."""
    with path.open(encoding="utf-8", newline="") as file:
        price = np.array([float(row["nswprice"]) for row in csv.DictReader(file)])
    price = price / np.quantile(price, 0.999)
    week, past = 336, np.arange(48, 337)
    now = np.arange(week, len(price))
    losses = np.minimum(np.abs(price[now[:, None] - past] - price[now][:, None]), 1.0)
    lines = [f"{len(now):,} half-hours, {len(past)} experts; total absolute error"]
    lines.append(f"{'eta':>5} {'alpha':>6} " + "".join(f"{name:>24}" for name in COLOURS))
    best = losses.sum(axis=0).min()
    kept: dict[str, Any] = {}
    for eta in (8.0, 30.0, 120.0):
        for alpha in (0.005, 0.02, 0.05):
            learners = (
                ls.Hedge(eta=eta),
                ls.FixedShare(eta=eta, alpha=alpha),
                ls.MixingPastPosteriors(eta=eta, alpha=alpha),
                ls.Multitask(eta=eta, alpha=alpha, modes=8),
            )
            runs = [ls.play(v, losses, interval=(0, 1), **QUIET) for v in learners]
            totals = "".join(f"{run.loss:24.1f}" for run in runs)
            lines.append(f"{eta:5g} {alpha:6g} {totals}")
            if (eta, alpha) == (30.0, 0.02):
                kept = {name: run.losses for name, run in zip(COLOURS, runs, strict=True)}
    lines.append(f"best expert in hindsight: {best:.1f}")
    return kept, "\n".join(lines)


def table(title: str, runs: Sequence[dict[str, Any]]) -> str:
    """Mean regrets over the seeds."""
    lines = [f"{title}: mean regret over {len(runs)} seeds"]
    for name in runs[0]:
        totals = np.array([run[name].sum() for run in runs])
        error = totals.std(ddof=1) / np.sqrt(len(totals)) if len(totals) > 1 else np.nan
        lines.append(f"  {name:28} {totals.mean():8.0f} +- {error:.0f}")
    return "\n".join(lines)


def draw(panels: dict[str, dict[str, Any]], path: Path, what: str) -> None:
    """Totals along the rounds."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    wide = 5.6 * len(panels)
    figure, axes = plt.subplots(1, len(panels), figsize=(wide, 4.3), layout="constrained")
    for ax, (title, lines) in zip(np.atleast_1d(axes), panels.items(), strict=True):
        for name, each in lines.items():
            colour = COLOURS[name.partition(",")[0]]
            style = "--" if name.endswith("unknown") or name.startswith("mixing") else "-"
            ax.plot(np.cumsum(each), style, color=colour, label=name)
        ax.set(title=title, xlabel="round", ylabel=what)
        if what == "regret":  # those who leave the picture go on as they began
            share = next(each for name, each in lines.items() if name.startswith("fixed share"))
            ax.set_ylim(0.0, 2.0 * share.sum())
        ax.spines[["top", "right"]].set_visible(False)
        where = "upper center" if what == "regret" else "upper left"
        ax.legend(loc=where, fontsize="small", framealpha=0.9, edgecolor="none")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Memory against none when regimes come back.")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds to average over")
    parser.add_argument("--prices", type=Path, help="the Elec2 data instead of a simulation")
    parser.add_argument("--out", type=Path, default=Path("regimes.png"), help="where to draw")
    options = parser.parse_args(arguments)
    if options.prices is not None:
        lines, text = prices(options.prices)
        print(text)
        draw({"New South Wales, eta = 30, alpha = 0.02": lines}, options.out, "total loss")
    else:
        seeds = range(max(1, options.seeds))
        panels = {}
        for eta in (None, RATE):
            rate = "the rates of the theorems" if eta is None else f"eta = {eta:g}"
            for title, make in (("one task", one_task), (f"{TASKS} tasks", many_tasks)):
                runs = [make(seed, eta) for seed in seeds]
                print(table(f"{title}, {rate}", runs))
                if eta is not None:
                    panels[f"{title}, {rate}"] = runs[0]
        print(certified(0))
        draw(panels, options.out, "regret")
    print(f"picture: {options.out}")


if __name__ == "__main__":
    main()
