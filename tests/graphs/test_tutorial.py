"""The tutorial "label a network" prints what it says that it prints."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "label-a-network.md"


def test_the_tutorial_on_networks(data_dir):
    if not (data_dir / "graphs" / "political-blog.npz").is_file():
        pytest.skip("the graphs are not in ../shared/data/graphs: tutorial not run")
    parts = re.findall(
        r"```python\n(.*?)```\n\nIt prints\n\n((?:    [^\n]*\n)+)", PAGE.read_text(), flags=re.S
    )
    assert len(parts) == 5
    scope = {}
    for code, wanted in parts:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code.replace("../shared/data", str(data_dir)), scope)
        assert printed.getvalue() == re.sub(r"^    ", "", wanted, flags=re.M)
