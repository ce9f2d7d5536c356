"""One number everywhere: a release changes it in pyproject.toml, in both packages, and in the citation."""

import re
import tomllib
from pathlib import Path

import littlestone as ls

ROOT = Path(__file__).resolve().parents[2]
STATUS = {
    False: "Development Status :: 3 - Alpha",
    True: "Development Status :: 5 - Production/Stable",
}


def project(path):
    return tomllib.loads((ROOT / path).read_text("utf-8"))["project"]


def test_the_version_is_the_same_everywhere():
    (cited,) = re.findall(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text("utf-8"), re.M)
    lectures = project("lectures/pyproject.toml")["version"]
    assert {project("pyproject.toml")["version"], lectures, cited} == {ls.__version__}


def test_it_is_the_newest_one_that_the_changes_have():
    first = re.search(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert first is not None
    assert first[1] == ls.__version__


def test_what_an_index_shows_fits_the_number():
    stable = int(ls.__version__.partition(".")[0]) >= 1
    found = [c for c in project("pyproject.toml")["classifiers"] if c.startswith("Development")]
    assert found == [STATUS[stable]]
