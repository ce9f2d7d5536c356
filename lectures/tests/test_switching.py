"""Switching with memory by brute force: counts of sequences, and Hedge over all of them."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from littlestone_lectures.hedge_over_modes import (
    hedge_over_colourings,
    hedge_over_modes,
    kernel_descent,
    sequences,
)
from littlestone_lectures.switching_counts import (
    colourings,
    crude_mode_sequences,
    mode_nats,
    mode_sequences,
    onto_without_repeats,
)

from littlestone.core.errors import BadInput
from littlestone.hindsight.search.best_modes import switches


def local(choice, tasks):
    """Switches within the tasks, and modes."""
    return switches(choice, tasks), len(set(choice))


@pytest.mark.parametrize(("n", "T"), [(4, 5), (3, 6), (2, 7)])
def test_mode_sequences_are_counted(n, T):  # T-MODES-COUNT
    counts = Counter(local(h, np.zeros(T)) for h in product(range(n), repeat=T))
    for k in range(T):
        for m in range(1, n + 1):
            exact = mode_sequences(n, T, k, m)
            assert exact == counts[k, m] == sum(1 for _ in sequences(n, T, k, m))
            assert exact <= crude_mode_sequences(n, T, k, m)
            if exact:
                assert math.log(exact) <= mode_nats(n, T, k, m)
    assert sum(counts.values()) == n**T
    at_most = sum(1 for _ in sequences(n, T, 2, 2, most=True))
    assert at_most == sum(c for (k, m), c in counts.items() if k <= 2 and m <= 2)
    assert at_most <= colourings(T, 2, n)


def test_figure_of_the_notes():  # X-MODES
    figure = [1, 1, 1, 2, 1, 3, 3, 3, 4, 4, 1]
    assert local(figure, np.zeros(11)) == (5, 4)
    assert (math.comb(8, 4), math.comb(10, 5), onto_without_repeats(5, 4)) == (70, 252, 600)
    assert mode_sequences(8, 11, 5, 4) == 10_584_000
    assert math.log(10_584_000) == pytest.approx(16.175, abs=5e-4)
    assert crude_mode_sequences(8, 11, 5, 4) == 72_253_440
    assert mode_nats(8, 11, 5, 4) == pytest.approx(23.556, abs=5e-4)
    assert (mode_sequences(8, 16, 5, 4), crude_mode_sequences(8, 16, 5, 4)) == (
        126_126_000,
        861_020_160,
    )


def test_hedge_over_all_mode_sequences():  # A-META-MODES
    rng = np.random.default_rng(2)
    for k, m in ((1, 2), (2, 2), (3, 3)):
        costs = rng.integers(0, 2, (6, 3)).astype(float)
        played = hedge_over_modes(costs, k, m)
        N = len(played.sequences)
        assert mode_sequences(3, 6, k, m) == N
        bound = math.sqrt(2 * 6 * math.log(N))
        assert played.loss - played.each.min() <= bound
        assert bound <= math.sqrt(2 * 6 * mode_nats(3, 6, k, m))
        # Hedge, written as its definition
        w, losses = np.full(N, 1 / N), []
        for t in range(6):
            cost = costs[t, played.sequences[:, t]]
            losses.append(w @ cost)
            w = w * np.exp(-played.eta * cost)
            w /= w.sum()
        assert played.losses == pytest.approx(losses, abs=1e-12)
    with pytest.raises(BadInput, match="no sequence of 3 rounds"):
        hedge_over_modes(np.zeros((3, 3)), 0, 2)
    with pytest.raises(BadInput, match="too many"):
        next(sequences(10, 30, 1, 2))


def test_kernel_descent_over_all_colourings():  # T-META-OGD
    rng, worst = np.random.default_rng(3), 0.0
    T, m, k = 7, 2, 2
    for trial in range(6):
        points = rng.normal(size=(T, 2))
        K = np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2))
        K = K + 1e-3 * np.eye(T) if trial % 2 else np.eye(T)
        y = rng.choice([-1.0, 1.0], T)
        colours = np.array([0, 0, 0, 1, 1, 0, 0])
        wanted = np.where(rng.random(T) < 0.2, -y, y)  # h errs now and then
        norms = []
        for i in range(m):
            mine = np.flatnonzero(colours == i)
            z = wanted[mine]
            norms.append(math.sqrt(z @ np.linalg.solve(K[np.ix_(mine, mine)], z)))
        played = hedge_over_colourings(K, y, k, m, norms)
        N, X2 = len(played.sequences), K.diagonal().max()
        assert colourings(T, k, m) >= N
        row = int(np.flatnonzero((played.sequences == colours).all(axis=1))[0])
        wrong = (wanted != y).sum()
        mean = 0.5 * math.sqrt(sum(u * u for u in norms) * X2 * T)
        each = sum(0.5 * u * math.sqrt(X2 * (colours == i).sum()) for i, u in enumerate(norms))
        assert each <= mean + 1e-12  # Cauchy and Schwarz
        assert played.each[row] - wrong <= each + 1e-9
        mixing = math.sqrt(2 * T * (k * math.log((T - 1) / k) + k + (k + 1) * math.log(m)))
        assert math.log(N) <= mixing**2 / (2 * T)
        assert played.loss - wrong <= mean + mixing
        worst = max(worst, (played.each[row] - wrong) / each)
    assert worst > 0.5
    assert kernel_descent(np.eye(3), np.ones(3), 1.0, 1.0).tolist() == [0.5, 0.5, 0.5]
    # gamma = 1/2: the scores are 0, 1/2, 1 and, since a score of 1 still learns, 3/2
    assert kernel_descent(np.ones((4, 4)), np.ones(4), 1.0, 1.0).tolist() == [0.5, 0.25, 0.0, 0.0]
    with pytest.raises(BadInput, match="a norm for each of 2 colours"):
        hedge_over_colourings(np.eye(3), np.ones(3), 1, 2, [1.0])
