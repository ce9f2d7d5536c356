"""The kernel of common subtrees: values by hand, the definition by enumeration, what it refuses."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from littlestone.core.errors import BadInput
from littlestone.kernels import Subtrees

KINDS = [Subtrees(labels, anywhere) for labels in (True, False) for anywhere in (True, False)]


def random_tree(rng, depth):
    label = str(rng.choice(["a", "b"]))
    if depth == 0 or rng.random() < 0.3:
        return (label,)
    return (label, *(random_tree(rng, depth - 1) for _ in range(rng.integers(1, 4))))


def trees(seed, count, depth=3):
    rng = np.random.default_rng(seed)
    return [random_tree(rng, depth) for _ in range(count)]


def rooted(node, labels):
    """Every subtree at a node with at least one edge: each child is cut to a leaf, or goes on."""
    name = node[0] if labels else "."
    if len(node) == 1:
        return []
    choices = [[(c[0] if labels else ".",), *rooted(c, labels)] for c in node[1:]]
    return [(name, *chosen) for chosen in itertools.product(*choices)]


def features(k, node):
    found = Counter(rooted(node, k.labels))
    if k.anywhere:
        for c in node[1:]:
            found += features(k, c)
    return found


@pytest.mark.parametrize("k", KINDS, ids=str)
def test_the_definition_by_enumeration(k):
    """T-SUBTREES: the recursion is the inner product of the counts of subtrees; no eigenvalue is negative."""
    X = trees(0, 40)
    K = k.gram(X)
    F = [features(k, t) for t in X]
    exact = [[sum(n * b[u] for u, n in a.items()) for b in F] for a in F]
    np.testing.assert_array_equal(K, exact)
    np.testing.assert_array_equal(K[:7], k.gram(X[:7], list(X)))
    assert np.linalg.eigvalsh(K)[0] >= -1e-9 * K.max()
    N = k._replace(normalised=True).gram(X)
    np.testing.assert_allclose(np.diag(N), np.diag(K) > 0, rtol=1e-14)
    assert N.max() <= 1 + 1e-12
    half = k._replace(normalised=True).gram(X[:5], list(X))
    np.testing.assert_allclose(half, N[:5], rtol=1e-13)


def test_values_by_hand():
    she, he = "(S (NP she) (VP runs))", "(S (NP he) (VP runs))"
    # shared: (VP runs), (S NP VP), (S NP (VP runs))
    assert Subtrees()(she, he) == 3.0
    assert Subtrees(anywhere=False)(she, he) == 2.0
    assert Subtrees()(she, she) == 6.0  # NP, VP, and S with either of both children cut or not
    assert Subtrees()(she, ("S", ("NP", "he"), ("VP", "runs"))) == 3.0
    assert Subtrees()("word", "word") == 0.0  # a leaf has no edge
    assert Subtrees().gram([]).shape == (0, 0)


def test_svc_learns_from_trees():
    from sklearn.svm import SVC

    X = trees(1, 60, depth=4)
    y = [int(("a", ("b",)) in features(Subtrees(), t)) for t in X]
    k = Subtrees(normalised=True)
    model = SVC(kernel=k, C=100.0).fit(X, y)
    ready = SVC(kernel="precomputed", C=100.0).fit(k.gram(X), y)
    np.testing.assert_array_equal(model.predict(X), ready.predict(k.gram(X)))
    assert model.score(X, y) >= 0.9


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: Subtrees()("(S a", "b"), "X: tree 1: '\\(S a' leaves a bracket open"),
        (lambda: Subtrees()("a", "(S a))"), "closes a bracket that was not opened"),
        (lambda: Subtrees()("a", "(S a) b"), "must hold one tree, not 2"),
        (lambda: Subtrees()("a", ""), "must hold one tree, not 0"),
        (lambda: Subtrees()("a", "((a) b)"), "a bracket without a label"),
        (lambda: Subtrees()("a", "()"), "a bracket without a label"),
        (lambda: Subtrees()("a", ("S", 3)), "3 is no tree: write a label"),
        (lambda: Subtrees()("a", ()), r"\(\) is no tree"),
        (lambda: Subtrees().gram(["a", 3.5]), "X: tree 2: 3.5 is no tree"),
        (lambda: Subtrees().gram("a"), "X must be a list of trees"),
        (lambda: Subtrees()("a", ["a"]), "two trees, or two lists of them"),
        (lambda: Subtrees(labels=2).gram(["a"]), "labels of the Subtrees kernel must be True or False, not 2"),
    ],
)  # fmt: skip
def test_bad_input(act, message):
    with pytest.raises(BadInput, match=message):
        act()
