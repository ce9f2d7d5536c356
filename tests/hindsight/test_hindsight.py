"""Hindsight comparators against brute force and independent solvers."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import nnls

import littlestone as ls
from littlestone.core.errors import BadInput, NotKept
from littlestone.core.game import EXAMPLES, ONE, PER_CLASS, Shape, Traits
from littlestone.games import Labels
from littlestone.hindsight.folds import sequences
from littlestone.hindsight.folds.linear import Linear
from littlestone.hindsight.folds.mixtures import Mixture
from littlestone.hindsight.folds.sequences import Segment, Sequences
from littlestone.hindsight.search import by_name
from littlestone.hindsight.search.kept_rounds import KeptRounds

Array = NDArray[np.float64]
few = settings(deadline=None, max_examples=60)


def cuts(T: int, seed: int) -> Iterator[slice]:
    """A partition of T rows into chunks of uneven length, empty ones among them."""
    at = np.sort(np.random.default_rng(seed).integers(0, T + 1, size=4))
    yield from (slice(a, b) for a, b in itertools.pairwise([0, *at.tolist(), T]))


# ---- sequences


@pytest.fixture(params=["plain", "compiled"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    if name == "compiled":
        pytest.importorskip("numba")
    monkeypatch.setenv("LITTLESTONE_ENGINE", name)
    return name


def made(engine: str, n: int, K: int, keep_path: bool = False) -> Sequences:
    """A fold with the engine named (Hypothesis may not reset a monkeypatch between examples)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITTLESTONE_ENGINE", engine)
        fold = Sequences(n, K, keep_path=keep_path)
    plain = fold._engine.advance is sequences.advance
    assert plain == (engine == "plain")
    return fold


def brute(ell: Array, K: int) -> list[float]:
    """The least loss over all n^T sequences, by their number of shifts."""
    T, n = ell.shape
    least = [np.inf] * (K + 1)
    for sequence in itertools.product(range(n), repeat=T):
        shifts = sum(a != b for a, b in itertools.pairwise(sequence))
        loss = sum(ell[t, i] for t, i in enumerate(sequence))
        for k in range(shifts, K + 1):
            least[k] = min(least[k], loss)
    return least


def check_path(ell: Array, fold: Sequences, k: int) -> list[Segment]:
    """The segments cover the rounds, shift at every seam, and lose what `values` says."""
    path = fold.path(k)
    stops = [0] + [stop for _, stop, _ in path]
    assert [start for start, _, _ in path] == stops[:-1]
    assert stops[-1] == len(ell)
    assert all(a[2] != b[2] for a, b in itertools.pairwise(path))
    loss = 0.0
    for start, stop, expert in path:
        for t in range(start, stop):
            loss += ell[t, expert]  # in the order of the rounds, so equal to the last bit
    values = fold.values()
    assert loss == values[k]
    shifts = len(path) - 1
    assert shifts <= k
    assert values[shifts] == values[k]
    assert shifts <= 0 or values[shifts - 1] > values[k]
    return path


losses = st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.5, -1.0, np.inf])


@st.composite
def small_games(draw: st.DrawFn) -> Array:
    n = draw(st.integers(1, 3))
    T = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(losses, min_size=n, max_size=n), min_size=T, max_size=T))
    return np.array(rows)


@pytest.mark.parametrize("name", ["plain", "compiled"])
@few
@given(ell=small_games(), K=st.integers(0, 6))
def test_sequences_equal_all_n_to_the_t(name: str, ell: Array, K: int) -> None:
    if name == "compiled":
        pytest.importorskip("numba")
    fold = made(name, ell.shape[1], K, keep_path=True)
    bare = made(name, ell.shape[1], K)
    fold.add(ell)
    bare.add(ell)
    assert fold.values().tolist() == brute(ell, K)  # halves add up exactly
    assert bare.values().tolist() == fold.values().tolist()
    for k in range(K + 1):
        check_path(ell, fold, k)


def test_sequences_by_hand(engine: str) -> None:
    # Expert 0 is right in rounds 0-2 and 6-7, expert 1 in rounds 3-5: two shifts lose nothing; one
    # shift loses the last two rounds (or the first three); none loses expert 0's three.
    right = np.array([0, 0, 0, 1, 1, 1, 0, 0])
    ell = np.stack([right, 1 - right], axis=1).astype(float)
    fold = Sequences(2, 3, keep_path=True)
    assert fold.add(ell, marks=[0, 3, 7]).tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [3, 2, 0, 0]]
    assert fold.values().tolist() == [3, 2, 0, 0]
    assert fold.path(0) == [(0, 8, 0)]
    assert fold.path(1) == [(0, 3, 0), (3, 8, 1)]
    assert fold.path(2) == fold.path(3) == [(0, 3, 0), (3, 6, 1), (6, 8, 0)]


def test_ties_stay_and_take_the_lowest_index(engine: str) -> None:
    fold = Sequences(3, 2, keep_path=True)
    fold.add(np.array([[1.0, 0.0, 0.0]] * 4))
    assert fold.path(2) == [(0, 4, 1)]


def test_infinite_losses_are_avoided_while_shifts_last(engine: str) -> None:
    inf = np.inf
    ell = np.array([[0, inf], [inf, 1], [0, inf], [inf, 1]])
    fold = Sequences(2, 4, keep_path=True)
    fold.add(ell)
    assert fold.values().tolist() == [inf, inf, inf, 2, 2]
    for k in range(5):
        check_path(ell, fold, k)
    hopeless = Sequences(2, 1, keep_path=True)
    hopeless.add(np.full((3, 2), inf))
    assert hopeless.values().tolist() == [inf, inf]
    assert hopeless.path(1) == [(0, 3, 0)]


@pytest.mark.parametrize("n", [1, 7, 8, 21])
def test_sequences_in_chunks_equal_whole_to_the_last_bit(engine: str, n: int) -> None:
    rng = np.random.default_rng(n)
    ell = rng.exponential(size=(120, n)) ** 3
    marks = np.array([0, 1, 50, 119])
    whole, cut, bare = Sequences(n, 5, True), Sequences(n, 5, True), Sequences(n, 5)
    seen = whole.add(ell, marks)
    parts = [
        cut.add(ell[c], [m - c.start for m in marks if c.start <= m < c.stop]) for c in cuts(120, n)
    ]
    bare.add(np.asfortranarray(ell))
    assert np.array_equal(seen, np.vstack(parts))
    assert np.array_equal(seen[-1], whole.values())
    assert np.array_equal(whole.values(), cut.values())
    assert np.array_equal(whole.values(), bare.values())
    assert (np.diff(whole.values()) <= 0).all()
    for k in range(6):
        assert check_path(ell, whole, k) == cut.path(k)
    for mark, row in zip(marks, seen, strict=True):
        fresh = Sequences(n, 5)
        fresh.add(ell[: mark + 1])
        assert np.array_equal(fresh.values(), row)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 27])
def test_compiled_equals_plain(n: int) -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(n)
    ell = rng.random((80, n)).round(1)  # tenths: many ties and many roundings
    ell[rng.random((80, n)) < 0.05] = np.inf
    ell[40:] = ell[40:, ::-1]
    for keep_path in (False, True):
        plain, compiled = made("plain", n, 6, keep_path), made("compiled", n, 6, keep_path)
        assert np.array_equal(plain.add(ell, [3, 60]), compiled.add(ell, [3, 60]))
        assert np.array_equal(plain.values(), compiled.values())
        for a, b in zip(plain.links, compiled.links, strict=True):
            assert np.array_equal(a.best, b.best)
            assert np.array_equal(a.since, b.since)


def test_sequences_before_any_round(engine: str) -> None:
    fold = Sequences(3, 2, keep_path=True)
    assert fold.add(np.empty((0, 3))).shape == (0, 3)
    assert fold.values().tolist() == [0, 0, 0]
    assert fold.path(2) == []


def test_sequences_refuse_what_they_cannot_use() -> None:
    fold = Sequences(2, 1)
    for bad in (
        np.array([[0.0, np.nan]]),
        np.array([[0.0, -np.inf]]),
        np.zeros((3, 3)),
        np.zeros(2),
    ):
        with pytest.raises(BadInput):
            fold.add(bad)
    for marks in ([2, 1], [-1], [3]):
        with pytest.raises(BadInput, match="marks"):
            fold.add(np.zeros((3, 2)), marks)
    assert fold.rounds == 0
    assert fold.values().tolist() == [0, 0]
    with pytest.raises(NotKept, match="keep_path=True"):
        fold.path(0)
    with pytest.raises(BadInput, match="k=2"):
        Sequences(2, 1, keep_path=True).path(2)
    with pytest.raises(BadInput):
        Sequences(0, 1)


def test_the_losses_given_stay_writable_and_unchanged(engine: str) -> None:
    ell = np.ones((4, 2))
    Sequences(2, 1).add(ell)
    assert ell.flags.writeable
    assert (ell == 1).all()


def test_without_numba_the_plain_loops_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    monkeypatch.delitem(sys.modules, "littlestone.hindsight.folds.compiled_folds", raising=False)
    monkeypatch.delattr("littlestone.hindsight.folds.compiled_folds", raising=False)
    monkeypatch.delitem(sys.modules, "littlestone.engine.compiled_cache", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)  # what an import meets where it is missing
    assert sequences.engine.__wrapped__(False).advance is sequences.advance


def test_a_cache_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    from littlestone.engine import compiled_cache, numba_ways

    def refuse(*_: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    def twice(v: float) -> float:
        return 2.0 * v

    assert type(compiled_cache.kept(twice)._cache).__name__ in ("SignatureCache", "FunctionCache")
    monkeypatch.setattr(numba_ways, "cached", refuse)
    assert compiled_cache.kept(twice)(1.5) == 3.0


# ---- mixtures


def reference(errors: Array) -> tuple[Array, float]:
    """The best mixture by Lawson and Hanson's NNLS on the rows themselves, with no Gram matrix.

    Scaled by s, a mixture q loses s^2 f + (1 - s)^2 in the system [errors; 1] u = [0; 1]; the best s
    makes that f / (1 + f), so the best u >= 0 is a multiple of the best mixture.
    """
    size = np.sqrt((errors**2).sum(axis=0).min()) or 1.0
    system = np.vstack([errors / size, np.ones(errors.shape[1])])
    u, _ = nnls(system, np.append(np.zeros(len(errors)), 1.0), maxiter=100 * errors.shape[1])
    q = u / u.sum()
    return q, float(((errors @ q) ** 2).sum())


def check_mixture(x: Array, y: Array) -> tuple[Array, float, float]:
    """On the simplex, losing what it says, as little as the reference, with an honest gap."""
    fold = Mixture(x.shape[1])
    fold.add(x, y)
    q, loss, gap = fold.best()
    errors = x - y[:, None]
    least = reference(errors)[1]
    sizes = np.sqrt((errors**2).sum(axis=0))
    noise = 1e-14 * sizes.max() * (q @ sizes)  # rounding in q' G q and in G q, before they cancel
    assert (q >= 0).all()
    assert abs(q.sum() - 1) < 1e-14
    assert ((errors @ q) ** 2).sum() == pytest.approx(loss, rel=1e-11, abs=noise)
    assert loss <= least * (1 + 1e-8) + noise
    assert loss - gap <= least * (1 + 1e-11) + noise  # gap bounds what can be gained
    assert gap <= 1e-9 * loss + noise
    return q, loss, gap


kinds = ["plain", "copies", "near copies", "flat", "exact", "prices", "tiny", "huge", "zero"]


@pytest.mark.parametrize("kind", kinds)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 9), T=st.integers(1, 30))
def test_mixture_equals_an_independent_solver(kind: str, seed: int, n: int, T: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=T)
    x = y[:, None] + rng.normal(size=(T, n)) * rng.exponential(size=n) + rng.normal(size=n)
    if kind == "copies":
        x = x[:, rng.integers(0, n, size=2 * n)]
    elif kind == "near copies":
        x = np.hstack([x, x + 1e-7 * rng.normal(size=x.shape)])
    elif kind == "flat":
        x = y[:, None] + np.outer(rng.normal(size=T), rng.normal(size=n)) + 1.0
    elif kind == "exact":
        y = x @ rng.dirichlet(np.ones(n))
    elif kind == "prices":
        x, y = 100 + 0.01 * x, 100 + 0.01 * y
    elif kind == "tiny":
        x, y = 1e-9 * x, 1e-9 * y
    elif kind == "huge":
        x, y = 1e9 * x, 1e9 * y
    elif kind == "zero":
        x[:, rng.integers(n)] = y
    check_mixture(x, y)


def test_mixture_by_hand() -> None:
    # f(q) = (1 - 2 q)^2 + (2 q)^2 for errors (-1, 1), (2, 0): q = 1/4, f = 1/4 + 1/4.
    fold = Mixture(2)
    fold.add(np.array([[-1.0, 1.0], [2.0, 0.0]]), np.zeros(2))
    q, loss, gap = fold.best()
    assert q == pytest.approx([0.25, 0.75], abs=1e-15)
    assert loss == pytest.approx(0.5, abs=1e-15)
    assert gap <= 1e-15


def test_mixture_of_one_of_none_and_of_experts_without_error() -> None:
    one = Mixture(1)
    one.add(np.array([[1.0], [2.0]]), np.array([0.0, 0.0]))
    assert [*one.best()] == [1.0, 5.0, 0.0]
    q, loss, gap = Mixture(3).best()
    assert q.sum() == 1
    assert loss == gap == 0
    q, loss, gap = check_mixture(np.ones((4, 3)), np.ones(4))
    assert loss == gap == 0


def test_mixture_keeps_the_digits_of_small_differences() -> None:
    # Errors of whole 2^-20 around a price of 2^17: exact in the data, lost in sums of squared prices.
    rng = np.random.default_rng(5)
    errors = rng.integers(-9, 10, size=(500, 4)).astype(float)
    price = rng.integers(2**16, 2**17, size=500).astype(float)
    small, plain = Mixture(4), Mixture(4)
    small.add(price[:, None] + errors * 2.0**-20, price)
    plain.add(errors, np.zeros(500))
    (q, loss, _), (p, cost, _) = small.best(), plain.best()
    assert np.array_equal(q, p)
    assert loss == cost * 2.0**-40


@pytest.mark.parametrize(("n", "T"), [(120, 400), (150, 40), (64, 3000)])
def test_mixture_of_many(n: int, T: int) -> None:
    rng = np.random.default_rng(n)
    y = rng.normal(size=T)
    x = y[:, None] + 0.3 * rng.normal(size=(T, 1)) + rng.normal(size=(T, n)) * rng.gamma(1, size=n)
    check_mixture(x, y)


def test_mixture_of_copies_that_cancel_exactly() -> None:
    # Whole numbers round nothing, so without its rounding on the diagonal the system is singular,
    # and the search stops early: experts 1 and 3 are equal, and all of them surround no error.
    _, loss, _ = check_mixture(
        np.array([[1.0, 2.0, -2.0, 2.0], [2.0, -3.0, 2.0, -3.0]]), np.zeros(2)
    )
    assert loss < 1e-13
    check_mixture(np.array([[2.0, -3.0, 2.0, 0.0, 1.0], [-3.0, 0.0, 3.0, 1.0, -1.0]]), np.zeros(2))


def test_mixture_outlives_a_singular_system(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(A: Array, b: Array) -> Array:
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(np.linalg, "solve", solve)
    rng = np.random.default_rng(3)
    check_mixture(rng.normal(size=(40, 6)), np.zeros(40))


def test_gap_is_reported_with_the_asked_precision() -> None:
    rng = np.random.default_rng(0)
    fold = Mixture(20)
    fold.add(rng.normal(size=(200, 20)), rng.normal(size=200))
    _, loss, gap = fold.best()
    assert 0 <= gap <= 1e-10 * loss


# ---- linear combinations


def check_linear(x: Array, y: Array, intercept: bool = False) -> tuple[Array, float]:
    fold = Linear(x.shape[1], intercept=intercept)
    fold.add(x, y)
    w, loss = fold.best()
    full = np.hstack([x, np.ones((len(x), 1))]) if intercept else x
    v = np.linalg.lstsq(full, y, rcond=1e-13)[0]
    assert w == pytest.approx(v, rel=1e-9, abs=1e-11 * (1 + abs(v).max()))
    least, scale = ((full @ v - y) ** 2).sum(), 1e-13 * (y**2).sum()
    assert loss == pytest.approx(least, rel=1e-11, abs=scale)
    assert ((full @ w - y) ** 2).sum() == pytest.approx(loss, rel=1e-11, abs=scale)
    return w, loss


@few
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(1, 8),
    T=st.integers(1, 30),
    copies=st.booleans(),
    intercept=st.booleans(),
)
def test_linear_equals_lstsq(seed: int, n: int, T: int, copies: bool, intercept: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-9, 10, size=(T, n)) / 2.0
    if copies:
        x = np.hstack([x, x[:, ::-1]])
    check_linear(x, rng.normal(size=T), intercept)


def test_linear_by_hand() -> None:
    # Through (1, 1), (2, 2), (3, 2): without intercept w = 11/14; with it, slope 1/2 and 2/3.
    x, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 2.0])
    w, loss = check_linear(x, y)
    assert w == pytest.approx([11 / 14])
    assert loss == pytest.approx(9 - 121 / 14)
    w, loss = check_linear(x, y, intercept=True)
    assert w == pytest.approx([1 / 2, 2 / 3])
    assert loss == pytest.approx(1 / 6)
    w, loss = Linear(2).best()
    assert w.tolist() == [0, 0]
    assert loss == 0


def test_equal_columns_share_their_weight() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(5000, 1))
    w, _ = check_linear(np.hstack([x, x, x]), 6 * x[:, 0] + rng.normal(size=5000))
    assert w[0] == pytest.approx(w[1], rel=1e-9)
    assert w[0] == pytest.approx(w[2], rel=1e-9)


def test_linear_survives_what_normal_equations_do_not() -> None:
    # Laeuchli: columns that differ by 1e-8 have a singular Gram matrix in double precision.
    e = 1e-8
    x = np.array([[1.0, 1.0], [e, 0.0], [0.0, e]])
    assert np.linalg.matrix_rank(x.T @ x) == 1
    fold = Linear(2)
    fold.add(x, x @ np.array([3.0, -2.0]))
    w, loss = fold.best()
    assert w == pytest.approx([3.0, -2.0], abs=1e-6)
    assert loss <= 1e-28


def test_intercept_far_from_the_origin() -> None:
    rng = np.random.default_rng(8)
    x = 1e4 + rng.normal(size=(3000, 3))
    check_linear(x, 7.0 + x @ np.array([1.0, -2.0, 0.5]) + rng.normal(size=3000), intercept=True)


# ---- what mixtures and linear combinations share


def same(one: tuple[Array | float, ...], other: tuple[Array | float, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("make", [Mixture, Linear, lambda n: Linear(n, intercept=True)])
class TestLeastSquares:
    def test_in_chunks_equals_whole_to_the_last_bit(
        self, make: type[Mixture] | type[Linear]
    ) -> None:
        rng = np.random.default_rng(1)
        x, y = 100 + rng.normal(size=(2500, 5)), 100 + rng.normal(size=2500)
        whole, cut, single = make(5), make(5), make(5)
        whole.add(x, y)
        for c in cuts(2500, seed=3):
            cut.add(x[c], y[c])
            cut.best()  # looking does not disturb
        for t in range(2500):
            single.add(x[t : t + 1], y[t : t + 1])
        for other in (cut, single):
            assert other.rounds == 2500
            assert same(whole.best(), other.best())

    def test_every_round_counts_once(self, make: type[Mixture] | type[Linear]) -> None:
        rng = np.random.default_rng(4)
        x, y = rng.normal(size=(2300, 3)), rng.normal(size=2300)
        fold = make(3)
        fold.add(x, y)
        q, loss = fold.best()[:2]
        miss = np.hstack([x, np.ones((2300, len(q) - 3))]) @ q - y
        assert loss == pytest.approx(miss @ miss, rel=1e-12)

    def test_rounds_with_nan_are_left_out_and_counted(
        self, make: type[Mixture] | type[Linear]
    ) -> None:
        rng = np.random.default_rng(6)
        x, y = rng.normal(size=(300, 3)), rng.normal(size=300)
        x[5, 1] = x[7] = y[7] = y[200] = np.nan
        known = np.delete(np.arange(300), [5, 7, 200])
        fold, clean = make(3), make(3)
        fold.add(x, y)
        clean.add(x[known], y[known])
        assert (fold.rounds, fold.skipped) == (297, 3)
        assert clean.skipped == 0
        assert same(fold.best(), clean.best())

    def test_refuses_what_it_cannot_use(self, make: type[Mixture] | type[Linear]) -> None:
        fold = make(2)
        with pytest.raises(BadInput, match="T x 2"):
            fold.add(np.zeros((3, 3)), np.zeros(3))
        with pytest.raises(BadInput, match="T x 2"):
            fold.add(np.zeros((3, 2)), np.zeros(4))
        with pytest.raises(BadInput, match="infinite"):
            fold.add(np.array([[0.0, np.inf]]), np.zeros(1))
        with pytest.raises(BadInput, match="n >= 1"):
            make(0)


@pytest.mark.parametrize("file", [False, True])
@pytest.mark.parametrize(
    ("key", "more"),
    [("ogd", {"loss": "hinge", "eta": 0.1}), ("perceptron", {}), ("softmax", {})],
)
def test_over_passes_a_comparator_pays_once_a_pass(key, more, file, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] + rng.normal(size=120) > 0, "up", "down")
    data = (X, y)
    if file:
        path = tmp_path / "rows.csv"
        lines = [
            ",".join([*map(repr, row.tolist()), label]) for row, label in zip(X, y, strict=True)
        ]
        path.write_text("\n".join(["a,b,c,y", *lines]) + "\n", encoding="utf-8")
        data = (path,)
    once, thrice = (ls.play(ls.learner(key, **more), *data, passes=n) for n in (1, 3))
    assert (once.rounds, thrice.rounds) == (120, 360)
    for kind in {g.against for g in once.learner.guarantees} - {"none"}:
        mine, theirs = once.comparators(kind), thrice.comparators(kind)
        for name in {"U2", "k"} & set(mine.more):
            assert theirs.more[name] == pytest.approx(mine.more[name])
        for name in {"H", "H2"} & set(mine.more):
            assert theirs.more[name] == pytest.approx(3 * mine.more[name])
        assert pytest.approx(3 * mine.L) == theirs.L
    assert thrice.data_symbols["X2"] == pytest.approx(3 * once.data_symbols["X2"])
    assert thrice.data_symbols["R2"] == once.data_symbols["R2"]


def test_attribute_errors_are_made_in_every_pass():
    rng = np.random.default_rng(1)
    X = (rng.random((200, 6)) < 0.3).astype(float)
    y = np.where((X[:, 0] + X[:, 1] > 0) != (rng.random(200) < 0.05), 1, -1)
    once, twice = (
        ls.play("winnow2", X, y, passes=n).comparators("noisy disjunction") for n in (1, 2)
    )
    assert once.L.min() > 0
    assert (twice.L == 2 * once.L).all()
    assert (twice.more["A"] == 2 * once.more["A"]).all()
    assert (twice.more["k"] == once.more["k"]).all()


def test_comparators_need_rounds_and_no_run():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 2))
    y = (x[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(float)
    run = ls.play("perceptron", x, y)
    rounds = KeptRounds(x, y, np.ones(60), y, Labels().traits(), Shape(2))
    mine, theirs = by_name.comparators("linear", rounds), run.comparators("linear")
    assert mine.L.tolist() == theirs.L.tolist()
    assert [mine.names(i) for i in range(len(mine.L))] == [
        theirs.names(i) for i in range(len(theirs.L))
    ]
    found = by_name.best(rounds, lambda: mine)
    assert found.loss <= mine.L.min()  # two weights: the fewest mistakes are found
    wide = np.hstack((x, np.zeros((60, 1))))
    rounds = KeptRounds(wide, y, np.ones(60), y, Labels().traits(), Shape(3))
    three = by_name.comparators("linear", rounds)
    assert by_name.best(rounds, lambda: three).loss == three.L.min()


def test_comparators_know_the_classes_as_the_learner_does():
    """A learner that met "z" first codes it as 0; a table of "a" and "z" codes them in their order."""
    X = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]])
    y = np.where(X[:, 0] > 0, "a", "z")
    learner = ls.learner("winnow2").update(X[1], "z").update(X[0], "a")
    run = ls.play(learner, X, y, resume=True)
    assert run.transcript.data.y.tolist() == [0, 1, 1, 0]
    assert run.codes.tolist() == [1, 0, 0, 1]
    assert run.comparators("disjunction").more["k"].tolist() == [1, 1]  # the first feature decides


@pytest.mark.parametrize("decision", [ONE, PER_CLASS])
def test_a_game_without_a_loss_has_no_linear_comparators(decision):
    traits = Traits(EXAMPLES, "distribution", classes=3, decision=decision)
    y = np.array([0.0, 1.0, 2.0, 1.0])
    rounds = KeptRounds(np.ones((4, 2)), y, np.ones(4), y, traits, Shape(2, classes=3))
    assert by_name.comparators("linear", rounds).why == by_name.NO_LOSS
    assert by_name.best(rounds, lambda: None) is None


def test_best_sequences_of_rounds_in_memory_wait_until_they_are_asked_for(plain):
    losses = np.random.default_rng(5).random((300, 3))
    hedge = ls.Hedge(eta=0.3)
    kept = ls.play(hedge, losses, interval=(0, 1))
    batches = (losses[i : i + 50] for i in range(0, 300, 50))
    folded = ls.play(hedge, batches, losses=True, interval=(0, 1))
    folds = kept.transcript.folds
    assert folds.trace.pending
    assert not folded.transcript.folds.trace.pending
    assert kept.regret == pytest.approx(folded.regret)
    assert "T-HEDGE" in str(kept.certificate)
    assert (
        folds.trace.pending
    )  # neither the regret nor a theorem about single experts asks for them
    np.testing.assert_allclose(kept.sequences.L, folded.sequences.L)
    assert not folds.trace.pending
    for mine, other in zip(folds.trace.rows, folded.transcript.folds.trace.rows, strict=True):
        np.testing.assert_allclose(mine["shifting"], other["shifting"])
