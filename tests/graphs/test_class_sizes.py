"""Labels with given class sizes: against all labellings of a small graph; thresholds; bad priors."""

import itertools

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs

import littlestone as ls
from littlestone.graphs.algorithms.graph import from_edges, matrix
from littlestone.graphs.algorithms.laplacian import cut_size
from littlestone.graphs.algorithms.zoo import barbell, grid, path
from littlestone.graphs.semisupervised import threshold_dynamics
from littlestone.graphs.semisupervised.class_sizes import sized, sizes_left, sizes_of


@pytest.mark.parametrize("seed", range(6))
def test_the_best_labelling_with_these_sizes(seed):
    F = np.random.default_rng(seed).dirichlet(np.ones(3), size=7)
    sizes = np.array([3, 3, 1])
    labels, _ = sized(np.log(F), sizes)
    assert np.bincount(labels, minlength=3).tolist() == sizes.tolist()
    score = [
        np.log(F[np.arange(7), list(c)]).sum()
        for c in itertools.product(range(3), repeat=7)
        if np.bincount(c, minlength=3).tolist() == sizes.tolist()
    ]
    assert np.log(F[np.arange(7), labels]).sum() == pytest.approx(max(score))


def test_sizes():
    assert sizes_of(np.array([0.5, 0.3, 0.2]), 7).tolist() == [4, 2, 1]
    assert sizes_left(np.array([0.5, 0.5]), 4, [0, 0, 0, 1]).tolist() == [1, 3]
    assert sizes_left(np.array([0.1, 0.9]), 2, [0, 0]).tolist() == [
        0,
        2,
    ]  # more labels than it gets
    alike = np.full((9, 3), 1 / 3)  # nothing tells these vertices apart
    assert np.bincount(sized(alike, [2, 3, 4])[0]).tolist() == [2, 3, 4]
    assert sized(np.array([[1.0, 0.0], [1.0, 0.0]]), [0, 2])[0].tolist() == [1, 1]


def test_classes_get_their_sizes():
    y = np.full(40, -1)
    y[0], y[39] = 4, 6
    for model in (ls.HarmonicClassifier(normalise="class-size"), ls.ThresholdDynamics()):
        for share in (0.2, 0.5, 0.7):
            found = clone(model).set_params(priors=[share, 1.0 - share]).fit(path(40), y)
            assert found.transduction_.tolist() == [4] * round(40 * share) + [6] * round(
                40 * (1 - share)
            )
            assert found.label_distributions_.sum(axis=1) == pytest.approx(np.ones(40))
    soft = ls.SoftHarmonic(normalise="class-size", priors={6: 30, 4: 10}).fit(path(40), y)
    assert (soft.transduction_ == 4).sum() == 10


def test_class_masses_as_priors():
    y = [0, -1, -1, -1, 1]
    model = ls.HarmonicClassifier(priors=[0.2, 0.8]).fit(path(5), y)
    F = np.stack([1.0 - np.arange(5) / 4.0, np.arange(5) / 4.0], axis=1) * [0.2, 0.8]
    assert model.label_distributions_ == pytest.approx(F / F.sum(axis=1, keepdims=True))


def test_a_part_without_labels_gets_the_priors():
    g = from_edges([(0, 1), (1, 2), (3, 4)], 5)
    model = ls.HarmonicClassifier(normalise="class-size", priors=[0.4, 0.6])
    model.fit(g, [0, -1, 1, -1, -1])
    assert model.label_distributions_[3].tolist() == [0.4, 0.6]
    assert model.transduction_.tolist() == [0, 1, 1, 1, 1]


def test_thresholds_shorten_the_boundary():
    g = grid(20, 20)
    y = np.full(400, -1)
    y[[0, 399]] = [0, 1]
    before = ls.HarmonicClassifier(normalise="class-size").fit(g, y).transduction_
    model = ls.ThresholdDynamics(priors=[0.5, 0.5]).fit(g, y)
    assert (model.transduction_ == 0).sum() == 200
    assert cut_size(g, model.transduction_) <= cut_size(g, before)
    assert ls.ThresholdDynamics().fit(barbell(5), [0] * 5 + [1] * 5).transduction_.sum() == 5


def test_without_priors_the_harmonic_answer_gives_the_sizes():
    """As many labels of a small class as of a large one made the classes equally large."""
    X, t = make_blobs([300, 60], centers=[[0.0, 0.0], [6.0, 0.0]], random_state=0)
    y = np.full(len(t), -1)
    for c in (0, 1):
        y[np.flatnonzero(t == c)[:5]] = c
    found = ls.ThresholdDynamics().fit(X, y).transduction_
    assert (found != t).mean() < 0.01
    equal = ls.ThresholdDynamics(priors=[0.5, 0.5]).fit(X, y).transduction_
    assert (equal != t).mean() > 0.3


def test_digits_with_sizes():
    X, t = load_digits(return_X_y=True)
    g = ls.graph(X, "knn", k=10, weight="local")
    errors = {"mass": [], "size": [], "threshold": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        y = np.full(len(t), -1)
        for c in range(10):
            y[rng.choice(np.flatnonzero(t == c))] = c
        for name, model in (
            ("mass", ls.HarmonicClassifier()),
            ("size", ls.HarmonicClassifier(normalise="class-size", priors=np.bincount(t))),
            ("threshold", ls.ThresholdDynamics(priors=np.bincount(t))),
        ):
            errors[name].append((model.fit(g, y).transduction_ != t)[y == -1].mean())
    mass, size, threshold = (np.mean(errors[k]) for k in ("mass", "size", "threshold"))
    assert threshold < size < mass


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"priors": [1.0]}, r"one number a class, for \[0, 1\]"),
        ({"priors": [0.5, 0.0]}, "the share of class 1 must be above 0, not 0"),
        ({"priors": {0: 0.5, 2: 0.5}}, r"must name the classes \[0, 1\], and no others: 1"),
        ({"priors": ["a", "b"]}, "one number a class"),
        ({"priors": [0.5, 0.5], "normalise": None}, "priors are not used with normalise=None"),
        ({"normalise": "sizes"}, 'normalise must be "class-mass", "class-size" or None'),
    ],
)
def test_bad_priors(options, message):
    with pytest.raises(ls.BadInput, match=message):
        ls.HarmonicClassifier(**options).fit(path(3), [0, -1, 1])


def test_bad_steps():
    with pytest.raises(ls.BadInput, match="steps must be a whole number, 1 or more, not 0"):
        ls.ThresholdDynamics(steps=0).fit(path(3), [0, -1, 1])


def test_rounds_never_lower_the_agreement(monkeypatch):
    P = np.random.default_rng(0).uniform(size=(150, 2))
    g = ls.graph(P, "knn", k=6, ensure_connected=True)
    y = np.full(150, -1)
    y[[0, 5, 143]] = [0, 1, 2]
    walk = matrix(g).toarray() / g.degree[:, None]
    monkeypatch.setattr(threshold_dynamics, "STILL", 0.0)
    agreement = []
    for rounds in range(1, 7):
        monkeypatch.setattr(threshold_dynamics, "ROUNDS", rounds)
        labels = ls.ThresholdDynamics(steps=6).fit(g, y).transduction_
        one, free = np.eye(3)[labels], np.flatnonzero(y == -1)
        Q, given = walk[np.ix_(free, free)], walk[np.ix_(free, [0, 5, 143])] @ np.eye(3)
        fixed = np.zeros_like(given)
        moves = np.eye(len(free))
        for _ in range(6):
            fixed, moves = 0.5 * (fixed + Q @ fixed + given), 0.5 * (moves + Q @ moves)
        x, d = one[free], g.degree[free, None]
        agreement.append((d * x * (moves @ x + 2.0 * fixed)).sum())
    assert (np.diff(agreement) >= -1e-9).all()
    assert agreement[-1] > agreement[0]
