"""A new kind of game, added as docs/add-a-game.md says, in three files."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("probabilities.py", "class_frequencies.py", "try_it.py")
MORE = """
import doctest, class_frequencies
assert doctest.testmod(class_frequencies) == (0, 2)

# an action is a vector wherever actions go
learner = run.learner
p = learner.predict([0.0])
assert p.shape == (3,) and abs(p.sum() - 1.0) < 1e-12
ticket = learner.ask([0.0])
assert ticket.prediction.tolist() == ticket.action.tolist() == p.tolist()
again = ls.load(learner.save("c.ls"))
assert again.digest() == learner.digest() and again.tickets[0].action.tolist() == p.tolist()
learner.tell(ticket, "snow")
again.tell(again.tickets[0], "snow")
assert again.digest() == learner.digest() and learner.state.rounds == 1001
assert learner.frozen()(np.zeros((4, 1))).shape == (4, 3)

# late, one copy and several, and classes that come later
for interleave in (False, True):
    late = ls.play("class-frequencies", np.zeros((1000, 1)), weather, delay=3, interleave=interleave)
    assert late.predictions.shape == (1000, 3)
fresh = ClassFrequencies()
for label in ("sun", "rain", "snow"):
    fresh.update([0.0], label)
assert fresh.predict([0.0]).shape == (3,)
assert run.report("page.html").exists()

# a wrong theorem is found out
import dataclasses
class_frequencies.ClassFrequencies.guarantees = (dataclasses.replace(class_frequencies.T_KT, bound=lambda s: 1.0),)
assert ls.play("class-frequencies", np.zeros((1000, 1)), weather).certificate.verdict == "broken"
"""


def test_a_game_by_the_book(tmp_path):
    page = (ROOT / "docs" / "add-a-game.md").read_text(encoding="utf-8")
    parts = re.findall(r"```python\n(.*?)```", page, flags=re.S)
    assert len(parts) == len(FILES)
    for name, text in zip(FILES, parts, strict=True):
        (tmp_path / name).write_text(text + (MORE if name == "try_it.py" else ""), encoding="utf-8")
    printed = page.partition("It prints\n\n")[2].partition("\n\n")[0]
    for engine in ("plain", "compiled"):
        done = subprocess.run(
            [sys.executable, "try_it.py"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False,
            env={**os.environ, "LITTLESTONE_ENGINE": engine},
        )  # fmt: skip
        assert done.returncode == 0, (engine, done.stderr[-2000:])
        assert done.stdout.split() == printed.split()
