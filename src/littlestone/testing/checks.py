"""The checks that every learner must pass, whatever its game.

Each is a function of a `Subject`: a learner, its worked row and the kind of rounds that it plays. It raises an
AssertionError that says what is wrong. `checks` gives those that apply to a learner, by name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..engine.compile import has_numba
from . import files, late, refusals, rules, states, ways, worked
from .kinds import Examples
from .row import Row
from .subject import Subject, using

BOTH, PLAIN, COMPILED = ("plain", "compiled"), ("plain",), ("compiled",)


class Check(NamedTuple):
    """One check: its name, what is done, with which engines, and for which learners."""

    name: str
    run: Callable[[Subject, str], None]
    engines: tuple[str, ...]
    applies: Callable[[Subject], bool] = lambda s: True


def over_examples(s: Subject) -> bool:
    return isinstance(s.kind, Examples)


CHECKS = (
    Check("its row", worked.its_row, BOTH),
    Check("its theorem", worked.its_theorem, PLAIN),
    Check("examples are left alone", rules.examples_are_left_alone, PLAIN),
    Check("decides once", rules.decides_once, PLAIN),
    Check("all is in the state", rules.all_is_in_the_state, PLAIN),
    Check("scratch is not read", rules.scratch_is_not_read, PLAIN),
    Check("predictions change no digest", rules.predictions_change_no_digest, PLAIN),
    Check("compiled is plain", ways.compiled_is_plain, COMPILED),
    Check("whole, in batches, one at a time, resumed", ways.four_ways, BOTH),
    Check(
        "sparse is dense",
        ways.sparse_is_dense,
        BOTH,
        lambda s: over_examples(s) and s.learner.sparse,
    ),
    Check("play begins afresh", ways.play_begins_afresh, PLAIN),
    Check("seeds reproduce", ways.seeds_reproduce, PLAIN),
    Check("late is ask and tell", late.late_is_ask_and_tell, PLAIN),
    Check("late, it goes on", late.late_goes_on, PLAIN),
    Check("replayed by tickets", late.replayed_is_straight, PLAIN),
    Check("interleaved copies are learners", late.interleaved_copies_are_learners, PLAIN),
    Check("saved, it goes on", files.saved_goes_on, BOTH),
    Check("saved before it begins", files.saved_before_it_begins, PLAIN),
    Check("what follows is the same", states.what_follows_is_the_same, PLAIN),
    Check("recovered, it goes on", states.recovered_goes_on, PLAIN),
    Check("frozen never learns", files.frozen_never_learns, PLAIN),
    Check(
        "its arrays stay",
        rules.arrays_stay,
        PLAIN,
        lambda s: over_examples(s) and s.learner.fixed,
    ),
    Check("parameters have ranges", refusals.parameters_have_ranges, PLAIN),
    Check("bad streams are refused", refusals.bad_streams_are_refused, PLAIN),
    Check("a bad row later changes nothing", refusals.a_bad_row_later_changes_nothing, BOTH),
    Check("bad rounds change nothing", refusals.bad_rounds_change_nothing, BOTH),
)


def checks(learner: Any, row: Row) -> Iterator[tuple[str, Callable[[], None]]]:
    """The checks that apply to a learner: a name and a function that raises where it fails.

    With pytest:

        @pytest.mark.parametrize(("name", "check"), checks(MyLearner(), ROW))
        def test_my_learner(name, check):
            check()

    >>> import littlestone as ls
    >>> names = [name for name, _ in checks(ls.Hedge(), Row(y=[(0, 1)]))]
    >>> names[0], "sparse is dense (plain)" in names
    ('its row (plain)', False)
    """
    subject = Subject(learner, row)
    for check in CHECKS:
        if not check.applies(subject):
            continue
        for engine in check.engines:
            if engine == "compiled" and not has_numba():
                continue
            name = f"{check.name} ({engine})" if len(check.engines) > 1 else check.name
            yield name, functools.partial(run_check, check, subject, engine)


def run_check(check: Check, subject: Subject, engine: str) -> None:
    with using(engine):
        check.run(subject, engine)


def check_learner(learner: Any, row: Row) -> None:
    """Run every check that applies to a learner; raise AssertionError with the name of the first that fails.

    The row is worked by hand (see `Row`): one round of hedge halves the weight of expert 2, which lost 1.

    >>> from math import log
    >>> import littlestone as ls
    >>> row = Row(
    ...     y=[(0, 1), (0, 1)],
    ...     decisions=[(1 / 2, 1 / 2), (2 / 3, 1 / 3), (4 / 5, 1 / 5)],
    ...     loss=1 / 2 + 1 / 3,
    ...     theorem="T-HEDGE",
    ...     bound=1 + log(2),
    ... )
    >>> check_learner(ls.Hedge(eta=log(2)), row)
    """
    for name, check in checks(learner, row):
        try:
            check()
        except Exception as problem:
            raise AssertionError(f"{learner.key}: {name}: {problem}") from problem
