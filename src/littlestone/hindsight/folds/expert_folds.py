"""The totals of a run over experts, and all comparators that its theorems and its table need, folded chunk by chunk."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import losses
from .linear import Linear
from .mixtures import Mixture
from .sequences import Sequences
from .task_sequences import TaskSequences
from .totals import Block, Totals, Trace
from .uniform import Uniform

if TYPE_CHECKING:
    from ...engine.loops import Out

WORK = 1e9  # steps (round, expert, shifts) that the best sequences may take, unless `shifts` asks for more
HELD = (
    1 << 23
)  # losses of rounds in memory that wait for the best sequences to be asked for (64 MB)
PATH = 1 << 20  # rounds times shifts whose best sequences are kept while streaming (12 MB)
SQUARE = 256  # experts up to which mixtures are folded: they take n^2 numbers


class ExpertFolds:
    """Totals, best sequences, best mixture and best linear combination, and a thinned trace for the charts."""

    def __init__(
        self, game: Any, n: int, *, rounds: int, started: int, whole: bool, shifts: int | None, kept: bool
    ) -> None:  # fmt: skip
        """`game` is the one that is played; None where there are no experts, or no comparators to compute.

        `whole`: all rounds are in memory. `kept`: they stay there, so that mixtures of experts can be folded when they
        are asked for (`fold_mixtures`).
        """
        self.n, self.experts = n, game is not None
        self.trace = Trace(max(256, min(1024, (1 << 16) // max(1, n))), started + rounds)
        self.totals = functools.partial(Totals, n)  # where the rounds of one copy are added up
        self.together = self.totals()  # of all copies, where there are several
        self._sequences: Sequences | TaskSequences | None = None
        self.held = 0  # losses that are kept until the best sequences are asked for
        self.tasks = False  # does a round bring its task, beside the losses?
        self.mixture: Mixture | None = None
        self.linear: Linear | None = None
        self.uniform: Uniform | None = None
        self.waits = False  # are mixtures folded later?
        if game is None:
            return
        traits = game.traits()
        self.tasks = traits.kind.losses_alone
        K = shifts
        if K is None:
            K = min(32, max(1, int(WORK / (n * max(rounds, 100_000)))))
        K = min(K, max(rounds - 1, 0)) if rounds else K
        # the path takes 12 bytes a round and shift: no more than the data where they are in memory
        room = 20_000_000 if whole else PATH
        self._sequences = Sequences(n, K, keep_path=0 < rounds * (K + 1) <= room)
        self.loss, self.mixes, self.waits = traits.loss, traits.mixes, kept
        if not kept:
            self.begin_mixtures()
        if self.mixture is not None and not whole:  # rounds in memory can be folded when asked for
            self.linear = Linear(n)

    def begin_mixtures(self) -> None:
        """Begin to fold the best mixture of the experts, and their mean."""
        if isinstance(self.loss, losses.Square) and self.n <= SQUARE:
            self.mixture = Mixture(self.n)
        if self.mixes:
            self.uniform = Uniform(self.loss)

    def fold_mixtures(self, data: Any) -> None:
        """Fold all rounds, which were kept, into the best mixture and the mean of the experts, unless that was done."""
        if self.waits and data is not None:
            self.waits = False
            self.begin_mixtures()
            for comparator in (self.mixture, self.uniform):
                if comparator is not None:
                    comparator.add(data.x, data.y)

    def fold(self, copies: list[Totals], t: int, x: Any, y: Any, out: Out, marks: Any) -> None:
        """Fold in a chunk that starts after t rounds; rounds without an outcome cost NaN."""
        c = len(copies)
        if not self.experts:
            self.charge_copies(copies, t, out.costs)
            return
        E = out.expert_losses
        traced = (copies[0] if c == 1 else self.together).add(
            out.costs, E, out.shown_regrets, marks
        )
        if len(out.notes):
            traced["notes"] = out.notes
        block = self.trace.add(t + 1 + marks, traced)
        if c > 1:
            for j, part in enumerate(copies):
                own = slice((j - t) % c, None, c)
                if len(out.costs[own]):
                    part.add(out.costs[own], E[own], out.shown_regrets[own], np.empty(0, np.int64))
        if self._sequences is not None:
            unanswered = np.isnan(out.costs.sum())
            shown = np.where(np.isnan(out.costs)[:, None], 0.0, E) if unanswered else E
            tasks = x[:, 0] if self.tasks and x.shape[1] == 1 else None
            self.trace.pending.append(
                functools.partial(self.fold_sequences, shown, t, marks, tasks, block)
            )
            self.held += shown.size
            if not self.waits or self.held > HELD:
                self.trace.fold_pending()
        for comparator in (self.mixture, self.linear, self.uniform):
            if comparator is not None:
                comparator.add(x, y)

    def charge_copies(self, copies: list[Totals], t: int, C: Any) -> None:
        """Add the costs C of a chunk to the totals of the copies, and of all together, where that is all there is."""
        c = len(copies)
        charge(copies[0] if c == 1 else self.together, C)
        if c > 1:
            for j, one in enumerate(copies):
                charge(one, C[slice((j - t) % c, None, c)])

    def fold_sequences(self, E: Any, t: int, marks: Any, tasks: Any, block: Block) -> None:
        """Fold a chunk of the experts' losses into the best sequences; `block` keeps what they had lost by then."""
        found: Any = self._sequences
        if tasks is not None and isinstance(found, Sequences):
            self._sequences = found = TaskSequences(self.n, found.K, found.keep_path)
        shifting = found.add(E, marks) if tasks is None else found.add(E, marks, tasks)
        # the trace may have been thinned since
        left = np.isin(t + 1 + marks, block.t)
        block.columns["shifting"] = shifting[left]

    @property
    def sequences(self) -> Sequences | TaskSequences | None:
        """The best sequences of experts. Rounds that stay in memory are folded when they are first asked for."""
        self.trace.fold_pending()
        return self._sequences


def charge(totals: Totals, C: Any) -> None:
    """Add the costs C to `totals`; those of rounds without an outcome are NaN."""
    total, known = float(C.sum()), len(C)
    if math.isnan(total):
        total, known = float(np.nansum(C)), int((~np.isnan(C)).sum())
    totals.loss += total
    totals.T += known
