"""Weakest links: W15-W17, scikit-learn's own path, every pruning of small trees, lambda by cross-validation."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.supervised.pruned_tree import means

X15 = np.array([[1.0, 1], [1, 2], [1, 3], [2, 2], [2, 3]])
Y15 = np.array([9.0, -4, 2, 4, 2])


def test_w15_w16_the_tree_and_its_path():
    tree = DecisionTreeRegressor(random_state=0).fit(X15, Y15)
    assert tree.tree_.impurity[0] * 5 == pytest.approx(87.2)
    path = ls.pruning_path(tree)
    np.testing.assert_allclose(path.lambdas, [0, 2, 17, 51.2], atol=1e-12)
    assert path.leaves.tolist() == [5, 4, 2, 1]
    np.testing.assert_allclose(path.costs, [0, 2, 36, 87.2], atol=1e-12)
    assert [path.index(v) for v in (0, 1.99, 2, 16.9, 17, 51.1, 51.2, 1e9)] == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]
    assert path.prune(0).rules() == [
        "x[1] <= 1.5: 9",
        "x[0] <= 1.5 and 1.5 < x[1] <= 2.5: -4",
        "x[0] <= 1.5 and 2.5 < x[1]: 2",
        "1.5 < x[0] and 1.5 < x[1] <= 2.5: 4",
        "1.5 < x[0] and 2.5 < x[1]: 2",
    ]
    assert path.prune(3).predict(X15).tolist() == [9, -4, 2, 3, 3]
    assert path.prune(60).rules(["a", "b"]) == ["always: 2.6"]
    assert path.certificate.verdict == "kept"


def test_w17_impurities():
    """Errors cannot tell the two splits apart, Gini and entropy can."""
    rows = [
        ((0, 1), 0, 150),
        ((0, 0), 0, 150),
        ((1, 1), 0, 50),
        ((1, 0), 0, 50),
        ((0, 0), 1, 100),
        ((1, 0), 1, 300),
    ]
    X = np.repeat([r[0] for r in rows], [r[2] for r in rows], axis=0)
    y = np.repeat([r[1] for r in rows], [r[2] for r in rows])
    sums = {"gini": 266.6667, "entropy": 550.9775}
    for criterion, total in sums.items():
        tree = DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(X, y)
        assert tree.tree_.feature[0] == 1
        assert ls.pruning_path(tree).costs[0] == pytest.approx(total, abs=1e-4)
        path = ls.pruning_path(tree, cost="errors")
        assert path.costs.tolist() == [200, 400]
        assert path.lambdas.tolist() == [0, 200]


@pytest.mark.parametrize("kind", ["regression", "gini", "entropy"])
def test_equal_to_scikit_learns_path(kind):
    if kind == "regression":
        X, y = load_diabetes(return_X_y=True)
        tree = DecisionTreeRegressor(min_samples_split=6, random_state=0)
    else:
        X, y = load_breast_cancer(return_X_y=True)
        tree = DecisionTreeClassifier(criterion=kind, random_state=0)
    tree.fit(X, y)
    theirs = tree.cost_complexity_pruning_path(X, y)
    path = ls.pruning_path(tree)
    scale = len(y) * theirs.impurities[-1]
    for lam, cost in zip(path.lambdas, path.costs, strict=True):
        k = np.flatnonzero(theirs.ccp_alphas * len(y) <= lam + 1e-12 * scale).max()
        assert theirs.ccp_alphas[k] * len(y) == pytest.approx(lam, abs=1e-12 * scale)
        assert theirs.impurities[k] * len(y) == pytest.approx(cost, abs=1e-12 * scale)
    assert len(path) > 10
    lam = float(means(path.lambdas)[len(path) // 2])
    pruned = type(tree)(**{**tree.get_params(), "ccp_alpha": lam / len(y)}).fit(X, y)
    np.testing.assert_allclose(path.prune(lam).predict(X), pruned.predict(X))
    assert path.certificate.verdict == "kept"


def prunings(t, node=0):
    """Every pruning below a node, as a tuple of leaves."""
    yield (node,)
    if t.children_left[node] != -1:
        for a in prunings(t, t.children_left[node]):
            for b in prunings(t, t.children_right[node]):
                yield a + b


@pytest.mark.parametrize("cost", ["errors", "impurity"])
def test_every_pruning_of_small_trees(cost):
    """T4.3: the path has the least cost for every lambda, and the smallest tree that has it."""
    rng = np.random.default_rng(0)
    for _ in range(25):
        X, y = rng.integers(0, 5, (14, 2)), rng.integers(0, 3, 14)
        tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(X, y)
        path = ls.pruning_path(tree, cost)
        R = path.node_costs
        every = [(sum(R[v] for v in leaves), len(leaves)) for leaves in prunings(tree.tree_)]
        for lam in np.concatenate([path.lambdas, means(path.lambdas), path.lambdas[1:] * 0.99]):
            k = path.index(lam)
            least = min(c + lam * n for c, n in every)
            assert path.costs[k] + lam * path.leaves[k] == pytest.approx(least, abs=1e-9)
            assert path.leaves[k] == min(n for c, n in every if c + lam * n <= least + 1e-9)
            assert path.optimum(lam) == pytest.approx(least, abs=1e-9)
            assert len(path.prune(lam).leaves) == path.leaves[k]
        assert path.certificate.verdict == "kept"


def test_a_wrong_path_is_seen():
    tree = DecisionTreeRegressor(random_state=0).fit(X15, Y15)
    path = ls.pruning_path(tree)
    path.costs[1] += 0.5
    assert path.certificate.verdict == "broken"


def test_splits_without_a_gain_collapse_at_zero():
    """E33: the smallest tree at lambda = 0 is smaller than the grown one."""
    tree = DecisionTreeRegressor(random_state=0).fit([[0], [0], [1], [1]], [1.0, 3, 1, 3])
    assert tree.get_n_leaves() == 2
    assert ls.pruning_path(tree).leaves.tolist() == [1]


def test_x10_lambda_by_cross_validation():
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(min_samples_split=6, random_state=0)
    table = {0: 6103, 4137: 5929, 13409: 5233, 23045: 4584, 37361: 4136, 122516: 4036, 764133: 5519}
    found = ls.prune(tree, X, y, cv=KFold(5), lambdas=list(table))
    np.testing.assert_allclose(found.errors, list(table.values()), atol=1.0)
    assert found.best == 122516
    assert len(found.model.leaves) == found.path.leaves[found.path.index(122516)]


def test_errors_and_geometric_means():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = np.where((X[:, 0] > 0) ^ (rng.random(120) < 0.15), "in", "out")
    found = ls.prune(DecisionTreeClassifier(random_state=0), X, y, cost="errors", cv=4)
    np.testing.assert_allclose(
        found.lambdas[:-1] ** 2, found.path.lambdas[:-1] * found.path.lambdas[1:]
    )
    assert len(found.model.leaves) == 2
    wrong = found.path.costs[found.path.index(found.best)]
    assert np.sum(found.model.predict(X) != y) == wrong
    assert str(found).startswith(f"lambda {found.best:.6g}: 2 leaves")


def test_bad_input():
    tree = DecisionTreeRegressor(random_state=0).fit(X15, Y15)
    with pytest.raises(BadInput, match="cost must be one of impurity, errors, not 'gini'"):
        ls.pruning_path(tree, cost="gini")
    with pytest.raises(BadInput, match="a regression tree has none"):
        ls.pruning_path(tree, cost="errors")
    for model in (Ridge(), DecisionTreeClassifier()):
        with pytest.raises(BadInput, match="takes a fitted DecisionTreeClassifier"):
            ls.pruning_path(model)
    with pytest.raises(BadInput, match="one output, not 2"):
        ls.pruning_path(DecisionTreeRegressor().fit(X15, np.column_stack([Y15, Y15])))
    with pytest.raises(BadInput, match="lambda must be a number of at least 0"):
        ls.pruning_path(tree).prune(-1)
    with pytest.raises(BadInput, match="lambdas must be numbers of at least 0"):
        ls.prune(DecisionTreeRegressor(), X15, Y15, cv=2, lambdas=[-1])
    with pytest.raises(BadInput, match="row 1, column 2 is NaN"):
        ls.prune(DecisionTreeRegressor(), [[1, np.nan], [2, 3]], [1.0, 2.0], cv=2)
