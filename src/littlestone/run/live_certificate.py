"""What the books of a live learner say: its regret, and each of its theorems, up to the oldest open round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.guarantee import Certificate, Verdict
from ..core.transcript import Copy, Transcript
from .certify import certify
from .run_kinds import RUN_KINDS, RunKind

if TYPE_CHECKING:
    from ..live.books import Books
    from ..live.live import Live


def kind_of_books(live: Live, books: Books) -> RunKind:
    """The rounds of the books, as certificates and comparators see the rounds of a run."""
    books.fold(live)
    s = live.setting
    notes = np.zeros(len(live.learner.diagnostics))
    if live.learner.diagnostics:
        live.params.write_diagnostics(live.state, notes)
    names = live.names or tuple(f"expert {i + 1}" for i in range(s.shape.n))
    ends = s.low, s.high
    delays = None
    if books.delay or books.never:
        delays = np.zeros(books.folded, np.int8)
        delays[: books.never] = -1
    nothing: Any = None
    made = Transcript(
        live.learner, live.learner, s, names, [Copy(live, books.totals, notes)], books.folds,
        nothing, nothing, nothing, nothing, {"missing advice": books.missing}, [], books.folded,
        delay=books.delay, delays=delays, waiting=books.waiting(), seed=live.seed, engine=live.engine,
        interval=None if ends == (0.0, 1.0) else ends,
    )  # fmt: skip
    made.asleep = books.asleep if np.any(books.asleep) else None
    return RUN_KINDS[live.traits.kind.name](made)


def live_certificate(live: Live, books: Books) -> Certificate:
    """Each theorem, up to the oldest open round; `notes` say up to which one that is."""
    kind = kind_of_books(live, books)
    if books.behind and live.learner.diagnostics:
        why = (
            f"the learner knows {books.behind:,} outcomes after round {books.certified:,}, behind one that is open: "
            "its bound is known when that one is told"
        )
        found = Certificate([Verdict(g, "unknown", why) for g in live.learner.guarantees], [])
    else:
        found = certify(kind, live.learner.guarantees)
    found.notes = [*found.notes, certified_to(books)]
    return found


def certified_to(books: Books) -> str:
    """Up to which round the books go, in words."""
    text = f"certified to round {books.certified:,}"
    return f"{text}; {books.open:,} open" if books.open else text


def live_regret(live: Live, books: Books) -> float:
    """The loss less that of the best comparator, up to the oldest open round."""
    kind = kind_of_books(live, books)
    if not kind.answered:
        return 0.0
    certificate = certify(kind, live.learner.guarantees)
    return kind.transcript.loss - kind.comparator(certificate.headline, certificate)[1]
