"""The workflows can be read, and call targets that the Makefile has, with actions that keep no credentials."""

import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="a source distribution has no workflows")


def steps(path):
    """Every step of every job."""
    jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return [step for job in jobs.values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_a_workflow_is_read_and_calls_targets_of_the_makefile(path):
    commands = " \n".join(step.get("run", "") for step in steps(path))
    called = set(re.findall(r"\bmake ([a-z-]+)", commands))
    assert called <= TARGETS
    assert called or "pip install" in commands


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_what_is_checked_out_keeps_no_credentials(path):
    checkouts = [
        step for step in steps(path) if step.get("uses", "").startswith("actions/checkout")
    ]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_a_release_takes_nothing_from_a_cache():
    (path,) = [p for p in WORKFLOWS if p.stem == "release"]
    assert not any("cache" in step.get("with", {}) for step in steps(path))


def test_only_publishing_may_ask_for_an_identity():
    (path,) = [p for p in WORKFLOWS if p.stem == "release"]
    found = yaml.safe_load(path.read_text("utf-8"))
    assert found["permissions"] == {"contents": "read"}
    allowed = [name for name, job in found["jobs"].items() if "permissions" in job]
    assert allowed == ["publish"]
    assert found["jobs"]["publish"]["permissions"] == {"id-token": "write"}
    assert set(found["jobs"]["publish"]["needs"]) == set(found["jobs"]) - {"publish"}
