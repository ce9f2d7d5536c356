"""What experts give: advice with outcomes, or their losses alone."""

import numpy as np
import pytest

import littlestone as ls
from littlestone.core.errors import BadInput


def test_batches_of_arrays_are_losses_only_where_that_is_said(plain):
    losses = np.random.default_rng(0).random((60, 3))
    with pytest.raises(BadInput, match="say losses=True"):
        ls.play("hedge", (losses[i : i + 20] for i in range(0, 60, 20)))
    run = ls.play("hedge", (losses[i : i + 20] for i in range(0, 60, 20)), losses=True)
    assert run.rounds == 60
