"""The tutorials on graphs print what they say that they print."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "tutorials"


@pytest.mark.parametrize(("page", "count"), [("label-a-network", 5), ("a-few-labels", 4)])
def test_the_tutorials_on_networks(page, count, data_dir):
    if page == "label-a-network" and not (data_dir / "graphs" / "political-blog.npz").is_file():
        pytest.skip("the graphs are not in ../shared/data/graphs: tutorial not run")
    parts = re.findall(
        r"```python\n(.*?)```\n\nIt prints\n\n((?:    [^\n]*\n)+)",
        (PAGES / f"{page}.md").read_text(encoding="utf-8"),
        flags=re.S,
    )
    assert len(parts) == count

    def in_the_data(name):
        """The page names a file as its reader has it; here it is among the shared data."""
        return repr(str(data_dir / "graphs" / name.group(1)))

    scope = {}
    for code, wanted in parts:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(re.sub(r'"([a-z-]+\.npz)"', in_the_data, code), scope)
        assert printed.getvalue() == re.sub(r"^    ", "", wanted, flags=re.M)
