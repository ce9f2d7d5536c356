"""What lower packages ask higher ones for: few names, each asked for, and each found."""

import re
from pathlib import Path

import littlestone as ls
from littlestone.core.hooks import hook

SOURCE = Path(ls.__file__).parent
ASKED = re.compile(r'\bhook\("(\w+)"\)')


def asked():
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    return {name for text in texts for name in ASKED.findall(text)}


def test_every_name_that_is_asked_for_is_offered_and_no_other():
    assert asked() == set(ls._HOOKS)
    assert len(ls._HOOKS) <= 15


def test_every_hook_is_found():
    for name in ls._HOOKS:
        found = hook(name)
        assert callable(found) or found.__name__.startswith("littlestone."), name


def test_a_learner_reaches_its_live_form_by_one_hook():
    text = (SOURCE / "core" / "live_learner.py").read_text(encoding="utf-8")
    assert ASKED.findall(text) == ["live"]
    assert {"begin", "begin_with", "save", "to_bytes"} <= set(vars(hook("live")))
