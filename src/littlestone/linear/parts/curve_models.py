"""Discounted Bayesian models over Fourier features and over tiles: what online-kernel and its regression share.

Each is online-linear (or its regression) over another row: over cosines and sines of the standardised row at one scale,
of its features one by one, or over the cells that it lies in. Such a row needs no scaler. So a part is what a linear
learner learns, without the statistics of features: a view of the arrays here, made anew each round.

Rahimi & Recht (2007), random features; Stone (1985), additive models; Albus (1975), tile coding.

One part over two cosines and two sines: its row is as long, and no statistics belong to it.

>>> from .feature_scaling import init_scaler
>>> models = init_fourier_models(3, 2, 1, 5, 3, (1,))
>>> linear = init_scaler(3)
>>> scaler = scaler_of_part(models.last_row[0], models.cache, linear)
>>> part_row(scaler).shape, scaler.stats.shape
((4,), (0, 4))
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from ...core.scratch import Buffer, Scratch
from ...core.stream import Array
from ...core.vectors import as_row
from .discounted_bayes import MODELS, MODELS_AND_STACK, init_experts, init_posterior
from .feature_scaling import LAST_ROWS, Scaler, Z
from .fourier_scales import FOURIER_PARTS, draw_frequencies, grow_frequencies
from .tiles import Tiles, init_tiles


class FourierModels(NamedTuple):
    """States of a linear learner over Fourier features, side by side: one a scale, and one feature by feature."""

    W: Array  # features x frequencies
    projections: Buffer  # inner products of the last row with them
    posterior: Array  # parts x classes x (1 + 2 frequencies) x POSTERIOR_COLUMNS
    last_row: Buffer
    experts: Array
    outputs: Buffer  # parts x classes x rows x experts
    gain: Buffer
    cache: Array  # of a scaler that drops nothing: zeros


class TileModel(NamedTuple):
    """The state of a linear learner over tiles, and the table in which its posterior is kept."""

    tiles: Tiles
    # of the cells of the last row, read from the table; the intercept's stays
    posterior: Annotated[Array, Scratch(np.s_[:, 1:])]
    last_row: Buffer
    experts: Array
    outputs: Buffer
    gain: Buffer


def init_fourier_models(
    n: int, F: int, scored: int, parts: int, begun: int, outputs: tuple[int, ...]
) -> FourierModels:
    """Before the first round, F frequencies over n features, of which the first `begun` are looked at one by one.

    `scored` classes have a posterior; `outputs` is the shape of what the experts of a part say.
    """
    return FourierModels(
        W=draw_frequencies(n if parts else 0, F, begun),
        projections=np.zeros(2 * F),
        posterior=np.zeros((parts, scored, *init_posterior(2 * F).shape)),
        last_row=np.zeros((parts, LAST_ROWS, 2 * F)),
        experts=np.stack([init_experts()] * FOURIER_PARTS)[:parts],
        outputs=np.zeros((parts, *outputs, MODELS_AND_STACK)),
        gain=np.zeros((parts, scored, 2 * F, MODELS)),
        cache=np.zeros(4),
    )


def init_tile_model(n: int, m: int, scored: int, begun: int, outputs: tuple[int, ...]) -> TileModel:
    """Before the first round, m grids over n features; they begin over the first of them (0: over all)."""
    return TileModel(
        tiles=init_tiles(n, m, scored, begun),
        posterior=np.zeros((scored, *init_posterior(m).shape)),
        last_row=np.zeros((LAST_ROWS, m)),
        experts=init_experts(),
        outputs=np.zeros((*outputs, MODELS_AND_STACK)),
        gain=np.zeros((scored, m, MODELS)),
    )


def scaler_of_part(last_row: Array, cache: Array, linear: Scaler) -> Scaler:
    """A scaler for the row of a part: it has no statistics, since nothing of the row needs to be scaled."""
    return Scaler(
        stats=linear.stats[:0], new_stats=linear.new_stats[:0], last_row=last_row, cache=cache
    )


def part_row(scaler: Scaler) -> Array:
    """The row of a part, as an example."""
    row: Array = as_row(scaler.last_row[Z])
    return row


def keep_frequencies(old: FourierModels, new: FourierModels, grown: FourierModels) -> FourierModels:
    """What has grown, with the frequencies that were learned with."""
    return grown._replace(W=grow_frequencies(old.W, new.W))


def keep_grids(old: TileModel, grown: TileModel) -> TileModel:
    """What has grown, with the grids where they were: over later features none is laid."""
    return grown._replace(tiles=grown.tiles._replace(grids=old.tiles.grids))
