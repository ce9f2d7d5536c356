"""Walks on a network, and vertices that average their neighbours: T6.10, T6.11, T6.19, T6.20, X21, E58."""

import numpy as np
import pytest
from littlestone_lectures.consensus import consensus, label_propagation
from littlestone_lectures.random_walks import hitting_probabilities, transition_matrix, walks

import littlestone as ls
from littlestone.graphs.algorithms.graph import from_edges
from littlestone.graphs.algorithms.harmonic import harmonic
from littlestone.graphs.algorithms.p_laplacian import p_energy
from littlestone.graphs.algorithms.resistance import commute_time, hitting_times
from littlestone.graphs.algorithms.zoo import spielman


def random_graph(n, seed):
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(v)), v) for v in range(1, n)}
    edges |= {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n)}
    return from_edges([(*e, float(rng.uniform(0.3, 3))) for e in sorted(edges)], n)


def test_walks():  # T6.19, T6.20, E58
    g = spielman()
    assert transition_matrix(g).sum(axis=1) == pytest.approx(np.ones(5))
    p = hitting_probabilities(g, [0], [2])
    where, _ = walks(g, 1, [0, 2], count=400, seed=3)
    assert (where == 0).mean() == pytest.approx(p[1], abs=0.08)
    there, back = walks(g, 0, [2], 300)[1], walks(g, 2, [0], 300)[1]
    assert there.mean() + back.mean() == pytest.approx(commute_time(g, 0, 2), rel=0.12)
    assert hitting_times(g, 2)[0] == pytest.approx(there.mean(), rel=0.15)
    with pytest.raises(ls.BadInput, match="no walk from vertex 0"):
        walks(from_edges([(0, 1)], 3), 0, [2])


@pytest.mark.parametrize("failing", [0.0, 0.5])
def test_consensus(failing):  # T6.10, T6.11, X21
    g = random_graph(8, 2)
    u = harmonic(g, [0, 7], [1.0, -1.0])
    found = consensus(g, [0, 7], [1.0, -1.0], steps=1500, failing=failing)
    assert found.u == pytest.approx(u, abs=1e-4)
    assert (np.diff(found.energy) <= 1e-12).all()
    assert found.energy[-1] == pytest.approx(p_energy(g, found.u, 2.0))
    swept = label_propagation(g, [0, 7], [1.0, -1.0], tolerance=1e-12)
    assert swept.u == pytest.approx(u, abs=1e-9)
    assert (np.diff(swept.energy) <= 1e-12).all()
    part = from_edges([(0, 1), (2, 3)], 4)  # without a label both update at once: they oscillate
    begun = label_propagation(part, [0], [1.0], sweeps=3)
    assert begun.u[2:].tolist() == [0.0, 0.0]
    with pytest.raises(ls.BadInput, match="failing must be"):
        consensus(g, [0], [1.0], failing=1.0)
