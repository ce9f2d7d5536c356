"""One loop for every game: plain Python here, compiled by `compile.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.numeric import uniform
from ..core.outcome import Outcome
from ..core.vectors import BLOCK, out_of_range, read, row, start, write


class Out(NamedTuple):
    """What a loop writes down; an array of no rows is not written."""

    actions: np.ndarray  # T x k: actions; k is 1 for a label, a number, an arm
    costs: np.ndarray  # T: costs, expected where the game draws; NaN where the world gave no answer
    realised: np.ndarray  # T: what the drawn action cost; nothing is drawn where there are no rows
    expert_losses: np.ndarray  # T x n: the experts' losses
    shown_regrets: np.ndarray  # T x n: the regrets shown, where they are not cost less loss
    decisions: np.ndarray  # the decisions of every `every`-th round
    notes: np.ndarray  # the learner's notes after every `mark`-th round


def play_rounds(
    self: Any,
    game: Any,
    state: Any,
    X: Any,
    Y: Any,
    Z: Any,
    out: Any,
    scratch: Any,
    seed: int,
    t0: int,
    learn: int,
    every: int,
    mark: int,
    low: float,
    high: float,
) -> Any:
    """Play the rounds of X and Y, as many as `out` has room for, from `state`; they are numbered from t0.

    Z (the numbers of X, or of Y where there is no X, in one row) is checked a block ahead: at the first block with
    an entry that is not in [low, high] the loop stops and says where in `scratch.stop`. No check where low > high.
    `learn`: 0 only decides and acts, 1 also learns, 2 charges what the world answers and does not learn.
    """
    w, m, write_at, note_at, check_at = 0, 0, -1, -1, -1
    T = out.actions.shape[0]
    n = Z.shape[0] // max(1, T)
    block = max(1, BLOCK // max(1, n))
    if low <= high:
        check_at = 0
    if every > 0:
        write_at = (every - t0 % every) % every
    if mark > 0:
        note_at = mark - 1 - t0 % mark
    for t in range(T):
        if t == check_at:
            if out_of_range(Z, start(X, t, n), start(X, t + block, n), low, high):
                scratch.stop[0] = t
                return state
            check_at += block
        x, y = row(X, t), row(Y, t)
        d = self.decide(state, x)  # the learner decides
        # drawn only where it is wanted
        u = uniform(seed, t0 + t, 0) if out.realised.shape[0] > 0 else 0.0
        a = game.act(self, d, x, u, scratch)  # the game acts on it
        write(out.actions, t, a)
        write(scratch.last, 0, a)
        if t == write_at:
            write(out.decisions, w, d)
            w, write_at = w + 1, write_at + every
        if learn > 0:
            if game.known(y):
                f = game.feedback(d, a, x, y, scratch)  # the world answers
                out.costs[t] = game.cost(d, a, y, f)
                if out.realised.shape[0] > 0:
                    out.realised[t] = game.realised_cost(a, y)
                if out.expert_losses.shape[0] > 0:
                    game.keep(f, a, x, y, out.expert_losses, out.shown_regrets, t)
                if learn == 1:
                    state = self.learn_now(state, x, d, f)  # the learner learns
            else:
                out.costs[t] = np.nan
            if t == note_at:
                self.write_diagnostics(state, out.notes[m])
                m, note_at = m + 1, note_at + mark
    return state


def play_delayed(
    self: Any,
    game: Any,
    state: Any,
    X: Any,
    Y: Any,
    out: Any,
    scratch: Any,
    seed: int,
    t0: int,
    begin: int,
    D: Any,
    A: Any,
    first: Any,
    who: Any,
    every: int,
    mark: int,
) -> Any:
    """The same, when outcomes arrive late, in any order or never, and there is one copy of the learner.

    X and Y begin with `begin` rows of rounds before t0 that may still be learned from; D and A have room for the
    decision and the action of each row. When round t is over, the rows who[first[t]], …, who[first[t + 1] - 1] are
    answered, in this order.
    """
    w, m = 0, 0
    for t in range(out.actions.shape[0]):
        r, now = begin + t, t0 + t
        x, y = row(X, r), row(Y, r)
        d = self.decide(state, x)
        u = uniform(seed, now, 0) if out.realised.shape[0] > 0 else 0.0
        a = game.act(self, d, x, u, scratch)
        write(out.actions, t, a)
        write(scratch.last, 0, a)
        write(D, r, d)
        write(A, r, a)
        if every > 0 and now % every == 0:
            write(out.decisions, w, d)
            w += 1
        if game.known(y):  # the world's books, not yet shown
            f = game.feedback(d, a, x, y, scratch)
            out.costs[t] = game.cost(d, a, y, f)
            if out.realised.shape[0] > 0:
                out.realised[t] = game.realised_cost(a, y)
            if out.expert_losses.shape[0] > 0:
                game.keep(f, a, x, y, out.expert_losses, out.shown_regrets, t)
        else:
            out.costs[t] = np.nan
        for k in range(first[t], first[t + 1]):  # earlier rounds are answered
            r = who[k]
            x, y, then, did = row(X, r), row(Y, r), read(D, r, d), read(A, r, a)
            if game.known(y):
                state = self.learn(state, x, then, game.feedback(then, did, x, y, scratch))
        if mark > 0 and (now + 1) % mark == 0:
            self.write_diagnostics(state, out.notes[m])
            m += 1
    return state


def learn_late_rows(
    self: Any,
    game: Any,
    state: Any,
    X: Any,
    Y: Any,
    D: Any,
    A: Any,
    who: Any,
    d: Any,
    a: Any,
    scratch: Any,
) -> Any:
    """The outcomes of the rows `who` arrive, and no round is played; d and a are like theirs."""
    for k in range(who.shape[0]):
        r = who[k]
        x, y, then, did = row(X, r), row(Y, r), read(D, r, d), read(A, r, a)
        if game.known(y):
            state = self.learn(state, x, then, game.feedback(then, did, x, y, scratch))
    return state


def charge_rounds(
    self: Any, game: Any, state: Any, X: Any, Y: Any, D: Any, d: Any, a: Any, out: Any, scratch: Any
) -> Any:
    """What rounds have cost that were played before, by the decisions D and the actions `out.A`; d, a: like these."""
    for t in range(out.costs.shape[0]):
        x, y, then, did = row(X, t), row(Y, t), read(D, t, d), read(out.actions, t, a)
        if game.known(y):
            f = game.feedback(then, did, x, y, scratch)
            out.costs[t] = game.cost(then, did, y, f)
            game.keep(f, did, x, y, out.expert_losses, out.shown_regrets, t)
        else:
            out.costs[t] = np.nan
    return state


def learn_late(
    self: Any, game: Any, state: Any, X: Any, Y: Any, d: Any, a: Any, scratch: Any
) -> Any:
    """The outcome of one round arrives: learn from it with the decision and the action of then."""
    x = row(X, 0)
    return self.learn(state, x, d, game.feedback(d, a, x, row(Y, 0), scratch))


def act_on_row(self: Any, game: Any, state: Any, x: Any, seed: int, t: int) -> Any:
    """The action for one example, and nothing else."""
    d = self.decide(state, x)
    return game.act(self, d, x, uniform(seed, t, 0), 0.0)


def pull(self: Any, game: Any, state: Any, x: Any, seed: int, t: int, W: Any) -> Any:
    """The action for one round, and the decision behind it in W; NaN where one of them is not finite."""
    d = self.decide(state, x)
    a = game.act(self, d, x, uniform(seed, t, 0), 0.0)
    write(W, 0, d)
    total = a
    for i in range(W.shape[1]):
        total += W[0, i]
    return a if np.isfinite(total) else np.nan


def learn_row(
    self: Any, game: Any, state: Any, x: Any, y: float, h: float, seed: int, t: int
) -> Any:
    """One round with one example, for games that need no scratch space."""
    outcome = Outcome(y, h)
    if game.known(outcome):
        d = self.decide(state, x)
        a = game.act(self, d, x, uniform(seed, t, 0), 0.0)
        state = self.learn_now(state, x, d, game.feedback(d, a, x, outcome, 0.0))
    return state
