"""Dense or sparse, the same examples make the same model."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import littlestone as ls


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("key", ["p-norm-perceptron", "eg-plus-minus", "winnow-eg", "adagrad"])
def test_what_follows_from_the_number_of_features_is_the_same(key, intercept):
    """Sparse states have room for a power of two of features, 32 here: 2 ln d is of those that there are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20)) * (rng.random((60, 20)) < 0.4)
    y = np.where(X[:, 0] > X[:, 1], 1, -1)
    learner = ls.learner(key, intercept=intercept)
    dense, sparse = (ls.play(learner, Z, y, engine="plain") for Z in (X, csr_array(X)))
    assert dense.parameters == sparse.parameters
    assert dense.scores == pytest.approx(sparse.scores, rel=1e-12)
