"""Switching with memory over several tasks: a few experts that come back, now in this task, now in that."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, NamedTuple, Self

import numpy as np

from ..core import losses
from ..core.errors import BadInput
from ..core.guarantee import BOUNDED, Assumption, Guarantee, Symbols
from ..core.learner import Learner
from ..core.losses import Loss
from ..core.numeric import decay, entropy, least, xlog
from ..core.parameters import EXACT, Interval, Rate, Share
from ..core.stream import Array
from ..games import Advice, Allocation, Draw, Game, Losses, Shape

# No expert's weight, and no chance of being awake, falls below TINY: one that underflowed to 0 would never come back,
# and the product of two of them is still a normal number. No chance rises above SURE: 1 - w is never 0, so that
# nothing is divided by 0. Both change a bound by less than 1e-16 nats a round.
TINY = 1e-150
SURE = 1.0 - 2.0**-53

Tasks = Annotated[int | None, Interval(1, 1 << 20, "[]", True)]
Modes = Annotated[int | None, Interval(2, 1 << 20, "[]", True)]
Switches = Annotated[int | None, Interval(0, EXACT, "[]", True)]


def complexity(n: float, T: float, s: float, m: float, k: float) -> float:
    """C of T-MT-FINITE: what naming m of n experts, k switches and the first experts of s tasks costs, in nats.

    X-ILLUSTRATION:

    >>> round(complexity(n=16, T=16, s=3, m=4, k=5), 4)
    35.8903
    """
    steps = T - s
    C = m * math.log(n / m) + s * m * entropy(1.0 / m)
    if steps > 0:
        C += steps * entropy(k / steps) + (m - 1) * steps * entropy(k / ((m - 1) * steps))
    return C


def nats(s: Symbols, m: Any, k: Any) -> Any:
    """What it pays, times eta, for a comparator with m experts and k switches in the tasks that occurred.

    The comparator is m specialists, each awake where its expert is in use: in every round one of them is. Each has
    the prior (1/n) times the chances of its wake pattern, and pays ln(1/(m prior)). Of the `visited` first rounds,
    one of m is awake; of T - visited later ones all but k stay awake, k fall asleep and k wake up. It is linear in
    each chance, so it holds for every m and k, whatever was declared; at what was declared it is C.
    """
    steps = max(s.T - s.visited, 0)
    m, k = np.asarray(m, float), np.minimum(np.asarray(k, float), steps)
    mu, alpha, phi = 1.0 / s.modes, s.alpha, s.alpha / (s.modes - 1)
    first = -s.visited * (math.log(mu) + (m - 1) * math.log1p(-mu))
    awake = -xlog(steps - k, 1 - alpha) - xlog(k, alpha)
    asleep = -xlog(k, phi) - xlog((m - 1) * steps - k, 1 - phi)
    return m * np.log(s.n / m) + first + awake + asleep


def pay_of_tasks(s: Symbols) -> Any:
    """For the experts that the comparator uses; or for as many as declared, the others of which never wake up."""
    own = at_most(s, s.m)
    if s.modes > s.n:
        return own
    return np.minimum(own, at_most(s, np.maximum(s.m, s.modes)))


def at_most(s: Symbols, m: Any) -> Any:
    """For k switches; of one of several copies only that it sees no more of them: linear in k, one end is the most."""
    C = nats(s, m, s.k)
    copies = np.isnan(vars(s).get("L", 0.0)).any()  # what the comparator loses in each is not known
    return np.maximum(C, nats(s, m, 0 * s.k)) if copies else C


def blocks(n: int) -> int:
    """How many numbers of modes are mixed where none is declared: 2, 4, 8, … up to the first that is n or more.

    >>> blocks(2), blocks(5), blocks(16)
    (1, 3, 4)
    """
    return max(1, (int(n) - 1).bit_length())


def paid_without_modes(s: Symbols) -> Any:
    """For the best of the numbers of modes: its specialists are as many times less likely as there are numbers."""
    N, each = blocks(s.n), []
    for j in range(N):
        modes = 2 ** (j + 1)
        mixed = Symbols(**(vars(s) | {"modes": modes, "n": s.n * N}))
        each.append(at_most(mixed, s.m))
        if modes <= s.n:
            each.append(at_most(mixed, np.maximum(s.m, modes)))
    return np.min(each, axis=0)


def declared(s: Symbols) -> bool:
    return not math.isnan(s.modes)


def each_occurs(s: Symbols) -> str | None:
    return None if s.visited == s.tasks else f"{s.visited:g} of {s.tasks} did"


def enough_experts(s: Symbols) -> str | None:
    return None if s.modes <= s.n else f"modes is {s.modes}, experts are {s.n}"


OCCUR = Assumption("each of the tasks occurs at least once", each_occurs)
ENOUGH = Assumption("there are at least as many experts as modes", enough_experts)
STATEMENT = (
    "C = m ln(n/m) + s m H(1/m) + (T-s) H(k/(T-s)) + (m-1)(T-s) H(k/((m-1)(T-s))) "
    "<= m ln(n/m) + s (ln m + 1) + k (ln(m-1) + 2 ln((T-s)/k) + 2)"
)
T_MT_FINITE = Guarantee(
    "T-MT-FINITE",
    "switching multitask, as in the notes",
    "loss - L <= C / eta + eta B^2 T / 2 for every choice of one of m experts in each round, with k switches within "
    f"the s tasks, {STATEMENT}; eta = sqrt(2 C / T) / B makes it B sqrt(2 C T)",
    "Herbster, Pasteris & Tse 2020; UCL COMP0078, switching multitask; method of Koolen, Adamskiy & Warmuth 2012",
    lambda s: pay_of_tasks(s) / s.eta + s.eta * s.B**2 * s.T / 2,
    against="modes",
    assumptions=(BOUNDED, ENOUGH, OCCUR),
    uses=("T", "n", "k", "m", "B", "eta", "alpha", "tasks", "modes", "visited"),
    when=declared,
)
T_MT_HOEFFDING = Guarantee(
    "T-MT-HOEFFDING",
    "switching multitask, with Hoeffding's lemma, for any number of switches and experts",
    "loss - L <= C / eta + eta B^2 T / 8 for every choice of an expert in each round, with k switches within the "
    "tasks and m experts, where C = m ln(n/m) - s (ln mu + (m-1) ln(1-mu)) - (T-s-k) ln(1-alpha) - k ln alpha "
    "- k ln phi - ((m-1)(T-s)-k) ln(1-phi), mu = 1/modes, phi = alpha/(modes-1), and s counts the tasks that "
    "occurred; at the modes and the switches declared C is that of T-MT-FINITE, and "
    "eta = sqrt(8 C / T) / B makes it B sqrt(C T / 2)",
    "Koolen, Adamskiy & Warmuth 2012, with Hoeffding's lemma",
    lambda s: pay_of_tasks(s) / s.eta + s.eta * s.B**2 * s.T / 8,
    against="sequence",
    assumptions=(BOUNDED,),
    uses=("T", "n", "k", "m", "B", "eta", "alpha", "modes", "visited"),
    when=declared,
)
T_MT_MODES = Guarantee(
    "T-MT-MODES",
    "switching multitask without a number of modes",
    "loss - L <= min over M in {2, 4, ..., 2^N}, N = ceil(lg n), of C_M / eta + eta B^2 T / 8 for every choice of an "
    "expert in each round, with k switches within the tasks and m experts; C_M is that of T-MT-HOEFFDING at modes = M "
    "with n N in place of n: not to know the number of modes costs m ln N nats, and a factor of 2 in it",
    "a mixture of the specialists of Koolen, Adamskiy & Warmuth 2012",
    lambda s: paid_without_modes(s) / s.eta + s.eta * s.B**2 * s.T / 8,
    against="sequence",
    assumptions=(BOUNDED,),
    uses=("T", "n", "k", "m", "B", "eta", "alpha", "visited"),
    when=lambda s: not declared(s),
)


class State(NamedTuple):
    pi: Array  # N n: the weight of each expert, whatever the task, for each of N numbers of modes (N = 1: declared)
    w: Array  # tasks x N n: the chance that an expert is awake in a task
    v: Array  # n: the decision for the task that was learned from last
    u: Array  # n: that for any other task
    delta: Array  # N n: scratch
    visits: Array  # tasks: 1 where a task has occurred
    last: int  # the task that was learned from last


def mix_weights(pi: Any, w: Any, v: Any) -> None:
    """v_i = pi_i w_i, added up over the numbers of modes, normalised."""
    n, mass = v.shape[0], 0.0
    for i in range(n):
        v[i] = pi[i] * w[i]
        mass += v[i]
    for i in range(n, pi.shape[0]):
        q = pi[i] * w[i]
        v[i % n] += q
        mass += q
    c = 1.0 / mass
    for i in range(n):
        v[i] *= c


def task_of(x: Any, tasks: Any) -> int:
    """The task of a round: the number that came with it, where there are several."""
    return int(x[0]) if tasks > 1 and x.shape[0] > 0 else 0


class Multitask(Learner[State, Array, Array, Losses]):
    """Follow experts that keep coming back, in several tasks at once: what one task learns of an expert, all know.

        pi_i = 1/n;  w_i = 1/modes in every task
        each round, in its task:  play v_i = pi_i w_i, normalised
                                  delta_i = w_i exp(-eta ell_i);  beta = (pi . w) / (pi . delta)
                                  e_i = 1 - w_i + beta delta_i;   pi_i *= e_i
                                  w_i = (phi (1 - w_i) + (1 - alpha) beta delta_i) / e_i

    Expert i wakes up and falls asleep in each task as a Markov chain does; w_i is the chance that it is awake, and
    only the task of the round changes it. alpha is the chance of falling asleep, phi = alpha / (modes - 1) that of
    waking up. Left unset, alpha is switches / (T - tasks), where switches are ln(T / tasks) in each task if they are
    unset, too: as many as fixed share expects. Left unset, eta is sqrt(8 C / T) / B, which makes the regret at most
    B sqrt(C T / 2) (the notes set sqrt(2 C / T), for B sqrt(2 C T)). So the number of rounds has to be known, unless
    eta and alpha are set. Tasks are numbered from 0, and `play(..., tasks=[0, 1, ...])` counts them.

    With `modes=None` N = ceil(lg n) numbers of modes, 2, 4, 8, …, are mixed, each with a pi and a w of its own: the
    weights of an expert add up, at N times the work and a price of m ln N nats (T-MT-MODES).

    O(n) a round, and tasks x n numbers. With one task it is switching with memory; then it takes advice and outcomes,
    too. pi is normalised each round, and pi_i and w_i are kept above 1e-150, so that nothing underflows.

    >>> learner = Multitask(eta=math.log(2), alpha=0.25)
    >>> learner.update([0.0, 1.0]).predict().round(4).tolist()
    [0.625, 0.375]

    Herbster, Pasteris & Tse (2020); Koolen, Adamskiy & Warmuth (2012). Ledger: A-MT-FINITE, A-MT-SPECIALISTS;
    T-MT-MODES, T-MT-EXACT, E-MT-RATE, E-MT-TASKS, E-KDEF.
    """

    tasks: Tasks = None
    modes: Modes = 2
    switches: Switches = None
    alpha: Share = None
    eta: Rate = None
    loss: Loss | str = "square"
    bounded = True
    diagnostics: ClassVar[tuple[str, ...]] = ("visited",)
    guarantees: ClassVar[tuple[Guarantee, ...]] = (T_MT_FINITE, T_MT_HOEFFDING, T_MT_MODES)

    @property
    def tasked(self) -> bool:  # type: ignore[override]
        """Does a round say which task it belongs to?"""
        return (self.tasks or 1) > 1

    def game(self, allocation: bool) -> Game:
        if allocation:
            return Allocation()
        if self.tasked:
            raise BadInput(
                f"{self.key}: tasks={self.tasks} are played over losses alone: play(learner, losses, tasks=[…])"
            )
        loss = losses.parse_loss(self.loss)
        return Draw(loss) if isinstance(loss, losses.ZeroOne) else Advice(loss)

    def tuned(self, shape: Shape, game: Game) -> Self:
        T, n, s = shape.T, shape.n, self.tasks or 1
        steps = max(T - s, 0)
        if self.modes is not None and self.modes > max(n, 2):
            raise BadInput(f"{self.key}: modes is {self.modes}, and there are only {n} experts")
        if self.eta is not None and self.alpha is not None:
            return self.replace(tasks=s)
        if not T:
            raise BadInput(
                f"{self.key}: set eta and alpha, or say the number of rounds: play(..., horizon=T), start(n, rounds=T)"
            )
        if self.eta is None and not math.isfinite(shape.span):
            raise BadInput(f"{self.key}: this loss has no largest value: set eta")
        k = self.expected_switches(int(T), s)
        alpha = self.alpha if self.alpha is not None else k / max(steps, 1)
        modes = self.modes or 2
        C = complexity(max(n * (1 if self.modes else blocks(n)), modes), T, s, modes, k)
        eta = self.eta if self.eta is not None else math.sqrt(8 * C / T) / shape.span
        return self.replace(tasks=s, alpha=alpha, eta=eta)

    def expected_switches(self, T: int, s: int) -> float:
        """Changes of the expert in use in T rounds of s tasks: as declared, or as fixed share expects."""
        steps = max(T - s, 0)
        if self.alpha is not None:
            return self.alpha * steps
        if self.switches is None:
            return float(min(steps, math.ceil(s * math.log(max(T / s, 1.0)))))
        if self.switches > steps:
            raise BadInput(
                f"{self.key}: switches is {self.switches}; {T} rounds of {s} "
                f"task{'s' * (s > 1)} have at most {steps}"
            )
        return float(self.switches)

    def begin(self, shape: Shape) -> State:
        n, s = shape.n, self.tasks or 1
        N = 1 if self.modes else blocks(n)
        modes = np.repeat([float(self.modes or 2 ** (j + 1)) for j in range(N)], n)
        even = np.full(n, 1.0 / n)
        return State(
            np.full(N * n, 1.0 / (N * n)),
            np.tile(1.0 / modes, (s, 1)),
            even,
            even.copy(),
            np.zeros(N * n),
            np.zeros(s),
            0,
        )

    def decide(self, state: State, x: Array) -> Array:
        task = task_of(x, self.tasks)
        if task == state.last:
            return state.v
        mix_weights(state.pi, state.w[task], state.u)
        return state.u

    def learn(self, state: State, x: Array, v: Array, f: Losses) -> State:
        task, low = task_of(x, self.tasks), least(f.ell)
        pi, w, delta = state.pi, state.w[task], state.delta
        awake, left, n = 0.0, 0.0, state.v.shape[0]
        if low < math.inf:  # else no expert is left: the session refuses that round
            for i in range(pi.shape[0]):
                d = w[i] * decay(-self.eta * (f.ell[i % n] - low))  # type: ignore[operator]
                delta[i] = d
                awake += pi[i] * w[i]
                left += pi[i] * d
            share(pi, w, delta, awake / left, self.alpha, float(self.modes or 0), state.v)
        state.visits[task] = 1.0
        return State(pi, state.w, state.v, state.u, delta, state.visits, task)

    def write_diagnostics(self, state: State, M: Any) -> None:
        M[0] = 0.0
        for i in range(state.visits.shape[0]):
            M[0] += state.visits[i]


def share(pi: Any, w: Any, delta: Any, beta: float, alpha: Any, modes: float, v: Any) -> None:
    """The specialists awake share beta delta, some wake up and some fall asleep; pi, w and the next decision v."""
    total, mass, n = 0.0, 0.0, v.shape[0]
    for j in range(n):
        v[j] = 0.0
    many = modes if modes > 0.0 else 2.0  # modes = 0: 2, then 4, then 8, ...
    for i in range(pi.shape[0]):
        if i > 0 and i % n == 0:
            many *= 2.0
        phi = alpha / (many - 1.0)
        rest, d = 1.0 - w[i], beta * delta[i]
        e = rest + d
        p = max(pi[i] * e, TINY)
        q = min(max((phi * rest + (1.0 - alpha) * d) / e, TINY), SURE)
        pi[i], w[i] = p, q
        v[i % n] += p * q
        total += p
        mass += p * q
    c, scale = 1.0 / total, 1.0 / mass
    for i in range(pi.shape[0]):
        pi[i] *= c
    for i in range(n):
        v[i] *= scale
