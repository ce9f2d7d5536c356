"""Classifiers that fill in labels: scikit-learn's conventions, known answers, bad input, X18 and X26 in small."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons

import littlestone as ls
from littlestone.graphs.algorithms.graph import from_edges
from littlestone.graphs.algorithms.laplacian import cut_size
from littlestone.graphs.algorithms.zoo import barbell, cliques, path

MODELS = (
    ls.HarmonicClassifier(),
    ls.SoftHarmonic(penalty=0.1),
    ls.MinCutClassifier(),
    ls.PLaplacian(p=1.5),
    ls.EigenfunctionClassifier(functions=4),
)


def blobs(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(n, 2)), rng.normal(size=(n, 2)) + 7.0])
    y = np.full(2 * n, -1)
    y[[0, 1, n, n + 1]] = [3, 3, 7, 7]
    return X, y, np.repeat([3, 7], n)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_conventions(model):
    X, y, wanted = blobs()
    model = clone(model)
    assert model.get_params() == clone(model).get_params()
    assert model.fit(X, y) is model
    assert (model.transduction_ == wanted).all()
    assert model.classes_.tolist() == [3, 7]
    assert model.label_distributions_.sum(axis=1) == pytest.approx(np.ones(120))
    assert model.predict([[0.0, 0.0], [7.0, 7.0]]).tolist() == [3, 7]
    assert model.predict_proba(X[:4]).shape == (4, 2)
    assert model.score(X, wanted) > 0.98
    for bad, message in [
        (np.full(120, -1), "no label"),
        ([0, 1], "one label a (vertex|point), 120"),
        (np.where(y == 3, np.nan, y), "row 0 is .*nan.*, which is no label; write -1"),
    ]:
        with pytest.raises(ls.BadInput, match=message):
            clone(model).fit(X, bad)


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_names_as_labels(model):  # a list of names and -1 is an array of text, -1 included
    X, y, wanted = blobs()
    names = ["no" if v == 3 else "yes" if v == 7 else -1 for v in y.tolist()]
    model = clone(model).fit(X, names)
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.transduction_ == np.where(wanted == 3, "no", "yes")).all()


@pytest.mark.parametrize("model", MODELS[:4], ids=lambda m: type(m).__name__)
def test_graphs_and_parts_without_labels(model):
    g = from_edges([(0, 1), (1, 2), (3, 4)], 6)
    model = clone(model).fit(g, [0, -1, 1, -1, -1, -1])
    assert model.label_distributions_[3:] == pytest.approx(np.full((3, 2), 0.5))
    assert model.predict([0, 2]).tolist() == [0, 1]
    with pytest.raises(ls.BadInput, match="is not the number of a vertex, from 0 to 5"):
        model.predict([6])


def test_new_points_are_weighed_as_edges_are():
    X = np.array([[0.0], [1.0], [4.0]])
    near = ls.HarmonicClassifier(k=2, weight="gaussian").fit(X, [0, 0, 1]).predict_proba([[2.9]])
    alike = ls.HarmonicClassifier(k=2).fit(X, [0, 0, 1]).predict_proba([[2.9]])
    assert alike.tolist() == [[0.5, 0.5]]
    assert near[0, 1] == pytest.approx(1 / (1 + np.exp(1.1**2 - 1.9**2)))


def test_soft_labels_may_be_given_up():
    y = [0, 1, 0, 0, -1]
    g = from_edges([(i, j, 5.0) for i in range(4) for j in range(i)] + [(3, 4)], 5)
    assert ls.SoftHarmonic(penalty=1.0, normalise=None).fit(g, y).transduction_.tolist() == [0] * 5
    assert ls.HarmonicClassifier(normalise=None).fit(g, y).transduction_[1] == 1
    with pytest.raises(ls.BadInput, match="penalty must be a number above 0"):
        ls.SoftHarmonic(penalty=0.0).fit(g, y)


def test_all_minimum_cuts():  # W35
    y = [0, -1, -1, -1, 1]
    found = {
        side: ls.MinCutClassifier(side=side).fit(path(5), y).transduction_.tolist()
        for side in ("smallest", "largest", "between")
    }
    assert found == {
        "smallest": [0, 0, 0, 0, 1],
        "largest": [0, 1, 1, 1, 1],
        "between": [0, 0, 0, 1, 1],
    }
    with pytest.raises(ls.BadInput, match="two classes apart; here are 3"):
        ls.MinCutClassifier().fit(path(5), [0, 1, 2, -1, -1])
    with pytest.raises(ls.BadInput, match='side must be "smallest"'):
        ls.MinCutClassifier(side="both").fit(path(5), y)


def test_p_laplacian_of_several_classes():
    model = ls.PLaplacian(p=3.0).fit(path(5), [0, -1, 1, -1, 2])
    assert model.transduction_.tolist()[::2] == [0, 1, 2]
    assert model.label_distributions_.sum(axis=1) == pytest.approx(np.ones(5))
    with pytest.raises(ls.BadInput, match="p must be"):
        ls.PLaplacian(p=1.0).fit(path(5), [0, -1, -1, -1, 1])


@pytest.mark.parametrize("rounding", ["sign", "gap", "sweep"])
def test_spectral_clusters(rounding):
    model = ls.SpectralClusters(rounding=rounding).fit(barbell(6))
    assert model.labels_.tolist() == [0] * 6 + [1] * 6
    assert model.ratio_cut_ == pytest.approx(1 / 3)
    assert model.eigenvalue_ <= model.ratio_cut_
    assert (
        ls.SpectralClusters(rounding=rounding, normalised=True).fit(barbell(6)).labels_.sum() == 6
    )


@pytest.mark.parametrize("normalised", [False, True])
def test_spectral_clusters_of_more_than_two(normalised):  # A6.13
    g = cliques(4, 6, cut=8, seed=1)
    model = ls.SpectralClusters(4, normalised=normalised).fit(g)
    assert model.labels_.tolist() == np.repeat(range(4), 6).tolist()
    W = np.zeros((g.n, g.n))
    a, b, w = g.pairs()
    W[a, b] = W[b, a] = w
    inside = [np.arange(g.n) // 6 == c for c in range(4)]
    mass = g.degree if normalised else np.ones(g.n)
    wanted = sum(W[np.ix_(s, ~s)].sum() / mass[s].sum() for s in inside)
    assert model.ratio_cut_ == pytest.approx(wanted)


@pytest.mark.parametrize("clusters", [1, 2.5, True, "3"])
def test_a_number_of_clusters_that_is_none_is_refused(clusters):
    with pytest.raises(ls.BadInput, match="clusters must be a whole number of at least 2"):
        ls.SpectralClusters(clusters).fit(barbell(4))


def test_more_clusters_than_vertices_are_refused():
    with pytest.raises(ls.BadInput, match="at most the number of vertices, 8, not 9"):
        ls.SpectralClusters(9).fit(barbell(4))


def test_two_moons():  # X19: with 8 neighbours they fall apart, which is said
    X, t = make_moons(300, noise=0.05, random_state=0)
    with pytest.raises(ls.BadInput, match="connected parts, of 150, 150 vertices"):
        ls.SpectralClusters(neighbours=8).fit(X)
    X, t = make_moons(300, noise=0.08, random_state=0)
    g = ls.graph(X, "knn", k=8, ensure_connected=True)
    found = ls.SpectralClusters().fit(g)
    assert max((found.labels_ == t).mean(), (found.labels_ != t).mean()) > 0.95
    with pytest.raises(ls.BadInput, match="rounding must be one of sign, gap, sweep"):
        ls.SpectralClusters(rounding="best").fit(g)


def test_digits():  # X18
    digits = load_digits()
    keep = np.isin(digits.target, [3, 8])
    X, t = digits.data[keep], (digits.target[keep] == 8).astype(int)
    g = ls.graph(X, "knn", k=3)
    assert (g.n, g.components[0], cut_size(g, t)) == (357, 1, 6.0)
    errors = {"harmonic": [], "cut": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y = np.full(357, -1)
        for c in (0, 1):
            y[rng.choice(np.flatnonzero(t == c), 4, replace=False)] = c
        errors["harmonic"].append((ls.HarmonicClassifier().fit(g, y).transduction_ != t).mean())
        errors["cut"].append((ls.MinCutClassifier().fit(g, y).transduction_ != t).mean())
    assert np.mean(errors["harmonic"]) == pytest.approx(0.009, abs=0.004)
    assert np.mean(errors["cut"]) == pytest.approx(0.006, abs=0.004)
    sign = ls.SpectralClusters(rounding="sign").fit(g).labels_
    assert min((sign == t).mean(), (sign != t).mean()) == pytest.approx(0.011, abs=0.001)


def test_eigenfunctions_are_cosines():  # X26a
    U = np.random.default_rng(0).uniform(size=(20_000, 1))
    y = np.full(20_000, -1)
    y[:2] = [0, 1]
    for width, wanted in ((0.2, [0.9997, 0.995, 0.966]), (0.05, [1.0, 0.9997, 0.996])):
        model = ls.EigenfunctionClassifier(functions=3, width=width, floor=0.1, clip=0.0).fit(U, y)
        V = model.values(U)
        found = [
            abs(np.corrcoef(V[:, k], np.cos((k + 1) * np.pi * U[:, 0]))[0, 1]) for k in range(3)
        ]
        assert found == pytest.approx(wanted, abs=6e-4)


def test_eigenfunctions_of_two_strips():  # X26b
    rng = np.random.default_rng(0)
    t = np.repeat([0, 1], 5000)
    X = np.stack([rng.normal(size=10_000), 2.0 * t - 1.0 + 0.25 * rng.normal(size=10_000)], axis=1)
    y = np.full(10_000, -1)
    y[[0, -1]] = [0, 1]
    model = ls.EigenfunctionClassifier(functions=5, width=0.2).fit(X, y)
    assert (model.transduction_ != t).mean() < 0.005
    for options, message in [
        ({"bins": 1}, "bins must be"),
        ({"clip": 0.7}, "clip is from 0"),
        ({"width": 0}, "width must be"),
    ]:
        with pytest.raises(ls.BadInput, match=message):
            ls.EigenfunctionClassifier(**options).fit(X, y)
