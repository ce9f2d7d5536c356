"""No public name goes, and no signature changes, unseen. `python tools/public_api.py --write` keeps what is meant."""

import importlib.util
import inspect
from pathlib import Path

import pytest

import littlestone as ls

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "core" / "public_api.txt"


@pytest.fixture(scope="module")
def api():
    path = ROOT / "tools" / "public_api.py"
    spec = importlib.util.spec_from_file_location("public_api", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_public_names_and_signatures_are_those_that_are_kept(api):
    kept, now = set(KEPT.read_text("utf-8").splitlines()), set(api.lines())
    says = "python tools/public_api.py --write, and a line in the CHANGELOG"
    assert {"gone": sorted(kept - now), "new": sorted(now - kept)} == {"gone": [], "new": []}, says


def test_a_changed_default_and_a_lost_name_are_seen(api, monkeypatch):
    monkeypatch.setattr(ls, "load", lambda path, strict=False: None)
    monkeypatch.delitem(ls._WHERE, "statement")
    gone = set(KEPT.read_text("utf-8").splitlines()) - set(api.lines())
    assert {line.partition("(")[0] for line in gone} == {"load", "statement"}


def test_every_public_name_is_there_and_has_a_docstring():
    for name in ls._WHERE:
        assert inspect.getdoc(getattr(ls, name)), name
