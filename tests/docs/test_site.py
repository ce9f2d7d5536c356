"""The site: every page is in its navigation, and nothing is fetched, lost or wider than a phone.

What is built is tested where `make docs` has built it.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SITE = DOCS / "site"
READS = (
    "index.html", "linear/online-linear.html", "experts/overview.html", "reference/experts/fixed-share.html",
    "reference/supervised/adaboost.html", "benchmarks.html", "benchmarks/online-linear.html", "supervised/gallery.html",
    "tutorials/combine-forecasters.html", "falsify/campaign.html", "ledger.html",
)  # fmt: skip
CODE = """
import sys
sys.path.insert(0, sys.argv[1])
from site_pages import configuration
sys.stdout.buffer.write(configuration().encode())
"""


def pages_of(entries: list[object]) -> Iterator[str]:
    """The files of a navigation."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            for inside in entry.values():
                yield from pages_of(inside if isinstance(inside, list) else [inside])


def test_every_page_is_in_the_navigation():
    done = subprocess.run([sys.executable, "-c", CODE, str(DOCS)], capture_output=True, check=True)
    listed = list(pages_of(tomllib.loads(done.stdout.decode())["project"]["nav"]))
    assert len(listed) == len(set(listed)), "a page is there twice"
    made = {"readme.md", "changes.md", "contributing.md", "security.md"}
    there = {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")} | made
    assert set(listed) == there


@pytest.fixture
def page(browser, request):
    """A page without network, as wide as is asked for."""
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs")
    context = browser.new_context(
        viewport={"width": request.param, "height": 844}, offline=True, color_scheme="dark"
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("page", [390], indirect=True)
@pytest.mark.parametrize("name", READS)
def test_a_page_needs_no_network_and_never_scrolls_sideways(name, page):
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto((SITE / name).as_uri())
    page.wait_for_load_state("load")
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    lost = page.evaluate(
        "Array.from(document.images).filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    )
    assert (failed, lost) == ([], [])
    assert wide <= 0


@pytest.mark.parametrize("page", [1280], indirect=True)
def test_search_finds_the_perceptron(page):
    page.goto((SITE / "index.html").as_uri())
    page.wait_for_load_state("load")
    page.keyboard.press("Control+k")
    field = page.locator("input:visible").first
    field.wait_for()
    page.wait_for_timeout(1_000)  # the index is read
    field.fill("perceptron")
    found = page.locator("a[href*='perceptron.html']:visible").first
    found.wait_for(timeout=15_000)
    assert "perceptron" in found.inner_text().lower()


@pytest.mark.parametrize(
    ("key", "curves"),
    [("hedge", 3), ("halving", 3), ("perceptron", 2), ("logistic", 2), ("exp3", 3), ("cover", 1)],
)
def test_the_picture_of_a_learner_is_small_and_fetches_nothing(key, curves, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from learner_pictures import picture

    made = picture(key)
    figure = fromstring(made)
    assert len(made) < 5000
    assert "http" not in made
    assert len(figure.findall(".//polyline")) == curves
    assert figure.findall(".//text")[-curves].text == key
    assert "\n" not in made  # Markdown takes it for one block of HTML
    assert made == picture(key)
