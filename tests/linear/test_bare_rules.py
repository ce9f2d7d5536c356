"""Each bare constructor beside the textbook's rule in a few lines of NumPy: 300 rounds, number for number."""

import math

import numpy as np
import pytest

import littlestone as ls

T, D, K = 300, 4, 3
rng = np.random.default_rng(7)
X = rng.normal(size=(T, D)) * [1.0, 3.0, 0.2, 1.0]
U = np.array([1.0, -0.5, 2.0, 0.0])
LABELS = np.where(X @ U + 0.5 * rng.normal(size=T) > 0, 1, -1)
CLASSES = np.argmax(X @ rng.normal(size=(D, K)) + 0.5 * rng.normal(size=(T, K)), axis=1)
NUMBERS = 0.2 * X @ U + 0.1 * rng.normal(size=T)


def perceptron():
    w = np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        if y * (w @ x) <= 0:
            w += y * x


def averaged_perceptron():
    w, total = np.zeros(D), np.zeros(D)
    for t, (x, y) in enumerate(zip(X, LABELS, strict=True)):
        yield (total + w) @ x / (t + 1)
        total += w
        if y * (w @ x) <= 0:
            w += y * x


def voted_perceptron():
    W, votes = [np.zeros(D)], [0]
    for x, y in zip(X, LABELS, strict=True):
        yield sum(c * np.sign(w @ x) for w, c in zip(W, votes, strict=True))
        if y * (W[-1] @ x) > 0:
            votes[-1] += 1
        else:
            W.append(W[-1] + y * x)
            votes.append(1)


def p_norm_perceptron():
    theta, p, top = np.zeros(D), max(2.0, 2 * math.log(D)), 0.0
    for x, y in zip(X, LABELS, strict=True):
        score = np.sign(theta) * np.abs(theta) ** (p - 1) @ x
        # up to a positive factor: the scores are divided by a power of two
        yield score / 2.0 ** (math.frexp(top)[1] * (p - 1)) if top else 0.0
        if y * score <= 0:
            theta += y * x
            top = max(top, np.abs(theta).max())


def second_order_perceptron():
    A, v = np.eye(D), np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        score = x @ np.linalg.solve(A, v)
        yield score
        if y * score <= 0:
            A += np.outer(x, x)
            v += y * x


def passive_aggressive():
    w = np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        w += max(0, 1 - y * (w @ x)) / (x @ x) * y * x


def passive_aggressive_1():
    w = np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        w += min(0.1, max(0, 1 - y * (w @ x)) / (x @ x)) * y * x


def passive_aggressive_2():
    w = np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        w += max(0, 1 - y * (w @ x)) / (x @ x + 1 / (2 * 0.1)) * y * x


def arow():
    w, V, r = np.zeros(D), np.ones(D), 10.0
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        if y * (w @ x) < 1:
            w = w + (1 - y * (w @ x)) / (V * x @ x + r) * y * V * x
            V = 1 / (1 / V + x * x / r)


def arow_full():
    w, K, r = np.zeros(D), np.eye(D), 10.0
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        if y * (w @ x) < 1:
            w = w + (1 - y * (w @ x)) / (x @ K @ x + r) * y * K @ x
            K = K - np.outer(K @ x, K @ x) / (x @ K @ x + r)


def ogd():
    w = np.zeros(D)
    for t, (x, y) in enumerate(zip(X, LABELS, strict=True), 1):
        yield w @ x
        if y * (w @ x) < 1:
            w += y * x / math.sqrt(t)


def logistic():
    w = np.zeros(D)
    for t, (x, y) in enumerate(zip(X, LABELS, strict=True), 1):
        yield w @ x
        w -= (1 / (1 + math.exp(-w @ x)) - (y == 1)) * x / math.sqrt(t)


def adagrad():
    w, G = np.zeros(D), np.zeros(D)
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        g = -y / (1 + math.exp(y * (w @ x))) * x
        G += g * g
        w -= g / np.sqrt(G)


def ftrl_proximal():
    z, G, w, l1 = np.zeros(D), np.zeros(D), np.zeros(D), 0.5
    for x, y in zip(X, LABELS, strict=True):
        yield w @ x
        g = -y / (1 + math.exp(y * (w @ x))) * x
        z += g - (np.sqrt(G + g * g) - np.sqrt(G)) * w
        G += g * g
        w = np.where(np.abs(z) <= l1, 0, -(z - np.sign(z) * l1) / (1 + np.sqrt(G)))


def online_newton():
    """On squares it is least squares: (a I + 2 X'X) w = 2 X'y."""
    A, b = 10.0 * np.eye(D), np.zeros(D)
    for x, y in zip(X, NUMBERS, strict=True):
        yield x @ np.linalg.solve(A, b)
        A += 2 * np.outer(x, x)
        b += 2 * y * x


def winnow_eg():
    q, updates = np.zeros(D), 0
    for x, y in zip(X, LABELS, strict=True):
        w = np.exp(2 / math.sqrt(updates + 1) * q)
        yield w @ x / w.sum()
        if y * (w @ x) <= 0:
            q += y * x
            updates += 1


def eg_plus_minus():
    q, V, limit, eta = np.zeros(D), 0.0, 0.0, 0.0
    for x, y in zip(X, NUMBERS, strict=True):
        p = np.sinh(eta * q) @ x / np.cosh(eta * q).sum()
        yield p
        q -= 2 * (p - y) * x
        V += (2 * (p - y) * np.abs(x).max()) ** 2
        if limit < V:
            limit = 2 * V
            eta = math.sqrt(math.log(2 * D) / limit)


def softmax():
    W = np.zeros((K, D))
    for t, (x, y) in enumerate(zip(X, CLASSES, strict=True), 1):
        yield W @ x
        P = np.exp(W @ x - (W @ x).max())
        W -= np.outer(P / P.sum() - np.eye(K)[y], x) / math.sqrt(t)


def multiclass_perceptron():
    W = np.zeros((K, D))
    for x, y in zip(X, CLASSES, strict=True):
        s = W @ x
        yield s
        r = max((c for c in range(K) if c != y), key=lambda c: s[c])
        if s[y] <= s[r]:
            W[y] += x
            W[r] -= x


def multiclass_passive_aggressive():
    W = np.zeros((K, D))
    for x, y in zip(X, CLASSES, strict=True):
        s = W @ x
        yield s
        r = max((c for c in range(K) if c != y), key=lambda c: s[c])
        tau = max(0, 1 - s[y] + s[r]) / (2 * x @ x)
        W[y] += tau * x
        W[r] -= tau * x


TWO = [
    (ls.Perceptron(), perceptron), (ls.AveragedPerceptron(), averaged_perceptron),
    (ls.VotedPerceptron(), voted_perceptron), (ls.PNormPerceptron(), p_norm_perceptron),
    (ls.SecondOrderPerceptron(), second_order_perceptron), (ls.PassiveAggressive(), passive_aggressive),
    (ls.PassiveAggressive(variant="I"), passive_aggressive_1),
    (ls.PassiveAggressive(variant="II"), passive_aggressive_2),
    (ls.AROW(), arow), (ls.AROW(full=True), arow_full), (ls.OGD(), ogd), (ls.Logistic(), logistic),
    (ls.AdaGrad(), adagrad), (ls.FTRLProximal(), ftrl_proximal), (ls.WinnowEG(), winnow_eg),
]  # fmt: skip
SEVERAL = [
    (ls.Softmax(), softmax), (ls.MulticlassPerceptron(), multiclass_perceptron),
    (ls.MulticlassPassiveAggressive(), multiclass_passive_aggressive),
]  # fmt: skip
OF_NUMBERS = [(ls.OnlineNewton(loss="square"), online_newton), (ls.EGPlusMinus(), eg_plus_minus)]
CASES = [
    *[(learner, LABELS, [-1, 1], rule) for learner, rule in TWO],
    *[(learner, CLASSES, list(range(K)), rule) for learner, rule in SEVERAL],
    *[(learner, NUMBERS, None, rule) for learner, rule in OF_NUMBERS],
]


@pytest.mark.parametrize(
    ("learner", "y", "labels", "rule"), CASES, ids=[case[3].__name__ for case in CASES]
)
def test_the_bare_constructor_is_the_rule(learner, y, labels, rule):
    more = {} if labels is None else {"labels": labels}
    run = ls.play(learner, X, y, engine="plain", certify=False, **more)
    assert np.squeeze(run.scores) == pytest.approx(np.array(list(rule())), rel=1e-12, abs=1e-12)


SEPARABLE = X[np.abs(X @ U) > 0.5]


@pytest.mark.parametrize("kind", [ls.Perceptron, ls.AveragedPerceptron, ls.VotedPerceptron])
def test_novikoff_is_kept_where_a_line_separates(kind):
    y = np.where(SEPARABLE @ U > 0, 1, -1)
    found = {
        v.guarantee.id: v.verdict for v in ls.play(kind(), SEPARABLE, y, engine="plain").certificate
    }
    assert found == {"T-PERC": "kept", "T-PERC-INSEP": "kept"}


@pytest.mark.parametrize(
    ("kind", "theorem"),
    [(ls.OGD, "T-OGD-ANY"), (ls.Logistic, "T-OGD-ANY"), (ls.AdaGrad, "T-ADAGRAD"), (ls.AROW, "T-AROW-DIAGONAL")],
)  # fmt: skip
def test_its_theorem_is_kept(kind, theorem):
    run = ls.play(kind(), X[:100], LABELS[:100], engine="plain")
    assert {v.guarantee.id: v.verdict for v in run.certificate}[theorem] == "kept"


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("ogd", {"eta": 0.1}), ("ogd", {"radius": 1.0}), ("logistic", {"eta": 0.1}), ("softmax", {"eta": 0.1}),
        ("adagrad", {"eta": 0.1}), ("ftrl-proximal", {"alpha": 0.1}), ("second-order-perceptron", {"a": 2.0}),
        ("winnow-eg", {"eta": 0.1}), ("eg-plus-minus", {"eta": 0.1}),
    ],
)  # fmt: skip
def test_a_rate_beside_scaling_is_refused(key, given):
    (name,) = given
    with pytest.raises(
        ls.BadInput, match=rf"{key}: {name}=.* is for features as they are; with norm"
    ):
        ls.learner(key, normalise=True, **given)
