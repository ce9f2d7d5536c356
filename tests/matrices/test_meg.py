"""MEG-IMCSI against its direct form, its theorem against known matrices, and several tasks as one matrix."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.engine.compile import has_numba
from littlestone.engine.memory import copy
from littlestone.games import Shape
from littlestone.graphs.algorithms.laplacian import graph_kernel
from littlestone.matrices.biclusters import latent_blocks, neighbours, one_hot
from littlestone.matrices.max_norm import max_norm
from littlestone.matrices.meg_imcsi import T_MEG
from littlestone.matrices.multitask_kernel import complexity, play_tasks, positions
from littlestone.matrices.pairs_met import COUNT, PLACES, STEPS
from littlestone.matrices.path_tree import cuts, path_tree
from littlestone.matrices.quadrature import ALPHA, BETA, exp_corner
from littlestone.matrices.quasi_dimension import objective, potential
from littlestone.matrices.side_information import side

pytestmark = pytest.mark.usefixtures("plain")


def root(K):
    w, E = np.linalg.eigh(K)
    return (E * np.sqrt(np.maximum(w, 0.0))) @ E.T


class Direct:
    """The notes' form: whole matrices, an eigendecomposition a trial."""

    def __init__(self, m, n, margin, D, eta, M=None, N=None):
        self.margin, self.eta, self.y = margin, eta, []
        M, N = np.eye(m) if M is None else M, np.eye(n) if N is None else N
        self.F = root(M) / math.sqrt(2 * M.diagonal().max())
        self.G = root(N) / math.sqrt(2 * N.diagonal().max())
        self.A = math.log(D / (m + n)) * np.eye(m + n)

    def x(self, i, j):
        return np.concatenate([self.F[:, i], self.G[:, j]])

    def weights(self):
        w, E = np.linalg.eigh(self.A)
        return (E * np.exp(w)) @ E.T

    def ybar(self, i, j):
        x = self.x(i, j)
        return x @ self.weights() @ x - 1

    def round(self, i, j, y):
        made = self.ybar(i, j)
        if y * made <= self.margin:
            x = self.x(i, j)
            self.A = self.A + self.eta * y * np.outer(x, x)
        return made


def entries(U, T, seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(s, size=T) for s in U.shape], axis=1)
    y = U[X[:, 0], X[:, 1]] * np.where(rng.random(T) < noise, -1, 1)
    return X.astype(float), y.astype(int)


def bell(m, seed):
    Z = np.random.default_rng(seed).normal(size=(m, 2))
    return np.exp(-((Z[:, None] - Z[None]) ** 2).sum(axis=2))


def banded(m):
    return 2.5 * np.eye(m) + np.eye(m, k=1) + np.eye(m, k=-1)


KERNELS = {
    "identity": (None, None),
    "dense": (bell(9, 0), bell(7, 1)),
    "sparse": (scipy.sparse.csr_array(banded(9)), scipy.sparse.csr_matrix(banded(7))),
    "graph": (graph_kernel(neighbours(np.arange(9) % 3)), None),
    "mixed": (None, scipy.sparse.coo_array(banded(7))),
    "time": (None, "path-tree"),
    "singular": (np.ones((9, 9)), np.diag([1.0, 0, 1, 1, 0, 1, 1])),
}


def played(kernels, margin, T=50, eta=None, D=None, seed=3, engine="plain"):
    """The same rounds by quadrature and directly; both as ybar."""
    M, N = KERNELS[kernels]
    U = latent_blocks(9, 7, 3, 2, seed=seed).U
    X, y = entries(U, T, seed, 0.15)
    learner = ls.MEGIMCSI(
        rows=9, columns=7, margin=margin, eta=eta, quasi_dimension=D, row_kernel=M, column_kernel=N
    )
    run = ls.play(learner, X, y)
    assert run.facts["engine"] == engine
    M, N = (K.toarray() if hasattr(K, "toarray") else K for K in (M, N))
    N = path_tree(7) if kernels == "time" else N
    eta = eta or math.sqrt((D or 16) * math.log(16) / (2 * T))
    assert run.parameters["eta"] == pytest.approx(eta, rel=1e-15)
    direct = Direct(9, 7, margin, D or 16, eta, M, N)
    want = np.array([direct.round(int(i), int(j), v) for (i, j), v in zip(X, y, strict=True)])
    return run, want


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize("margin", [1.0, 0.4])
def test_it_is_the_direct_form(kernels, margin):
    run, want = played(kernels, margin)
    assert run.scores * margin == pytest.approx(want, abs=1e-12)
    assert run.loss == pytest.approx(run.losses.sum())
    assert run.certificate.verdict in ("kept", "vacuous")


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: compiled rules not tested")
@pytest.mark.parametrize("kernels", ["identity", "dense", "sparse", "time"])
def test_compiled_it_is_the_direct_form(kernels, monkeypatch):
    monkeypatch.delenv("LITTLESTONE_ENGINE")
    run, want = played(kernels, 0.5, T=200, engine="compiled")
    assert run.scores * 0.5 == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("eta", [1e-3, 3.0, 20.0])
def test_rates_that_no_theorem_asks_for(eta):
    run, want = played("identity", 1.0, T=40, eta=eta, D=4.0)
    assert run.scores == pytest.approx(want, rel=1e-9, abs=1e-9)


def test_one_entry_again_and_again():
    """At the margin 1 a label of -1 is always learned from: the spectrum runs far to the left."""
    learner = ls.MEGIMCSI(rows=3, columns=3, margin=1.0, eta=0.5)
    direct = Direct(3, 3, 1.0, 6.0, 0.5)
    rng = np.random.default_rng(0)
    for t in range(300):
        i, j, y = (0, 0, -1) if t % 5 else (*rng.integers(3, size=2).tolist(), 1)
        assert learner.ask([i, j]).decision == pytest.approx(direct.round(i, j, y), abs=1e-11)
        learner.update([i, j], y)
    assert learner.state.N[STEPS] <= 12


def test_many_steps_are_given_room():
    """A rate so large that Lanczos needs every direction there is."""
    T, m = 120, 30
    U = np.random.default_rng(1).choice([-1.0, 1.0], (m, m))
    X, y = entries(U, T, 1)
    learner = ls.MEGIMCSI(rows=m, columns=m, margin=1.0, eta=8.0, quasi_dimension=2.0)
    run = ls.play(learner, X, y, certify=False)
    direct = Direct(m, m, 1.0, 2.0, 8.0)
    want = [direct.round(int(i), int(j), v) for (i, j), v in zip(X, y, strict=True)]
    assert run.scores == pytest.approx(np.array(want), rel=1e-8, abs=1e-8)
    assert run.learner.state.H.shape[1] - 1 > 24
    assert run.learner.state.V.shape[1] >= run.learner.state.N[PLACES] > 30


def test_nothing_overflows():
    learner = ls.MEGIMCSI(rows=2, columns=2, eta=1e5)
    for y in (1, 1, -1, 1, -1, -1, 1):
        learner.update([0, 0], y, importance=1e6)
        assert math.isfinite(learner.ask([0, 1]).decision)
        assert math.isfinite(learner.ask([0, 0]).decision)


def test_the_corner_of_the_exponential():
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 12):
        for scale in (1e-8, 1.0, 30.0):
            H = np.zeros((5, n + 1))
            H[ALPHA, :n], H[BETA, : n - 1] = scale * rng.normal(size=n), scale * rng.random(n - 1)
            T = np.diag(H[ALPHA, :n]) + np.diag(H[BETA, : n - 1], 1) + np.diag(H[BETA, : n - 1], -1)
            w, E = np.linalg.eigh(T)
            want = np.log((E[0] ** 2 * np.exp(w - w.max())).sum()) + w.max()
            assert exp_corner(H, n) == pytest.approx(want, abs=1e-11 * max(scale, 1))


# New rows and columns.


def test_new_rows_simply_appear():
    """A bound on the number of rows costs nothing but its place in m + n, and in the logarithm."""
    U = latent_blocks(6, 6, 2, 2, seed=1).U
    X, y = entries(U, 60, 2)
    far = X * np.array([99_991, 1234]) % np.array([500_000, 9000])
    small = ls.MEGIMCSI(rows=6, columns=6, eta=0.3, quasi_dimension=12 / 3)
    large = ls.MEGIMCSI(rows=500_000, columns=9000, eta=0.3, quasi_dimension=509_000 / 3)
    a, b = ls.play(small, X, y, certify=False), ls.play(large, far, y, certify=False)
    assert a.scores == pytest.approx(b.scores, abs=1e-12)
    assert b.learner.state.V.shape[1] < 20


def test_rows_not_yet_met_do_not_matter():
    """The inductive form: kernels of the rows and columns met so far say the same as the whole ones."""
    M, N = KERNELS["dense"]
    X, y = entries(latent_blocks(9, 7, 3, 2, seed=0).U, 30, 5)
    learner = ls.MEGIMCSI(rows=9, columns=7, eta=0.4, row_kernel=M, column_kernel=N)
    scores = ls.play(learner, X, y, certify=False).scores
    for t in (1, 4, 12):
        rows, columns = np.unique(X[: t + 1, 0]).astype(int), np.unique(X[: t + 1, 1]).astype(int)
        A, B = M[np.ix_(rows, rows)], N[np.ix_(columns, columns)]
        part = ls.MEGIMCSI(
            rows=len(rows),
            columns=len(columns),
            eta=0.4,
            quasi_dimension=len(rows) + len(columns),  # D / (m + n) as above
            row_kernel=side(A, len(rows), top=M.diagonal().max()),
            column_kernel=side(B, len(columns), top=N.diagonal().max()),
        )
        Z = np.stack(
            [np.searchsorted(rows, X[: t + 1, 0]), np.searchsorted(columns, X[: t + 1, 1])], axis=1
        )
        again = ls.play(part, Z.astype(float), y[: t + 1], certify=False).scores
        assert again == pytest.approx(scores[: t + 1], abs=1e-12)


# The theorem.


def signs(m, n):
    return (np.array(v).reshape(m, n) for v in itertools.product((-1, 1), repeat=m * n))


def rounds(learner, T, next_round):
    """Play live, the label chosen after the score is known; pairs, labels and expected mistakes."""
    learner.start(2, rounds=T)
    seen, loss = [], 0.0
    for t in range(T):
        i, j = next_round(t)
        score = learner.ask([i, j]).decision
        y = yield i, j, score
        loss += min(max((1 - y * score) / 2, 0.0), 1.0)
        learner.update([i, j], y)
        seen.append((i, j, y))
    return seen, loss


def duel(learner, T, next_round, label):
    game = rounds(learner, T, next_round)
    try:
        sent = next(game)
        while True:
            sent = game.send(label(*sent))
    except StopIteration as done:
        return done.value


@pytest.mark.parametrize("margin", [1.0, 0.7, 0.6])
@pytest.mark.parametrize("known", [True, False])
def test_nobody_beats_the_theorem_on_small_matrices(margin, known):
    """ADV-FLIP, noise and repeated entries, against every matrix of two signs that it covers."""
    worst = 0.0
    every = [U for U in signs(2, 3) if max_norm(U, 1e-9).upper <= 1 / margin + 1e-9]
    assert len(every) < 64 or margin < 0.72
    for seed in range(4):
        rng = np.random.default_rng(seed)
        U = every[int(rng.integers(len(every)))]
        order = [(int(rng.integers(2)), int(rng.integers(3))) for _ in range(40)]
        order = [order[t // 4 if seed % 2 else t] for t in range(40)]
        kinds = {
            "flip": lambda i, j, s: -1 if s >= 0 else 1,
            "half": lambda i, j, s, U=U: U[i, j] if s * U[i, j] < 0.5 else -U[i, j],
            "noise": lambda i, j, s, U=U, rng=rng: U[i, j] * (1 if rng.random() < 0.8 else -1),
        }
        for label in kinds.values():
            learner = (ls.MEGIMCSI if known else Unknown)(rows=2, columns=3, margin=margin)
            seen, loss = duel(learner, 40, lambda t, order=order: order[t], label)
            notes = np.zeros(3)
            learner.params.write_diagnostics(learner.state, notes)
            bound = (5 * math.log(5) / notes[1] + 2 * notes[2]) / (2 * margin)
            tuned = math.sqrt(2 * 5 * math.log(5) * 40) / margin
            assert bound <= (tuned if known else math.sqrt(2) * tuned) + 1e-9
            for V in every:
                regret = loss - sum(V[i, j] != y for i, j, y in seen)
                worst = max(worst, regret / bound)
    assert 0.03 < worst <= 1.0


class Unknown(ls.MEGIMCSI, abstract=True):
    """As if nobody knew the number of rounds."""

    def tuned(self, shape, game):
        return self


def test_the_rate_falls_where_nobody_knows_the_rounds():
    learner = ls.MEGIMCSI(rows=2, columns=2, margin=1.0)
    for t in range(30):
        learner.update([t % 2, 0], 1 if t % 3 else -1)
    N = learner.state.N
    u = np.arange(1, N[COUNT] + 1)
    rates = np.minimum(1.0, np.sqrt(4 * math.log(4) / (4 * u)))
    run_notes = np.zeros(3)
    learner.params.write_diagnostics(learner.state, run_notes)
    assert run_notes == pytest.approx([len(u), rates[-1], rates.sum()])


def test_progress_of_every_update():  # T-MEG-PROG, T-MEG-MARGIN
    U = latent_blocks(5, 4, 2, 2, seed=4).U
    core, r, c = latent_blocks(5, 4, 2, 2, seed=4)[1:]
    k = core.shape[1]
    margin = 1 / math.sqrt(k)
    P, Q = core[r] / math.sqrt(k), one_hot(c, k)
    Z = potential(P, Q)
    assert np.trace(Z) == pytest.approx(objective(P, Q)) == pytest.approx(9)
    eta, D = 0.5, 9.0
    direct = Direct(5, 4, margin, D, eta)

    def log(A):
        w, E = np.linalg.eigh(A)
        return (E * np.log(np.maximum(w, 1e-300))) @ E.T

    def distance():
        W = direct.weights()
        w = np.linalg.eigvalsh(Z)
        entropy = float((w[w > 1e-12] * np.log(w[w > 1e-12])).sum())
        return entropy - np.trace(Z @ log(W)) + np.trace(W) - np.trace(Z)

    assert distance() <= D * math.log(9) + 1e-9
    X, y = entries(U, 40, 1, 0.2)
    tight = math.inf
    for (i, j), label in zip(X.astype(int), y, strict=True):
        x, W, before = direct.x(i, j), direct.weights(), distance()
        assert x @ Z @ x - 1 == pytest.approx(margin * U[i, j])
        if label * direct.round(i, j, label) <= margin:
            gain = before - distance()
            promised = eta * label * (x @ Z @ x) - (x @ W @ x) * (math.exp(eta * label) - 1)
            assert gain >= promised - 1e-9
            tight = min(tight, gain - promised)
    assert tight < 0.1


def test_the_certificate_compares_with_matrices_of_the_run():
    made = latent_blocks(20, 16, 3, 3, seed=0)
    T = 120
    X, y = entries(made.U, T, 1, 0.05)
    learner = ls.MEGIMCSI(rows=20, columns=16, margin=0.6)
    run = ls.play(learner, X, y)
    verdict = run.certificate.verdicts[0]
    assert verdict.guarantee is T_MEG
    assert verdict.verdict == "kept"
    family = run.comparators("own")
    assert min(family.L) <= (y != made.U[X[:, 0].astype(int), X[:, 1].astype(int)]).sum() + 5
    constant = [(y != s).sum() for s in (-1, 1)]
    assert family.L[0] == min(constant)
    majority = sum(min((y[X[:, 0] == i] == s).sum() for s in (-1, 1)) for i in range(20))
    assert family.L[1] == majority
    assert (family.more["quasi"] == 36).all()
    updates, eta = float(run.learner.state.N[COUNT]), run.parameters["eta"]
    bound = (36 * math.log(36) / eta + 2 * eta * updates) / (2 * 0.6)
    assert verdict.bound == pytest.approx(bound)
    assert bound <= math.sqrt(2 * 36 * math.log(36) * T) / 0.6
    # a margin that no matrix reaches but the simplest; then one that fits nothing at all
    assert ls.play(learner.replace(margin=1.0), X, y).certificate.verdict == "kept"
    weak = ls.play(learner.replace(quasi_dimension=20.0), X, y).certificate
    assert weak.verdict == "vacuous"
    assert "simple enough" in str(weak)


def test_kernels_that_know_the_classes():
    """It learns faster, and finds the classes to compare with."""
    made = latent_blocks(24, 24, 3, 3, seed=2)
    M = graph_kernel(neighbours(made.row_class, wrong=0.0))
    N = graph_kernel(neighbours(made.column_class, wrong=0.0))
    X, y = entries(made.U, 100, 1)
    sizes = {"rows": 24, "columns": 24}
    blind = ls.play(ls.MEGIMCSI(**sizes), X, y, certify=False)
    told = ls.play(ls.MEGIMCSI(**sizes, row_kernel=M, column_kernel=N), X, y)
    assert told.loss < 0.6 * blind.loss
    family = told.comparators("own")
    R, C = one_hot(made.row_class), one_hot(made.column_class)
    by_hand = 3 * M.diagonal().max() * np.trace(R.T @ np.linalg.solve(M, R))
    by_hand += 3 * N.diagonal().max() * np.trace(C.T @ np.linalg.solve(N, C))
    perfect = family.more["quasi"][family.L == 0]
    assert min(perfect) == pytest.approx(by_hand, rel=0.3)  # over the rows that were met
    assert told.certificate.verdict == "kept"


def test_what_the_certificate_leaves_open():
    X, y = entries(np.ones((3, 3)), 20, 1, 0.3)
    learner = ls.MEGIMCSI(rows=3, columns=3)
    uneven = ls.play(learner, X, y, importance=np.arange(1.0, 21))
    assert "every round has importance 1: it is " in str(uneven.certificate)
    fast = ls.play(learner.replace(eta=2.0), X, y)
    assert "too few rounds" in str(fast.certificate)
    tiny = ls.play(ls.MEGIMCSI(rows=1, columns=1), np.zeros((4, 2)), [1, 1, -1, 1])
    assert "at least 3" in str(tiny.certificate)
    late = ls.play(learner.replace(eta=0.5), X, y, delay=3, interleave=True)
    assert late.certificate.verdict == "kept"


def test_importance_is_repetition():
    one = ls.MEGIMCSI(rows=2, columns=2, eta=0.2).update([0, 0], 1, importance=3.0)
    thrice = ls.MEGIMCSI(rows=2, columns=2, eta=0.2)
    for _ in range(3):
        thrice.update([0, 0], 1)
    assert one.ask([0, 1]).decision == pytest.approx(thrice.ask([0, 1]).decision, abs=1e-12)


# What is refused.


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        (np.eye(3), "must have 4 rows and columns"),
        (np.ones(4), "must have 4 rows and columns"),
        ([["a"] * 4] * 4, "square matrix of numbers"),
        (np.where(np.eye(4) > 0, 1.0, np.nan), "row 0, column 1: nan"),
        (scipy.sparse.csr_array(np.diag([1, 1, np.inf, 1])), "row 2, column 2: inf"),
        (np.triu(np.ones((4, 4))), "not symmetric: row 0, column 1"),
        (np.ones((4, 4)) - 2 * np.eye(4), "not positive semidefinite"),
        (scipy.sparse.csr_array(np.ones((4, 4)) - np.eye(4)), "not positive semidefinite"),
        (np.zeros((4, 4)), "no entry above 0"),
        ("path", "square matrix of numbers"),
    ],
)
def test_kernels_that_are_none(kernel, said):
    with pytest.raises(BadInput, match=said) as problem:
        ls.MEGIMCSI(rows=4, columns=2, row_kernel=kernel)
    assert "row_kernel" in str(problem.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("rows", 0), ("rows", 1.5), ("columns", 2**30), ("margin", 0.0), ("margin", 1.1),
     ("quasi_dimension", 0.5), ("eta", -1.0), ("eta", np.nan), ("margin", "a")],
)  # fmt: skip
def test_parameters_that_are_none(name, value):
    with pytest.raises(BadInput, match=f"meg-imcsi: {name} must be"):
        ls.MEGIMCSI(**{name: value})


@pytest.mark.parametrize("kernels", ["dense", "sparse", "mixed", "time"])
def test_saved_with_its_kernels(kernels, tmp_path):
    M, N = KERNELS[kernels]
    X, y = entries(latent_blocks(9, 7, 2, 2, seed=1).U, 30, 1)
    learner = ls.MEGIMCSI(rows=9, columns=7, row_kernel=M, column_kernel=N)
    for x, label in zip(X, y, strict=True):
        learner.update(x, int(label))
    loaded = ls.load(learner.save(tmp_path / "m.ls"))
    state = copy(loaded.state)
    for x in X[:5]:
        assert loaded.ask(x).decision == learner.ask(x).decision
    assert all(np.array_equal(a, b) for a, b in zip(state[2:6], loaded.state[2:6], strict=True))
    assert repr(loaded.parameters) == repr(learner.parameters)


def test_a_kernel_given_dense_or_sparse_is_one_kernel():
    X, y = entries(latent_blocks(9, 7, 2, 2, seed=1).U, 40, 1)
    made = [
        ls.play(ls.MEGIMCSI(rows=9, columns=7, row_kernel=K), X, y, certify=False).scores
        for K in (banded(9), scipy.sparse.csr_array(banded(9)), side(banded(9), 9))
    ]
    assert made[0] == pytest.approx(made[1], abs=1e-12)
    assert made[0] == pytest.approx(made[2], abs=1e-12)
    none = ls.play(ls.MEGIMCSI(rows=9, columns=7), X, y, certify=False).scores
    same = ls.MEGIMCSI(rows=9, columns=7, row_kernel=np.eye(9), column_kernel=np.eye(7))
    assert ls.play(same, X, y, certify=False).scores == pytest.approx(none, abs=1e-12)
    assert len(same.row_kernel.dense) == 0


def test_examples_that_are_not_pairs():
    with pytest.raises(BadInput, match="these have 3 features"):
        ls.MEGIMCSI().begin(Shape(3))


# Several tasks.


def tasks_of(seed, s=3, T=48, m=2, switches=4):
    """Rounds of s tasks whose hypothesis switches within m modes; interpolating labels."""
    rng = np.random.default_rng(seed)
    task = rng.integers(s, size=T)
    x = rng.normal(size=(T, 3))
    column, _ = positions(task)
    sequence = np.zeros(T, int)  # the mode of each position in time
    for t in rng.choice(np.arange(1, T), switches, replace=False):
        sequence[t:] = (sequence[t] + 1) % m
    modes = rng.choice([-1.0, 1.0], (m, T))  # what each mode says of every instance
    y = modes[sequence[column], np.arange(T)]
    lengths = np.bincount(task, minlength=s)
    ends = np.cumsum(lengths)[:-1]
    within = [t for t in range(1, T) if sequence[t] != sequence[t - 1] and t not in ends]
    return task, x, y, column, sequence, modes, len(within)


@pytest.mark.parametrize("seed", range(3))
def test_the_reduction_to_one_matrix(seed):  # T-MT-RKHS
    task, x, y, column, sequence, modes, k = tasks_of(seed)
    s, m, T = len(set(task.tolist())), 2, len(y)
    K = np.exp(-((x[:, None] - x[None]) ** 2).sum(axis=2))
    norms = [h @ np.linalg.solve(K, h) for h in modes]
    C = complexity(norms, 1.0, tasks=s, switches=k, modes=m, rounds=T)
    made = play_tasks(task, x, y, kernel="gaussian:1", modes=m, complexity=C)
    assert made.loss <= made.bound
    assert made.bound == pytest.approx(math.sqrt(2 * C * T * math.log(2 * T)))
    # the bookkeeping of the proof: indicators of the modes change at most 2 (k + s - 1) times, and m D* <= C
    indicators = one_hot(sequence, m)
    assert sum(cuts(c) for c in indicators.T) <= 2 * (k + s - 1)
    P = path_tree(T)
    D = (1 / m) * sum(norms) + P[0, 0] * np.trace(indicators.T @ np.linalg.solve(P, indicators))
    assert m * D <= C
    # and it is MEG-IMCSI, in its direct form
    direct = Direct(T, T, 1 / math.sqrt(m), C / m, made.learner.eta, K, P)
    for t in range(12):
        want = direct.round(t, int(column[t]), y[t]) * math.sqrt(m)
        assert made.scores[t] == pytest.approx(want, abs=1e-10)


def test_without_a_complexity_all_are_mixed():  # T-MT-RKHS-ANY
    task, x, y, *_ = tasks_of(0, T=14)
    given = {"kernel": "gaussian:1", "modes": 2}
    made = play_tasks(task, x, y, **given)
    assert made.complexities[0] == 2
    assert made.complexities[-1] >= 2 * len(y)
    each = [play_tasks(task, x, y, complexity=C, **given) for C in made.complexities]
    for one, C in zip(each, made.complexities, strict=True):
        assert made.loss <= one.loss + made.price
        assert made.bound_at(0.9 * C) == made.bound_at(C) == one.bound + made.price
    assert made.price == pytest.approx(math.sqrt(len(y) * math.log(len(each)) / 2))
    # the first weights are equal, and the score is that of the mixture's chance of a mistake
    assert made.losses[0] == pytest.approx(np.mean([one.losses[0] for one in each]))
    np.testing.assert_allclose((1 - y * made.scores) / 2, made.losses, atol=1e-12)
    assert made.bound_at(10 * made.complexities[-1]) == math.inf
    assert math.isnan(made.bound)


def test_it_follows_hypotheses_that_change():
    """One task, two modes in turns of 16 rounds: sure of itself at the end of a turn, wrong at its beginning."""
    T = 48
    x = np.eye(2)[np.arange(T) % 2]
    y = np.where((np.arange(T) // 16) % 2 == np.arange(T) % 2, 1.0, -1.0)
    made = play_tasks([0] * T, x, y, kernel="linear", modes=2, complexity=24.0)
    turns = made.losses.reshape(3, 16)[1:]
    assert turns[:, -4:].mean() < 0.5 < turns[:, :4].mean()


def test_positions_in_time():
    column, T = positions(["b", "a", "b", "a", "b"])
    assert column.tolist() == [2, 0, 3, 1, 4]
    assert T == 5
    column, T = positions([1, 0, 1], {0: 4, 1: 3, 2: 5})
    assert column.tolist() == [4, 0, 5]
    assert T == 12
    with pytest.raises(BadInput, match="task 1 has 2 rounds"):
        positions([1, 0, 1], {0: 4, 1: 1})


def test_lengths_may_be_upper_bounds():
    task, x, y, *_ = tasks_of(5, T=20)
    lengths = dict.fromkeys(range(3), 15)
    made = play_tasks(task, x, y, kernel="gaussian:1", complexity=500.0, lengths=lengths, top=2.0)
    assert made.learner.rows == 45
    assert made.learner.row_kernel.top == 2.0
    assert len(made.scores) == 20
    assert made.loss <= made.bound


def test_rounds_that_are_none():
    for change, said in (
        ({"y": [1, 2]}, "row 2: the label is 2"),
        ({"y": [1]}, "2 tasks, 2 examples and 1 labels"),
        ({"complexity": 0.5}, "complexity must be at least 1"),
        ({"top": 0.5}, "above 0.5"),
        ({"tasks": [0], "x": [[1.0]], "y": [1]}, "from 2 to"),
    ):
        given = {"tasks": [0, 0], "x": [[1.0], [1.0]], "y": [1, -1], "complexity": 9.0, "modes": 1}
        with pytest.raises(BadInput, match=said):
            play_tasks(kernel="linear", **(given | change))


def test_the_worked_overhead():  # X-ILLUSTRATION
    assert complexity([], 1.0, tasks=3, switches=5, modes=4, rounds=16) == 928


def rounds_in_turns(s, length, seed):
    """Rounds of s tasks of `length` rounds each, in some order: task, instance, label."""
    rng = np.random.default_rng(seed)
    task = rng.permutation(np.repeat(np.arange(s), length))
    z = rng.normal(size=(len(task), 2))
    y = np.where((z[:, 0] > 0) ^ (task % 2 == 1), 1, -1)
    return np.column_stack([task, z]), y


@pytest.mark.parametrize(("s", "modes"), [(1, 1), (2, 2), (4, 3)])
def test_one_round_at_a_time_it_is_the_matrix_of_all_rounds(s, modes):  # A-MT-RKHS
    X, y = rounds_in_turns(s, 8, seed=s)
    whole = play_tasks(
        X[:, 0], X[:, 1:], y, kernel="gaussian:0.5", modes=modes, complexity=40.0, top=1.0
    )
    learner = ls.MultitaskRKHS(
        kernel="gaussian:0.5", tasks=s, modes=modes, length=8, complexity=40.0
    )
    run = ls.play(learner, X, y, engine="plain", certify=False)
    assert np.allclose(run.losses, whole.losses, atol=1e-11)
    assert run.learner.state.N[3] > 0  # it learned
    live = ls.MultitaskRKHS(kernel="gaussian:0.5", tasks=s, modes=modes, length=8, complexity=40.0)
    live = live.replace(eta=run.learner.parameters["eta"])
    for x, label, score in zip(X, y, run.scores, strict=True):
        assert math.isclose(live.ask(x).decision, score, abs_tol=1e-9)
        live = live.update(x, label)


def test_a_task_takes_no_more_rounds_than_its_length():
    learner = ls.MultitaskRKHS(tasks=2, length=2)
    learner = learner.update([0, 1.0], 1).update([0, 2.0], 1)
    before = learner.digest()
    with pytest.raises(BadInput, match="more rounds than `length`"):
        learner.predict([0, 1.0])
    with pytest.raises(BadInput, match="more rounds than `length`"):
        learner.update([0, 1.0], 1)
    assert learner.digest() == before
    assert learner.predict([1, 1.0]) in (-1, 1)  # the other task goes on


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([2, 1.0], "below `tasks`"),
        ([0.5, 1.0], "whole number"),
        ([-1, 1.0], "below `tasks`"),
        ([1, 2.0], "above `top`"),
    ],
)
def test_rounds_of_tasks_that_are_none(x, said):
    with pytest.raises(BadInput, match=said):
        ls.MultitaskRKHS(kernel="linear", tasks=2, length=4, top=3.0).update(x, 1)


def test_what_several_tasks_refuse():
    with pytest.raises(BadInput, match="vectors, not sets or strings"):
        ls.MultitaskRKHS(kernel="spectrum")
    with pytest.raises(BadInput, match="length=…, or the number of rounds"):
        ls.MultitaskRKHS(tasks=2).update([0, 1.0], 1)
    with pytest.raises(BadInput, match="too many rounds"):
        ls.MultitaskRKHS(tasks=1 << 20, length=1 << 30)
    with pytest.raises(BadInput, match=r"examples \[task, features"):
        ls.MultitaskRKHS(tasks=2, length=4).update([0], 1)


def tasks_with_two_functions(T, seed):
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0], [0, 3], [3, 0], [3, 3]], float)
    task, z = np.arange(T) % 2, corners[rng.integers(4, size=T)]
    return np.column_stack([task, z]), np.where((z[:, 0] > 1) ^ (task == 1), 1, -1)


@pytest.mark.parametrize("eta", [None, 0.1])
def test_the_certificate_finds_the_functions_of_the_tasks(eta):
    X, y = tasks_with_two_functions(64, seed=0)
    learner = ls.MultitaskRKHS(tasks=2, modes=2, complexity=40.0, length=32, eta=eta)
    certificate = ls.play(learner, X, y, engine="plain").certificate
    (verdict,) = certificate.verdicts
    assert verdict.guarantee.id == "T-MT-RKHS-ONLINE"
    assert verdict.verdict == "kept"
    assert "group of tasks" in verdict.comparator
    # as hard as it gets for a learner that knows no kernel: the other label each time
    assert (
        ls.play(learner.replace(complexity=2.0), X, y, engine="plain").certificate.verdict
        != "broken"
    )


def test_switching_functions_are_found():
    from littlestone.matrices.task_comparators import cheapest_path

    cost = np.random.default_rng(0).random((3, 7))
    path = cheapest_path(cost, 0.4)
    every = list(itertools.product(range(3), repeat=7))
    prices = [
        cost[list(p), range(7)].sum() + 0.4 * sum(a != b for a, b in itertools.pairwise(p))
        for p in every
    ]
    assert tuple(path.tolist()) == every[int(np.argmin(prices))]


@pytest.mark.parametrize("modes", [1, 2, 3])
@pytest.mark.parametrize("eta", [0.1, 0.4, 1.5])
def test_nobody_beats_the_theorem_of_several_tasks(modes, eta):
    """The label that the learner thinks less likely, each time."""
    rng = np.random.default_rng(modes)
    corners = np.array([[0, 0], [0, 3], [3, 0]], float)
    T, rows, labels = 48, [], []
    learner = ls.MultitaskRKHS(
        kernel="gaussian:1", tasks=2, modes=modes, length=24, complexity=12.0 * modes, eta=eta
    )
    live = learner
    for t in range(T):
        x = [t % 2, *corners[rng.integers(3)]]
        labels.append(-1 if live.ask(x).decision > 0 else 1)
        rows.append(x)
        live = live.update(x, labels[-1])
    run = ls.play(learner, np.array(rows), np.array(labels), engine="plain")
    assert run.loss >= T / 2
    assert run.certificate.verdict == "kept"
