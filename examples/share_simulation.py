"""The share simulation: when the best expert changes, a learner that shares weight beats one that does not.

    python examples/share_simulation.py --seeds 20 --out share.png

800 rounds, 64 experts, 3 shifts. The outcome is always 0; an ordinary expert has a mean square loss of 1/12, the best
one of each segment 1/120. It prints mean losses over seeds next to those of an independent computation, and draws
the first seed.

The notes draw this picture with the weighted average and quote the constants (c, eta) = (1/2, 2). That pair belongs to
Vovk's prediction (`substitution=True`); the weighted average of the square loss has (2, 1/2), learns four times as
slowly, and then sharing gains little: run it and see. (Ledger: X-SIM, E-SIM.)
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from littlestone_lectures.experiments.online import (
    COMPARATOR,
    SINGLE,
    share_learners,
    share_losses,
)

import littlestone as ls

SHIFTS = 3
LEARNERS = share_learners() | {"Tracker, no parameters": ls.Tracker()}
LEDGER = {  # mean losses over 20 seeds
    COMPARATOR: 6.66,
    SINGLE: 50.0,
    "static, Vovk's prediction": 51.2,
    "fixed share, Vovk's prediction": 21.9,
    "variable share, Vovk's prediction": 20.7,
    "static, weighted average": 48.7,
    "fixed share, weighted average": 43.3,
    "variable share, weighted average": 41.0,
}


def table(runs: Sequence[dict[str, np.ndarray]]) -> str:
    """Mean losses over the seeds: before the first shift, after it, in all; and the ledger's figures."""
    lines = [
        f"mean loss over {len(runs)} seeds",
        f"{'':34} {'first segment':>13} {'then':>7} {'total':>7} {'+-':>5} {'ledger':>7}",
    ]
    for name in runs[0]:
        every = np.array([run[name] for run in runs])
        first = every.shape[1] // (SHIFTS + 1)
        totals = every.sum(axis=1)
        error = totals.std(ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.nan
        head, tail = every[:, :first].sum(axis=1).mean(), every[:, first:].sum(axis=1).mean()
        there = f"{LEDGER[name]:7.1f}" if name in LEDGER else f"{'-':>7}"
        lines.append(
            f"{name:34} {head:13.1f} {tail:7.1f} {totals.mean():7.1f} {error:5.2f} {there}"
        )
    return "\n".join(lines)


def draw(losses: dict[str, np.ndarray], path: Path) -> None:
    """Cumulative losses of one seed, the shifts marked."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True, layout="constrained")
    kinds = {"Vovk's prediction": axes[0], "weighted average": axes[1]}
    colours = {"static": "tab:red", "fixed share": "tab:blue", "variable share": "tab:green"}
    for kind, ax in kinds.items():
        rate = "eta = 2" if ax is axes[0] else "eta = 1/2"
        ax.set_title(f"{kind}, {rate}")
        ax.set_xlabel("round")
        for name, each in losses.items():
            total = np.cumsum(each)
            if name.endswith(kind):
                label = name.removesuffix(f", {kind}")
                ax.plot(total, color=colours[label], label=label)
            elif name not in LEARNERS:
                style = ":" if name == COMPARATOR else "--"
                ax.plot(total, color="0.4", linestyle=style, label=name)
            elif name.startswith("Tracker"):
                ax.plot(total, color="tab:purple", label=name)
        segment = len(total) // (SHIFTS + 1)
        for k in range(1, SHIFTS + 1):
            ax.axvline(k * segment, color="0.85", zorder=0)
        ax.legend(loc="upper left", fontsize="small", frameon=False)
    axes[0].set_ylabel("total square loss")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="Share against static when the best expert shifts."
    )
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to average over")
    parser.add_argument("--out", type=Path, default=Path("share.png"), help="where to draw")
    options = parser.parse_args(arguments)
    seeds = range(max(1, options.seeds))
    runs = [share_losses(LEARNERS, shifts=SHIFTS, seed=seed, certify=True) for seed in seeds]
    print(table(runs))
    draw(runs[0], options.out)
    print(f"\ncumulative losses of the first seed: {options.out}")


if __name__ == "__main__":
    main()
