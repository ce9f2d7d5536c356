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

import littlestone as ls
from littlestone.environments.shifting import shifting_experts

ALPHA = 0.024  # as in the notes
SHIFTS = 3
LEARNERS = {  # name: the learner, and its mean loss over 20 seeds according to the ledger
    "static, Vovk's prediction": (ls.AggregatingAlgorithm(eta=2.0), 51.2),
    "fixed share, Vovk's prediction": (
        ls.FixedShare(eta=2.0, alpha=ALPHA, substitution=True),
        21.9,
    ),
    "variable share, Vovk's prediction": (
        ls.VariableShare(eta=2.0, alpha=ALPHA, substitution=True),
        20.7,
    ),
    "static, weighted average": (ls.WeightedAverage(eta=0.5), 48.7),
    "fixed share, weighted average": (ls.FixedShare(eta=0.5, alpha=ALPHA), 43.3),
    "variable share, weighted average": (ls.VariableShare(eta=0.5, alpha=ALPHA), 41.0),
    "Tracker, no parameters": (ls.Tracker(), None),
}
COMPARATOR, SINGLE = "best sequence, 3 shifts", "best single expert"


def simulate(seed: int) -> dict[str, np.ndarray]:
    """The loss of each round, of comparators and learners."""
    advice, outcomes, best = shifting_experts(shifts=SHIFTS, seed=seed)
    experts = (advice - outcomes[:, None]) ** 2
    losses = {
        COMPARATOR: experts[np.arange(len(best)), best],
        SINGLE: experts[:, experts.sum(axis=0).argmin()],
    }
    for name, (learner, _) in LEARNERS.items():
        run = ls.play(learner, advice, outcomes, interval=(0, 1), shifts=SHIFTS)
        if run.certificate.verdict != "kept":
            raise SystemExit(f"{name}, seed {seed}: {run.certificate}")
        losses[name] = run.losses
    return losses


def table(runs: Sequence[dict[str, np.ndarray]]) -> str:
    """Mean losses over the seeds: before the first shift, after it, in all; and the ledger's figures."""
    known = {COMPARATOR: 6.66, SINGLE: 50.0} | {name: v for name, (_, v) in LEARNERS.items()}
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
        there = f"{known[name]:7.1f}" if known[name] is not None else f"{'-':>7}"
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
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="Share against static when the best expert shifts."
    )
    parser.add_argument("--seeds", type=int, default=20, help="how many seeds to average over")
    parser.add_argument("--out", type=Path, default=Path("share.png"), help="where to draw")
    options = parser.parse_args(arguments)
    runs = [simulate(seed) for seed in range(max(1, options.seeds))]
    print(table(runs))
    draw(runs[0], options.out)
    print(f"\ncumulative losses of the first seed: {options.out}")


if __name__ == "__main__":
    main()
