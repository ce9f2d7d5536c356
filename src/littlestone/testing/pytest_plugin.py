"""A plugin of pytest: the checks of learners, each of them a test.

A line in conftest.py loads it: `pytest_plugins = ["littlestone.testing.pytest_plugin"]`. A test that takes
`learner_check` is run once for each check of each learner that its module lists:

    LEARNERS = [(MyLearner(), Row(y=[(0, 1)], decisions=[(1 / 2, 1 / 2)], loss=1 / 2))]


    def test_my_learners(learner_check):
        learner_check()

Promised: the name of the fixture, that of the list, and that a check is called without arguments. Checks may be added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

FIXTURE, LIST = "learner_check", "LEARNERS"


class Metafunc(Protocol):
    """What pytest tells of a test: of `pytest.Metafunc` what is used here."""

    fixturenames: list[str]
    module: Any

    def parametrize(self, names: str, values: Sequence[Any], *, ids: Sequence[str]) -> None: ...


def pytest_generate_tests(metafunc: Metafunc) -> None:
    """One test for each check of each learner."""
    if FIXTURE in metafunc.fixturenames:
        found = list(named_checks(metafunc.module))
        metafunc.parametrize(
            FIXTURE, [check for _, check in found], ids=[name for name, _ in found]
        )


def named_checks(module: Any) -> Iterator[tuple[str, Any]]:
    """The checks of the learners that a module of tests lists."""
    from ..core.errors import BadInput
    from .checks import checks

    listed = vars(module).get(LIST)
    if not listed:
        raise BadInput(
            f"{module.__name__} has no list of learners: {LIST} = [(MyLearner(), Row(...)), ...]"
        )
    for learner, row in listed:
        for name, check in checks(learner, row):
            yield f"{learner.key}: {name}", check
