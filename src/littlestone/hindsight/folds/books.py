"""The books of a run: every comparator that its theorems and its table ask for, folded chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...core import losses
from .linear import Linear
from .mixtures import Mixture
from .sequences import Sequences
from .task_sequences import TaskSequences
from .totals import Totals, Trace
from .uniform import Uniform

if TYPE_CHECKING:
    from ...engine.loops import Out

WORK = 1e9  # steps (round, expert, shifts) that the best sequences may take, unless `shifts` asks for more
PATH = 1 << 20  # rounds times shifts whose best sequences are kept while streaming (12 MB)
SQUARE = 256  # experts up to which mixtures are folded: they take n^2 numbers


class Books:
    """Totals, best sequences, best mixture and best linear combination, and a thinned trace for the charts."""

    def __init__(
        self, game: Any, n: int, *, rounds: int, started: int, whole: bool, shifts: int | None
    ) -> None:
        """`game` is the one that is played; None where there are no experts, or no comparators are wanted."""
        self.n, self.experts = n, game is not None
        self.trace = Trace(max(256, min(4096, 4_000_000 // max(1, n))), started + rounds)
        self.together = Totals(n)  # of all copies, where there are several
        self.sequences: Sequences | TaskSequences | None = None
        self.tasks = False  # does a round bring its task, beside the losses?
        self.mixture: Mixture | None = None
        self.linear: Linear | None = None
        self.uniform: Uniform | None = None
        if game is None:
            return
        traits = game.traits()
        self.tasks = traits.given == "losses"
        K = shifts
        if K is None:
            K = min(32, max(1, int(WORK / (n * max(rounds, 100_000)))))
        K = min(K, max(rounds - 1, 0)) if rounds else K
        # the path takes 12 bytes a round and shift: no more than the data where they are in memory
        room = 20_000_000 if whole else PATH
        self.sequences = Sequences(n, K, keep_path=0 < rounds * (K + 1) <= room)
        if isinstance(traits.loss, losses.Square) and n <= SQUARE:
            self.mixture = Mixture(n)
            if not whole:  # rounds in memory can be folded later, if they are asked for
                self.linear = Linear(n)
        if traits.mixes:
            self.uniform = Uniform(traits.loss)

    def totals(self) -> Totals:
        """Where the rounds of one copy are added up."""
        return Totals(self.n)

    def fold(
        self, copies: list[Totals], t: int, x: Any, y: Any, out: Out, empty: Any, marks: Any
    ) -> None:
        """Fold in a chunk that starts after t rounds; `empty` says which of its rounds have no answer."""
        c = len(copies)
        E = out.E if len(out.E) else np.zeros((len(y), self.n if self.experts else 1))
        traced = (copies[0] if c == 1 else self.together).add(out.C, E, out.F, marks)
        if c > 1:
            for j, part in enumerate(copies):
                own = slice((j - t) % c, None, c)
                if len(out.C[own]):
                    part.add(out.C[own], E[own], out.F[own], np.empty(0, np.int64))
        shifting = None
        if self.sequences is not None:
            shown = E if empty is None else np.where(empty[:, None], 0.0, E)
            if self.tasks and x.shape[1] == 1:
                if isinstance(self.sequences, Sequences):
                    keep = self.sequences.keep_path
                    self.sequences = TaskSequences(self.n, self.sequences.K, keep)
                shifting = self.sequences.add(shown, marks, x[:, 0])
            else:
                shifting = self.sequences.add(shown, marks)
        for comparator in (self.mixture, self.linear, self.uniform):
            if comparator is not None:
                comparator.add(x, y)
        for j, numbers in enumerate(traced):
            if shifting is not None:
                numbers["shifting"] = shifting[j]
            if len(out.M):
                numbers["notes"] = out.M[j]
            self.trace.add(t + int(marks[j]) + 1, **numbers)
