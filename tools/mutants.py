"""Plant bugs, one at a time, and see whether the tests notice: the teeth of the test suite.

    for each mutant:  copy the sources to a temporary folder, replace one text by another there,
                      run the tests that know the file until one fails; the short campaign comes last

    python tools/mutants.py             all of them; exit code 1 if one survives
    python tools/mutants.py --list      what would be planted
    python tools/mutants.py --only NAME [--only NAME ...] [-j 2] [--json FILE] [--tree FOLDER] [--campaign]
    python tools/mutants.py --quick     with the tests of `make quick` alone: how many does that tier catch?

The working tree is never touched. Tests run in the plain engine: a bug in a rule is a bug in both engines, since a
rule is written once, and plain needs no compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/littlestone")
CAMPAIGN = "lectures/tests/test_campaign.py"
KINDS = ("sign", "rate", "constant", "normalisation", "tie", "index", "missing update")


class Mutant(NamedTuple):
    name: str
    kind: str
    file: str  # below src/littlestone
    old: str  # occurs exactly once in the file
    new: str
    key: str = ""  # the learner whose generic tests are run


MUTANTS = [
    # Experts.
    Mutant("ewa-rate", "rate", "experts/exponential_weights.py",
           "math.sqrt(8 * math.log(shape.n) / shape.T) / shape.span",
           "8 * math.log(shape.n) / shape.T / shape.span", "exponential-weights"),
    Mutant("ewa-sign", "sign", "experts/exponential_weights.py",
           "state.L[i] += f.ell[i]", "state.L[i] -= f.ell[i]", "hedge"),
    Mutant("ewa-anytime-rate", "rate", "experts/exponential_weights.py",
           "state.c / math.sqrt(state.t + 2.0)", "state.c / (state.t + 2.0)", "hedge"),
    Mutant("ewa-span", "normalisation", "experts/exponential_weights.py",
           "c = 2 * math.sqrt(math.log(max(2, shape.n))) / shape.span",
           "c = 2 * math.sqrt(math.log(max(2, shape.n)))", "hedge"),
    Mutant("rwm-rate", "rate", "experts/exponential_weights.py",
           "return -math.log(self.beta)", "return 1.0 - self.beta",
           "randomized-weighted-majority"),
    Mutant("ewa-bound", "constant", "experts/exponential_weights.py",
           "return np.log(s.n) / s.eta + s.eta * s.B**2 * s.T / 8",
           "return np.log(s.n) / s.eta + s.eta * s.B**2 * s.T / 16", "hedge"),
    Mutant("hedge-bound-loose", "constant", "experts/exponential_weights.py",
           "lambda s: np.log(s.n) / s.eta + s.eta * s.B**2 * s.T / 2,",
           "lambda s: np.log(s.n) / s.eta + s.eta * s.B**2 * s.T,", "hedge"),
    Mutant("rwm-bound", "sign", "experts/exponential_weights.py",
           "(2 - s.beta) * s.L", "(2 + s.beta) * s.L", "randomized-weighted-majority"),
    Mutant("wa-prior-sign", "sign", "experts/weighted_average.py",
           "L=-np.log(p) / self.eta", "L=np.log(p) / self.eta", "weighted-average"),
    Mutant("wm-beta", "rate", "experts/weighted_majority.py",
           "softmin(state.M, -math.log(self.beta), state.p)",
           "softmin(state.M, -2.0 * math.log(self.beta), state.p)", "weighted-majority"),
    Mutant("wm-every", "missing update", "experts/weighted_majority.py",
           "if self.always or f.own > 0.0:", "if f.own > 0.0:", "weighted-majority"),
    Mutant("wm-bound", "constant", "experts/weighted_majority.py",
           "math.log(2 / (1 + s.beta))", "math.log(2 / s.beta)", "weighted-majority"),
    Mutant("wm-263", "constant", "experts/weighted_majority.py",
           "lambda s: 2.633 * (s.L + np.log(s.n)),", "lambda s: 2.633 * s.L + np.log(s.n),",
           "weighted-majority"),
    Mutant("halving-mistakes-only", "missing update", "experts/halving.py",
           "if self.always or f.own > 0.0:", "if f.own > 0.0:", "halving"),
    Mutant("consistent-index", "index", "experts/consistent.py",
           "state.alive[used] = 0.0", "state.alive[used - 1] = 0.0", "consistent"),
    Mutant("fixed-share-mass", "normalisation", "experts/fixed_share.py",
           "keep = (1.0 - alpha - part) / mass if n > 1 else 1.0 / mass",
           "keep = (1.0 - alpha) / mass if n > 1 else 1.0 / mass", "fixed-share"),
    Mutant("fixed-share-others", "index", "experts/fixed_share.py",
           "part = alpha / (n - 1.0) if n > 1 else 0.0", "part = alpha / n if n > 1 else 0.0",
           "fixed-share"),
    Mutant("fixed-share-nats", "index", "experts/fixed_share.py",
           "return -xlog(k, s.alpha) - xlog(s.T - 1 - k, 1 - s.alpha)",
           "return -xlog(k, s.alpha) - xlog(s.T - k, 1 - s.alpha)", "fixed-share"),
    Mutant("fixed-share-first", "missing update", "experts/fixed_share.py",
           "return np.log(s.n) + np.maximum(sharing(s, k) + xlog(k, s.n - 1), sharing(s, 0 * k))",
           "return np.maximum(sharing(s, k) + xlog(k, s.n - 1), sharing(s, 0 * k))", "fixed-share"),
    Mutant("variable-share-keep", "sign", "experts/fixed_share.py",
           "(1.0 - decay(state.c * f.ell[i]))", "decay(state.c * f.ell[i])", "variable-share"),
    Mutant("variable-share-pool", "normalisation", "experts/fixed_share.py",
           "state.p[i] - mine + (pool - mine) / (n - 1.0)", "state.p[i] - mine + pool / (n - 1.0)",
           "variable-share"),
    Mutant("past-posteriors-sum", "missing update", "experts/mixing_past_posteriors.py",
           "            state.S[i] += v\n", "", "mixing-past-posteriors"),
    Mutant("adahedge-gap", "sign", "experts/adahedge.py",
           "m = best - (total(G, eta) - state.mass) / eta",
           "m = best + (total(G, eta) - state.mass) / eta", "adahedge"),
    Mutant("adahedge-rate", "rate", "experts/adahedge.py",
           "return min(math.log(n) / Delta, 1e150)", "return min(math.log2(n) / Delta, 1e150)",
           "adahedge"),
    Mutant("adahedge-bound", "constant", "experts/adahedge.py",
           "lambda s: 2 * s.Delta,", "lambda s: s.Delta,", "adahedge"),
    Mutant("ml-poly-variance", "missing update", "experts/ml_poly.py",
           "        V[i] += r * r\n        w[i] = max(R[i], 0.0) / (B + V[i])",
           "        w[i] = max(R[i], 0.0) / (B + V[i])", "ml-poly"),
    Mutant("squint-penalty", "sign", "experts/squint.py",
           "w[i] += g * decay(eta * (R[i] - eta * V[i]) - high)",
           "w[i] += g * decay(eta * (R[i] - 2.0 * eta * V[i]) - high)", "squint"),
    Mutant("boa-rate", "rate", "experts/boa.py",
           "eta[i] = 1.0 / max(2.0 * E, root * math.sqrt(V[i]))",
           "eta[i] = 1.0 / max(E, root * math.sqrt(V[i]))", "boa"),
    Mutant("boa-penalty", "sign", "experts/boa.py",
           "S[i] += r - eta[i] * (c * r) * (c * r)", "S[i] += r + eta[i] * (c * r) * (c * r)", "boa"),
    Mutant("tracker-share", "index", "experts/tracker.py",
           "return SHARE if b % SHARES else 1.0 / t", "return SHARE if b % SHARES else 1.0 / (t + 1.0)",
           "tracker"),
    Mutant("tracker-debt", "missing update", "experts/tracker.py",
           "        state.debt[b] += cost\n", "", "tracker"),
    # Linear learners.
    Mutant("perceptron-sign", "sign", "linear/perceptron.py",
           "add(state.w, self.eta * f.h * f.y, x)", "add(state.w, -self.eta * f.h * f.y, x)", "perceptron"),
    Mutant("perceptron-tie", "tie", "linear/perceptron.py",
           "return (y * score < 0.0) | ((test == 0) & (score == 0.0))", "return y * score < 0.0", "perceptron"),
    Mutant("perceptron-bound", "constant", "linear/perceptron.py",
           "return np.where(s.H == 0, s.R2 * s.U2, np.inf)",
           "return np.where(s.H == 0, np.sqrt(s.R2) * s.U2, np.inf)", "perceptron"),
    Mutant("perceptron-delta", "constant", "linear/perceptron.py",
           "lambda s: (np.sqrt(s.R2 * s.U2) + np.sqrt(s.H2)) ** 2,",
           "lambda s: (np.sqrt(s.R2 * s.U2) + s.H2) ** 2,", "perceptron"),
    Mutant("winnow1-tie", "tie", "linear/winnow1.py",
           "(score > 0.0 or (score == 0.0 and not self.strict)) != (y > 0.0)",
           "(score > 0.0) != (y > 0.0)", "winnow1"),
    Mutant("winnow1-demotion", "rate", "linear/winnow1.py",
           "w[i] = 2.0 * w[i] if y > 0.0 else 0.0", "w[i] = 2.0 * w[i] if y > 0.0 else 0.5 * w[i]",
           "winnow1"),
    Mutant("winnow1-sharp", "index", "linear/winnow1.py",
           "2 * c - 1 + strict * (s.theta == 2**c)", "2 * c - 2 + strict * (s.theta == 2**c)", "winnow1"),
    Mutant("winnow2-promotion", "missing update", "linear/winnow2.py",
           "step = 1 if y > 0.0 else -1", "step = 0 if y > 0.0 else -1", "winnow2"),
    Mutant("winnow2-log", "constant", "linear/winnow2.py",
           "return 3 * s.k * (np.log2(s.theta) + 1) + 2 * s.mass",
           "return 3 * s.k * (np.log(s.theta) + 1) + 2 * s.mass", "winnow2"),
    Mutant("winnow-eg-bound", "constant", "linear/winnow_eg.py",
           "progress = s.eta * rho - 0.5 * s.eta**2 * r**2", "progress = s.eta * rho - 0.5 * s.eta * r**2",
           "winnow-eg"),
    Mutant("elimination-index", "index", "linear/elimination.py",
           "state.c[index(x, j)] = 0.0\n", "state.c[j - 1] = 0.0\n", "elimination"),
    Mutant("conjunction-count", "constant", "linear/elimination.py",
           "lambda s: s.met - s.k + 1,", "lambda s: s.met - s.k,", "elimination-conjunction"),
    Mutant("ogd-steps", "constant", "linear/parts/descent.py",
           "sums[STEPS] += eta * (f.h * g) * (f.h * g) * n", "sums[STEPS] += eta * (f.h * g) * (f.h * g)",
           "ogd"),
    Mutant("ogd-projection", "normalisation", "linear/parts/descent.py",
           "c *= radius / math.sqrt(length2)", "c *= radius / length2", "ogd"),
    Mutant("adagrad-root", "rate", "linear/adagrad.py",
           "A = math.sqrt(G[i]) / eta", "A = G[i] / eta", "adagrad"),
    Mutant("pa-variant", "constant", "linear/passive_aggressive.py",
           "return short / (n + 0.5 / C)", "return short / (n + 0.5 * C)", "passive-aggressive"),
    Mutant("second-order", "normalisation", "linear/parts/cholesky.py",
           "c, s = R[k, k] / long, z[k] / long", "c, s = R[k, k] / long, z[k] / R[k, k]",
           "second-order-perceptron"),
    Mutant("p-norm-power", "rate", "linear/p_norm_perceptron.py",
           "score += (abs(v) ** (p - 1.0) if v > 0.0", "score += (abs(v) ** p if v > 0.0", "p-norm-perceptron"),
    Mutant("eg-sign", "sign", "linear/eg_plus_minus.py",
           "total += (w if state.q[i] > 0.0 else -w)", "total += w", "eg-plus-minus"),
    Mutant("coin-fraction", "rate", "linear/coin_betting.py",
           "        return theta / S\n", "        return 2.0 * theta / S\n", "coin-betting"),
    Mutant("ftrl-pull", "sign", "linear/ftrl_proximal.py",
           "state.z[i] += g - rise * w", "state.z[i] += g + rise * w", "ftrl-proximal"),
    Mutant("softmax-target", "sign", "linear/softmax.py",
           "e[c] = e[c] / total - (1.0 if c == y else 0.0)", "e[c] = e[c] / total + (1.0 if c == y else 0.0)",
           "softmax"),
    Mutant("multiclass-rival", "tie", "linear/multiclass_perceptron.py",
           "if r < 0 or s[y] > s[r]:", "if r < 0 or s[y] >= s[r]:", "multiclass-perceptron"),
    Mutant("arow-full-h", "rate", "linear/arow.py",
           "root = math.sqrt(f.h / self.r)", "root = math.sqrt(1.0 / self.r)", "arow"),
    Mutant("eg-cut", "constant", "linear/eg_plus_minus.py",
           "g * (2.0 * G / move)", "g * (G / move)", "eg-plus-minus"),
    Mutant("winnow2-eps", "constant", "linear/winnow2.py",
           "2.3e-16 * (size(x) + 1) * state.theta", "2.3e-19 * (size(x) + 1) * state.theta", "winnow2"),
    Mutant("coin-log-price", "missing update", "linear/parts/coin_betting.py",
           "    row[LOG_PRICE] += r\n", "    row[LOG_PRICE] += 0.0\n", "online-linear"),
    Mutant("coin-above-scale", "normalisation", "linear/parts/coin_betting.py",
           "    if is_above_scale(reach, row[INVERSE_SCALE]):\n",
           "    if is_above_scale(1e-9 * reach, row[INVERSE_SCALE]):\n", "online-linear"),
    Mutant("outer-max-gradient", "rate", "linear/parts/outer_mixture.py",
           "slope, wealth, 4.0 * half,", "slope, wealth, 0.5 * half,", "online-linear-regression"),
    Mutant("outer-clip", "missing update", "linear/parts/outer_mixture.py",
           "    by_coin = min(max(by_coin, low), high)\n", "", "online-linear-regression"),
    Mutant("outer-difference", "normalisation", "linear/parts/outer_mixture.py",
           "        stats[LOSS_DIFFERENCE] *= ", "        stats[LOSS_DIFFERENCE] += 0.0 * ",
           "online-linear-regression"),
    Mutant("outer-price", "constant", "linear/parts/outer_mixture.py",
           "- 1.0) - 0.5 * math.log(COIN_PRIOR)", "- 1.0) - 0.1 * math.log(COIN_PRIOR)", "online-linear-regression"),
    Mutant("ons-limit", "sign", "linear/online_newton.py",
           "step = (math.copysign(self.limit, now) - now) / s", "step = 0.0", "online-newton"),
    Mutant("coin-unit", "rate", "linear/parts/betting.py",
           "theta[i] *= weight / heavier", "theta[i] *= 1.0", "coin-betting"),
    Mutant("ftrl-l2", "constant", "linear/ftrl_proximal.py",
           "sums[STEPS] += g / (A + l2) * g", "sums[STEPS] += g / A * g", "ftrl-proximal"),
    Mutant("winnow-eg-tie", "tie", "linear/winnow_eg.py",
           "abs(up - down) > 1e-12 * (up + down)", "abs(up - down) > 1e-9 * (up + down)", "winnow-eg"),
    # Kernels.
    Mutant("kernel-tie", "tie", "kernels/learners/kernel_perceptron.py",
           "N, right = state.N, f.y * score > 0.0", "N, right = state.N, f.y * score >= 0.0", "kernel-perceptron"),
    Mutant("kernel-bound", "constant", "kernels/learners/kernel_perceptron.py",
           "solved(s, np.sqrt(s.heaviest * s.K * s.U2)), np.inf),",
           "solved(s, np.sqrt(s.heaviest * s.U2)), np.inf),", "kernel-perceptron"),
    Mutant("kogd-margin", "tie", "kernels/learners/kernel_gradient.py",
           "if f.y * score <= 1.0:", "if f.y * score <= 0.0:", "kernel-ogd"),
    Mutant("kogd-rate", "rate", "kernels/learners/kernel_gradient.py",
           "eta = self.U / math.sqrt(X2 * (N[T] if N[T] > 0.0 else N[SQUARES] + 1.0))",
           "eta = self.U / math.sqrt(X2) * (N[T] if N[T] > 0.0 else N[SQUARES] + 1.0)", "kernel-ogd"),
    Mutant("expansion-top", "missing update", "kernels/learners/expansion.py",
           "if old == N[TOP] and old > new:", "if old == N[TOP] and old < new:", "kernel-perceptron"),
    Mutant("random-last", "index", "kernels/learners/kernel_perceptron.py",
           "j = int(uniform(self.seed, int(N[COUNT]), 1) * j)",
           "j = int(uniform(self.seed, int(N[COUNT]), 1) * (j - 1))", "kernel-perceptron"),
    Mutant("kogd-cost", "constant", "kernels/learners/kernel_gradient.py",
           "N[V] += N[PACE] * f.h * f.h * k", "N[V] += N[PACE] * f.h * k", "kernel-ogd"),
    # Convex optimisation.
    Mutant("pgd-sign", "sign", "convex/projected_gradient.py",
           "state.theta[i] -= eta * f.ell[i]", "state.theta[i] += eta * f.ell[i]", "projected-gradient"),
    Mutant("pgd-projection", "missing update", "convex/projected_gradient.py",
           "            self.set.project(state.theta, state.Y)  # type: ignore[union-attr]\n", "",
           "projected-gradient"),
    Mutant("pgd-bound", "constant", "convex/projected_gradient.py",
           "lambda s: s.D**2 / (2 * s.eta) + s.eta * s.lip**2 * s.T / 2,",
           "lambda s: s.D**2 / (4 * s.eta) + s.eta * s.lip**2 * s.T / 2,", "projected-gradient"),
    Mutant("mirror-normal", "normalisation", "convex/mirror_descent.py",
           "p[i] *= total / s", "p[i] /= s", "mirror-descent"),
    Mutant("lazy-sum", "missing update", "convex/lazy_ftrl.py",
           "state.G[i] += share * f.ell[i]", "state.G[i] = share * f.ell[i]", "lazy-ftrl"),
    Mutant("leader-mean", "index", "convex/follow_the_leader.py",
           "state.G[i] += (f.h / weight) * (x[i] - state.G[i])",
           "state.G[i] += (f.h / (weight + f.h)) * (x[i] - state.G[i])", "follow-the-leader"),
    # Losses.
    Mutant("square-slope", "constant", "core/losses.py",
           "return 2.0 * (p - y)", "return p - y"),
    Mutant("pinball-side", "sign", "core/losses.py",
           "return self.quantile * (y - p) if y >= p else (1.0 - self.quantile) * (p - y)",
           "return (1.0 - self.quantile) * (y - p) if y >= p else self.quantile * (p - y)"),
    Mutant("logistic-slope", "sign", "core/losses.py",
           "return -y * (e * right if y * p > 0.0 else right)",
           "return -y * (right if y * p > 0.0 else e * right)"),
    Mutant("exp-concavity", "constant", "core/losses.py",
           "return 0.5 / (loss.high - loss.low) ** 2", "return 2.0 / (loss.high - loss.low) ** 2"),
    Mutant("mixability-scale", "normalisation", "core/losses.py",
           "return 2.0 / (loss.high - loss.low) ** 2", "return 2.0 / (loss.high - loss.low)"),
    # Games.
    Mutant("vote-tie", "tie", "games/experts.py",
           "self.tie == 1 and lead >= -slack", "self.tie == 0 and lead >= -slack"),
    Mutant("substitution-sign", "sign", "games/experts.py",
           "0.5 * (low + high) + 0.5 * g / (high - low)", "0.5 * (low + high) - 0.5 * g / (high - low)"),
    Mutant("draw-cost", "normalisation", "games/experts.py",
           "own += d[i] * scratch.ell[i] if d[i] > 0.0 else 0.0", "own += scratch.ell[i] if d[i] > 0.0 else 0.0"),
    # Hindsight.
    Mutant("sequences-shift", "index", "hindsight/folds/sequences.py",
           "np.minimum(D[1:], M[:-1, None], out=D[1:])", "np.minimum(D[1:], M[1:, None], out=D[1:])"),
    Mutant("sequences-order", "missing update", "hindsight/folds/sequences.py",
           "        start[1:][M[:-1, None] < D[1:]] = first + t\n", ""),
    Mutant("totals-squares", "missing update", "hindsight/folds/totals.py",
           "squares = regrets * regrets", "squares = np.abs(regrets)"),
    Mutant("totals-unanswered", "index", "hindsight/folds/totals.py",
           "if not known.all():", "if False:"),
    Mutant("attribute-errors", "constant", "hindsight/search/boolean.py",
           "return float((on[y > 0] == 0).sum() + on[y < 0].sum())",
           "return float((on[y > 0] == 0).sum() + (on[y < 0] > 0).sum())"),
    Mutant("kernel-norm", "sign", "hindsight/search/kernel_norms.py",
           "g = 1.0 - y[i] * f[i]", "g = 1.0 + y[i] * f[i]"),
    Mutant("hinge-norm", "constant", "hindsight/search/kernel_norms.py",
           "H2.append(float(h @ short**2))", "H2.append(float(h @ short) ** 2)"),
    # The judge.
    Mutant("judge-sum", "missing update", "core/guarantee.py",
           "total = total + np.broadcast_to(compute_bound(g, s), L.shape)",
           "total = 0 * total + np.broadcast_to(compute_bound(g, s), L.shape)"),
    Mutant("judge-slack", "constant", "core/guarantee.py",
           ", SURE * made_of), LOOSE * made_of + blur", ", SURE * made_of), 0.1 * made_of + blur"),
    Mutant("judge-several", "index", "core/guarantee.py",
           "return np.full(len(L), max(each)), False", "return np.full(len(L), min(each)), False"),
    Mutant("judge-sign", "sign", "core/guarantee.py",
           "        return loss - L, True\n", "        return L - loss, True\n"),
    # Prediction sets.
    Mutant("aci-clip", "missing update", "conformal/learners/aci.py",
           "state.a + self.gamma * (alpha - missed), remembered",
           "min(max(state.a + self.gamma * (alpha - missed), 0.0), 1.0), remembered", "aci"),
    Mutant("steps-clip", "missing update", "conformal/learners/variable_steps.py",
           "state.q + step * (missed - alpha), 1.0 / step",
           "max(0.0, state.q + step * (missed - alpha)), 1.0 / step", "sf-ogd"),
    Mutant("tracker-delay", "index", "conformal/learners/quantile_tracker.py",
           "(1 + waited(s)) * s.eta", "waited(s) * s.eta", "quantile-tracker"),
    Mutant("cover-delay", "index", "conformal/learners/corridor.py",
           "(waited(s) + 1) * (1 - tail)", "waited(s) * (1 - tail)", "cover"),
    Mutant("sets-tie", "tie", "games/sets.py",
           "1.0 * (y.y > a[1])", "1.0 * (y.y >= a[1])", "quantile-tracker"),
    # Graphs.
    Mutant("trees-beta", "sign", "graphs/learners/tree_beliefs.py",
           "        if c != y:\n            M[v, c] -= cost",
           "        if c == y:\n            M[v, c] -= cost", "spanning-trees"),
    Mutant("trees-classes", "constant", "graphs/learners/tree_comparators.py",
           "math.log((K - 1.0) / theta), -math.log(1.0 - theta)",
           "math.log(1.0 / theta), -math.log(1.0 - theta)", "spanning-trees"),
    Mutant("trees-share", "constant", "graphs/learners/tree_beliefs.py",
           "return 1.0 - theta * K / (K - 1.0)", "return 1.0 - theta * K", "spanning-trees"),
    Mutant("trees-weights", "sign", "graphs/learners/wires.py",
           "median / weights_above(graph, tree)", "weights_above(graph, tree) / median",
           "spanning-trees"),
    Mutant("seminorm-rho", "constant", "graphs/learners/p_seminorm.py",
           "(s.rho * s.energy) ** (2.0 / s.p) / (s.p - 1.0)",
           "(s.rho * s.energy) ** (2.0 / s.rho) / (s.rho - 1.0)", "p-seminorm"),
    Mutant("seminorm-ground", "sign", "graphs/learners/rank_one.py",
           "base = G[r, r] - G[v, r]", "base = G[r, r] + G[v, r]", "p-seminorm"),
    Mutant("seminorm-column", "missing update", "graphs/learners/rank_one.py",
           "            add(z, -G[s, v], G[s])\n", "            add(z, 0.0, G[s])\n", "p-seminorm"),
    Mutant("cover-bound-rho", "constant", "graphs/algorithms/mistake_bounds.py",
           "return float(sets + (rho * energy) ** (2.0 / p) / (p - 1.0))",
           "return float(sets + (rho * energy) ** (2.0 / rho) / (rho - 1.0))", ""),
    Mutant("spine-far", "tie", "graphs/learners/spine.py",
           "right >= 0 and 1.0 / (right - at) > near", "right >= 0", "spine"),
    Mutant("soa-tie", "tie", "experts/soa.py",
           "wrong = zero if score > 0 or (score == 0 and tie) else one",
           "wrong = zero if score >= 0 else one", "soa"),
]  # fmt: skip

# Which tests know a file, the quick ones first; the first prefix that fits.
KNOWN = [
    ("experts/halving", ["tests/experts/test_version_spaces.py"]),
    ("experts/consistent", ["tests/experts/test_version_spaces.py"]),
    ("experts/weighted_majority", ["tests/experts/test_version_spaces.py", "tests/environments/test_environments.py"]),
    ("experts/fixed_share", ["tests/experts/test_tracking.py"]),
    ("experts/mixing_past", ["tests/experts/test_tracking.py"]),
    ("experts/tracker", ["tests/experts/test_tracker.py"]),
    ("experts/exponential", ["tests/environments/test_environments.py", "tests/play/test_play.py"]),
    ("experts/", ["tests/experts/test_self_tuning.py"]),
    ("linear/perceptron", ["tests/linear/test_perceptron.py"]),
    ("linear/second_order", ["tests/linear/test_perceptron.py"]),
    ("linear/p_norm", ["tests/linear/test_perceptron.py"]),
    ("linear/winnow", ["tests/linear/test_winnow.py"]),
    ("linear/elimination", ["tests/linear/test_winnow.py", "tests/linear/test_boolean.py"]),
    ("linear/eg_plus", ["tests/linear/test_winnow.py"]),
    ("linear/multiclass", ["tests/linear/test_multiclass.py"]),
    ("linear/softmax", ["tests/linear/test_multiclass.py"]),
    ("linear/parts/outer", ["tests/linear/test_outer_mixture.py"]),
    ("linear/parts/coin_betting", ["tests/linear/test_coin_betting.py"]),
    ("linear/", ["tests/linear/test_gradient_learners.py", "tests/linear/test_gradient.py"]),
    ("kernels/learners/", ["tests/kernels/test_kernel_learners.py"]),
    ("convex/", ["tests/convex/test_convex_learners.py"]),
    ("conformal/", ["tests/conformal/test_coverage.py", "tests/falsify/test_sets_and_graphs.py"]),
    ("graphs/learners/", [
        "tests/graphs/test_trees_and_spines.py",
        "tests/graphs/test_graph_learners.py",
        "tests/falsify/test_sets_and_graphs.py",
    ]),
    ("graphs/algorithms/", ["tests/graphs/test_p_resistance.py"]),
    ("games/sets", ["tests/falsify/test_sets_and_graphs.py"]),
    ("core/losses", [
        "tests/core/test_losses.py",
        "tests/hindsight/test_best_linear.py",
        "tests/linear/test_gradient.py",
        "tests/play/test_play.py",
    ]),
    ("games/", [
        "tests/experts/test_version_spaces.py",
        "tests/experts/test_tracking.py",
        "tests/environments/test_environments.py",
    ]),
    ("hindsight/search/boolean", ["tests/linear/test_boolean.py", "tests/linear/test_winnow.py"]),
    ("hindsight/search/kernel", ["tests/kernels/test_kernel_learners.py"]),
    ("hindsight/", ["tests/hindsight/test_hindsight.py", "tests/experts/test_self_tuning.py"]),
    ("core/guarantee", ["tests/play/test_play.py", "tests/linear/test_perceptron.py"]),
]  # fmt: skip
EVERY = [
    "tests/every/test_every_learner.py",
    "tests/every/test_every_expert.py",
    "tests/every/test_every_example_learner.py",
    "tests/every/test_every_bandit.py",
    "tests/every/test_every_guarantee.py",
]
TEETH = "tests/every/test_teeth.py"
# it asks this file whether every bug still applies, which a planted one does not
LISTED = f"{TEETH}::test_every_planted_bug_still_applies"
BY_HAND = "tests/every/test_rules_by_hand.py"  # of these, quick and sharp:
RULES = ("conformal/", "experts/", "games/", "linear/", "kernels/learners/")


def stages(m: Mutant, only: str = "") -> list[list[str]]:
    """Arguments of pytest, one list after the other until a test fails.

    `only` is "campaign" for the short campaign alone, and "quick" for the quick tier, all of it in the end.
    """
    last = [CAMPAIGN, "-k", m.key] if m.key else [CAMPAIGN]
    if only == "campaign":
        return [last]
    found = [[f"{PACKAGE}/{m.file}"], [TEETH]]
    if m.file.startswith(RULES):
        found.insert(1, [BY_HAND])
    if m.key:
        found.append([*EVERY, "-k", m.key])
    found.append(next(tests for prefix, tests in KNOWN if m.file.startswith(prefix)))
    if not m.key:
        found.append([EVERY[0], EVERY[2]])
        found.append([EVERY[1]])
    if only == "quick":  # fewer processes: of these tests none takes long
        by_key = [tests for tests in found if "-k" in tests]
        together = [test for tests in found if "-k" not in tests for test in tests]
        return [[*tests, "--quick"] for tests in (together, *by_key, ["tests", "src"])]
    return [*found, last]


def planted(m: Mutant, text: str) -> str:
    """The file with the bug in it; a mutant that does not apply any more is an error, not a survivor."""
    if text.count(m.old) != 1:
        raise SystemExit(
            f"{m.name}: its text occurs {text.count(m.old)} times in {m.file}, not once"
        )
    return text.replace(m.old, m.new)


class Copy:
    """The sources in a folder of their own, in which one mutant at a time is planted."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder, self.clock = folder, time.time()
        self.sound: set[str] = set()  # tests that are known to pass without any bug
        ignored = shutil.ignore_patterns(
            "__pycache__", "*.code", "*.nbi", "*.nbc", "site", "images"
        )
        for part in ("src", "lectures", "tests", "tools", "docs", "examples", "benchmarks"):
            shutil.copytree(tree / part, folder / part, ignore=ignored)
        for name in ("pyproject.toml", "README.md", "conftest.py"):
            shutil.copy(tree / name, folder)

    def write(self, file: Path, text: str) -> None:
        """Write, at a time that no cached byte code has seen."""
        file.write_text(text, encoding="utf-8")
        self.clock += 10.0
        os.utime(file, (self.clock, self.clock))

    def attack(self, m: Mutant, only: str) -> tuple[str, float]:
        """The first test that fails, or "" where the mutant survives; and the seconds that took."""
        file = self.folder / PACKAGE / m.file
        text, began, caught = file.read_text(encoding="utf-8"), time.monotonic(), ""
        self.write(file, planted(m, text))
        try:
            for arguments in stages(m, only):
                caught = self.tested(arguments)
                if caught:
                    break
        finally:
            self.write(file, text)
        if caught and caught not in self.sound:
            if self.tested([caught]) and self.tested([caught]):  # twice: a busy machine is no bug
                raise SystemExit(f"{caught} fails without {m.name} too: mend it first")
            self.sound.add(caught)
        return caught, time.monotonic() - began

    def tested(self, arguments: list[str]) -> str:
        there = [a for a in arguments if not a.endswith(".py") or (self.folder / a).exists()]
        if not any(".py" in a or (self.folder / a).is_dir() for a in there):
            return ""
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
             "-o", "addopts=--doctest-modules", "--no-header", "--tb=no", "-rfE", "--deselect", LISTED, *there],
            cwd=self.folder,
            env=os.environ | {
                "PYTHONPATH": os.pathsep.join((str(self.folder / "src"), str(self.folder / "lectures" / "src"))),
                "LITTLESTONE_ENGINE": "plain",
                "OPENBLAS_NUM_THREADS": "1",
                "CI": "1",  # Hypothesis: the same examples every time, and no deadline on a busy machine
            },
            capture_output=True,
            text=True, encoding="utf-8",
            check=False,
        )  # fmt: skip
        if done.returncode in (0, 5):  # all passed, or there was none
            return ""
        found = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        if done.returncode == 1 and found:
            return found[1]
        if done.returncode == 2 and found:  # it cannot even be imported
            return found[1]
        raise SystemExit(
            f"pytest {arguments} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


def chosen(only: list[str]) -> list[Mutant]:
    unknown = set(only) - {m.name for m in MUTANTS}
    if unknown:
        raise SystemExit(f"no such mutant: {', '.join(sorted(unknown))}")
    return [m for m in MUTANTS if not only or m.name in only]


def listed(mutants: list[Mutant], tree: Path) -> None:
    for m in mutants:
        planted(m, (tree / PACKAGE / m.file).read_text(encoding="utf-8"))
        print(f"{m.name:24}{m.kind:16}{m.file}")
    kinds = ", ".join(f"{sum(m.kind == k for m in mutants)} {k}" for k in KINDS)
    print(f"{len(mutants)} mutants: {kinds}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--list", action="store_true", help="list the mutants and check that they apply"
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="just this one; may be repeated"
    )
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many at a time")
    parser.add_argument(
        "--campaign", action="store_true", help="ask the short campaign alone, and no other test"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="ask the tests of `make quick` alone, and no other test",
    )
    parser.add_argument("--json", metavar="FILE", help="write what was found to a file")
    parser.add_argument(
        "--tree", type=Path, default=ROOT, help="the sources to copy; the project's own otherwise"
    )
    asked = parser.parse_args()
    mutants = chosen(asked.only)
    if asked.list:
        listed(mutants, asked.tree)
        return 0
    only = "quick" if asked.quick else "campaign" if asked.campaign else ""
    survivors: list[Mutant] = []
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for j in range(max(1, asked.jobs)):
            copies.put(Copy(asked.tree, Path(folder) / str(j)))

        def attack(m: Mutant) -> tuple[str, float]:
            copy = copies.get()
            try:
                return copy.attack(m, only)
            finally:
                copies.put(copy)

        with ThreadPoolExecutor(max(1, asked.jobs)) as pool:
            for m, (test, seconds) in zip(mutants, pool.map(attack, mutants), strict=True):
                print(f"{m.name:24}{m.kind:16}{seconds:6.1f} s  {test or 'SURVIVED'}", flush=True)
                found.append({"mutant": m.name, "kind": m.kind, "file": m.file, "caught": test})
                if not test:
                    survivors.append(m)
    if asked.json:
        Path(asked.json).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    by = f" by the {only} tests" if only else ""
    print(f"{len(mutants) - len(survivors)} of {len(mutants)} caught{by}")
    for m in survivors:
        print(f"survived: {m.name} ({m.file}): {m.old!r} -> {m.new!r}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
