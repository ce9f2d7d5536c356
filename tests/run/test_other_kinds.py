"""What a run of one kind says where it is asked for what another kind has."""

import pytest

import littlestone as ls
from littlestone.run.run import NotKept


def test_a_run_over_experts_says_that_it_has_no_linear_predictor(plain):
    run = ls.play("hedge", [[0.0, 1.0], [0.0, 1.0]])
    for name in ("best", "own_best", "data_symbols"):
        with pytest.raises(NotKept, match=r"no examples here.*run\.experts"):
            getattr(run, name)
    with pytest.raises(NotKept, match="no arms"):
        run.pseudo_regret  # noqa: B018


def test_a_run_over_examples_says_that_it_has_no_experts(plain):
    run = ls.play("perceptron", [[0.0, 1.0], [1.0, 0.0]], [1, -1])
    with pytest.raises(NotKept, match="no experts here"):
        run.experts  # noqa: B018
    assert (run.sequences, run.mixture, run.uniform_loss) == (None, None, None)
