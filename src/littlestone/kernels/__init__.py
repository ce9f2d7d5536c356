"""Kernels, their algebra and Gram matrices, and the learners whose prediction is a function in the space of one.

>>> from littlestone.kernels import Delta, Gaussian, Linear, gram
>>> gaussian = Gaussian(0.5)
>>> gaussian([0, 0], [1, 1]) + 2 * 3 == (gaussian + 2 * Linear())([0, 0], [1, 1]) + 6
True
>>> gram(Linear() * Linear() + 1.0 * Delta(), [[1.0], [2.0]]).tolist()
[[2.0, 4.0], [4.0, 17.0]]
"""

from ..core.groups import make_group

make_group(__name__)
