"""Four numbers side by side: in compiled code the same numbers as in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.core.numeric import decay, decay_one, log_more, log_one
from littlestone.core.vectors import Sparse, size
from littlestone.engine.compile import jit, numba_imports
from littlestone.engine.lanes import (
    columns,
    decays,
    entries,
    features,
    four,
    gather,
    higher,
    lanes,
    largest,
    logs,
    lower,
    pick,
    positive,
    put,
    put_block,
    put_columns,
    put_rows,
    roots,
    rows_of,
    scatter,
    total,
    values,
)
from littlestone.engine.memory import zeros

compiled_only = pytest.mark.skipif(not numba_imports(), reason="nothing is compiled without Numba")


def everything(A, z, out):
    a, b = four(A, 0, 1), four(A, 1, 2)
    put(out, 0, 1, a + b)
    put(out, 1, 1, a - b)
    put(out, 2, 1, a * b)
    put(out, 3, 1, a / b)
    put(out, 4, 1, z - a)
    put(out, 5, 1, a / z)
    put(out, 6, 1, z + 2 * a)
    put(out, 7, 1, pick(a, b, z, a))
    put(out, 8, 1, pick(0.0, a, lanes(1.0, 2.0, 3.0, z), b))
    put(out, 9, 1, lower(a, b))
    put(out, 10, 1, higher(a, z))
    put(out, 11, 1, roots(a * a))


numbers = st.floats(-1e6, 1e6).filter(lambda v: abs(v) > 1e-6)


@compiled_only
@given(st.lists(numbers, min_size=12, max_size=12), numbers)
@settings(max_examples=50, deadline=None)
def test_compiled_lanes_are_plain_ones(values, z):
    A = np.array(values).reshape(2, 6)
    plain, found = np.full((12, 6), 7.0), np.full((12, 6), 7.0)
    everything(A, z, plain)
    jit(everything)(A, z, found)
    assert found == pytest.approx(plain, rel=1e-12, abs=1e-9)
    assert (found[:, 0] == 7.0).all()
    assert (found[:, 5] == 7.0).all()
    assert plain[0, 1:5] == pytest.approx(A[0, 1:5] + A[1, 2:6])
    assert plain[9, 1:5].tolist() == np.minimum(A[0, 1:5], A[1, 2:6]).tolist()
    assert plain[10, 1:5].tolist() == np.maximum(A[0, 1:5], z).tolist()


def turns(A, x, out):
    a, b, c, d = columns(A, 3, 0, 2, 5)
    put_columns(out, 5, 4, 1, 0, a, b, c + 0.0 * d, values(x, 1))
    out[2, 0] = total(a)


@compiled_only
def test_rows_become_columns_and_columns_rows():
    A, x = np.arange(24.0).reshape(6, 4), np.arange(7.0) ** 2
    plain, found = np.zeros((6, 4)), np.zeros((6, 4))
    turns(A, x, plain)
    jit(turns)(A, x, found)
    assert found.tolist() == plain.tolist()
    assert plain[5].tolist() == [12.0, 13.0, 14.0, 1.0]
    assert plain[0].tolist() == [20.0, 21.0, 22.0, 16.0]
    assert plain[2, 0] == 12.0 + 0.0 + 8.0 + 20.0


def moved(A, x, out):
    a, b, c, d = rows_of(A, x, 1, 1)
    put_rows(out, x, 0, 2, d, c, b, a)
    put_block(out, 8, a, b, c, d)


@compiled_only
@pytest.mark.parametrize("kind", [None, np.int32, np.int64])
def test_rows_of_four_features_are_read_and_written(kind):
    A = np.arange(40.0).reshape(10, 4)
    x = np.ones(6) if kind is None else Sparse(np.array([5, 0, 7, 3, 4], kind), np.ones(5))
    at = [1, 2, 3, 4] if kind is None else [0, 7, 3, 4]
    to = [0, 1, 2, 3] if kind is None else [5, 0, 7, 3]
    plain, found = np.zeros((12, 4)), np.zeros((12, 4))
    moved(A, x, plain)
    jit(moved)(A, x, found)
    assert found.tolist() == plain.tolist()
    assert plain[8:].tolist() == A[[i + 1 for i in at]].tolist()
    if kind is None:
        assert plain[[i + 2 for i in to]].tolist() == A[[i + 1 for i in at], ::-1].tolist()


def exponentials(A, out):
    for i in range(A.shape[0]):
        put(out, i, 0, decays(four(A, i, 0)))


@compiled_only
def test_exponentials_are_exact_to_the_last_bits():
    rng = np.random.default_rng(3)
    z = -np.concatenate([rng.exponential(2.0, 4000), rng.uniform(0, 707, 4000), [0.0] * 8])
    out = np.zeros((len(z) // 4, 4))
    jit(exponentials)(z.reshape(-1, 4), out)
    assert out.ravel() == pytest.approx(np.exp(z), rel=1e-14)
    assert (out.ravel()[-8:] == 1.0).all()
    far = np.array([[-708.5, -1e9, -np.inf, -745.0]])
    jit(exponentials)(far, out[:1])
    assert (out[0] == 0.0).all()
    assert (decays(far[0]) == 0.0).all()


def singles(z, out):
    for i in range(z.shape[0]):
        out[0, i] = decay(z[i])
        out[1, i] = decay_one(z[i])
        out[2, i] = log_more(out[1, i])


@compiled_only
def test_exponentials_and_logarithms_of_one_number_are_exact_to_the_last_bits():
    rng = np.random.default_rng(4)
    z = -np.concatenate([[0.0], rng.exponential(2.0, 4000), 10.0 ** rng.uniform(-300, 2.8, 4000)])
    plain, found = np.zeros((3, len(z))), np.zeros((3, len(z)))
    singles(z, plain)
    jit(singles)(z, found)
    assert plain[1] == pytest.approx(np.exp(z), rel=1e-15)
    assert plain[2] == pytest.approx(np.log1p(np.exp(z)), rel=1e-15)
    assert found[:2] == pytest.approx(plain[:2], rel=1e-14, abs=0.0)
    assert found[2] == pytest.approx(plain[2], rel=2e-15, abs=0.0)
    jit(singles)(np.array([-709.0, -1e300, -np.inf]), found[:, :3])
    assert (found[:, :3] == 0.0).all()
    jit(singles)(-z[-z <= 700.0], found)  # `decay_one` is for positive numbers, too
    assert found[1, : (-z <= 700.0).sum()] == pytest.approx(np.exp(-z[-z <= 700.0]), rel=1e-14)


def logarithms(p, out):
    for i in range(p.shape[0]):
        put(out, i, 0, logs(four(p, i, 0)))
        for j in range(4):
            out[i, 4 + j] = log_one(p[i, j])


@compiled_only
def test_logarithms_are_exact_to_the_last_bits():
    rng = np.random.default_rng(5)
    some = [
        rng.random(4000),
        1 - 10.0 ** rng.uniform(-15, 0, 4000),
        10.0 ** rng.uniform(-307, 308, 4000),
    ]
    p = np.concatenate(
        [*some, [1.0, 2.0, 0.5, np.sqrt(0.5)], 1 + 10.0 ** rng.uniform(-15, 3, 4000)]
    )
    plain, found = np.zeros((len(p) // 4, 8)), np.zeros((len(p) // 4, 8))
    logarithms(p.reshape(-1, 4), plain)
    jit(logarithms)(p.reshape(-1, 4), found)
    assert plain[:, :4].ravel() == pytest.approx(np.log(p), rel=1e-15)
    assert found == pytest.approx(plain, rel=1e-15, abs=0.0)


def above(A, out):
    for i in range(A.shape[0]):
        out[i] = 1.0 if positive(four(A, i, 0)) else 0.0


@compiled_only
def test_all_four_are_above_zero_or_not():
    A = np.array([[1.0, 2.0, 1e-300, 4.0], [1.0, 0.0, 1.0, 1.0], [-0.0, 1.0, 1.0, 1.0]])
    A = np.vstack([A, [1.0, 1.0, 1.0, -5.0], [np.nan, 1.0, 1.0, 1.0], [np.inf] * 4])
    plain, found = np.zeros(6), np.zeros(6)
    above(A, plain)
    jit(above)(A, found)
    assert plain.tolist() == found.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def doubled(arrays, x, out):
    """Twice what the features of an example have in each array, plus their values."""
    for k in range(0, size(x), 4):
        (a, b, c, d), v = features(x, k), entries(x, k)
        p, q, r = gather(arrays, a, b, c, d)
        (only,) = gather((arrays[1],), a, b, c, d)
        scatter(arrays, a, b, c, d, (p + p + v, q + only + v, r + r + v))
        out[0] = max(out[0], largest(v))


@compiled_only
@pytest.mark.parametrize("m", [0, 1, 2, 3, 4, 6, 8, 11])
@pytest.mark.parametrize("width", [1, 3, 4, 8], ids=["apart", "three", "four", "eight"])
def test_features_are_gathered_and_scattered_wherever_their_arrays_lie(m, width):
    rng = np.random.default_rng(m)
    block = rng.normal(size=(30, max(3, width)))
    x = Sparse(rng.permutation(30)[:m].astype(np.int32), rng.random(m))
    wanted = block.copy()
    wanted[x.index, :3] = 2.0 * wanted[x.index, :3] + x.value[:, None]
    for run in (doubled, jit(doubled)):
        own, out = zeros(block.shape) if width > 1 else zeros(block.shape[::-1]).T, np.zeros(1)
        own[...] = block
        run(tuple(own.T[:3]), x, out)
        assert own == pytest.approx(wanted, rel=1e-12)
        assert np.array_equal(own[:, 3:], block[:, 3:])
        assert out[0] == x.value.max(initial=0.0)
