"""How several verdicts become one word: of the theorems of one run, and of several runs."""

from __future__ import annotations

from collections.abc import Iterable

# Of one run. "broken" outranks all. "kept" is given by a theorem that was checked, and stands where none that could be
# checked failed: one that is unknown or vacuous was not checked, and takes nothing away. "promised" was checked on
# rows, and waits for fresh ones. Where nothing was checked, "unknown" says that more can be told, "vacuous" that not.
OF_THEOREMS = ("broken", "kept", "promised", "unknown", "vacuous")
# Of several runs: what all of them can say.
OF_RUNS = ("broken", "none", "vacuous", "unknown", "promised", "kept")


def of_theorems(words: Iterable[str]) -> str:
    """One word for the theorems of a run; "none" where there is no theorem.

    >>> (
    ...     of_theorems(["unknown", "kept", "vacuous"]),
    ...     of_theorems(["kept", "broken"]),
    ...     of_theorems([]),
    ... )
    ('kept', 'broken', 'none')
    """
    return first_of(OF_THEOREMS, words)


def of_runs(words: Iterable[str]) -> str:
    """One word for several runs, of each of which one is known: the worst; "none" where there is no run.

    >>> of_runs(["kept", "unknown", "kept"]), of_runs(["kept", "kept"])
    ('unknown', 'kept')
    """
    return first_of(OF_RUNS, words)


def first_of(order: tuple[str, ...], words: Iterable[str]) -> str:
    found = set(words)
    strange = found - set(OF_RUNS)
    if strange:
        raise ValueError(f"no verdict: {', '.join(sorted(strange))}")
    return next((word for word in order if word in found), "none")
