"""Fixtures: the engine, the real data beside the project, and a real browser for pages."""

import shutil
from pathlib import Path

import pytest

from littlestone.engine.compile import has_numba

ROOT = Path(__file__).parent.parent

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(params=["plain", "compiled"])
def engine(request, monkeypatch):
    """Rules run in plain Python, then compiled; the name of the engine."""
    if request.param == "plain":
        monkeypatch.setenv("LITTLESTONE_ENGINE", "plain")
    else:
        if not has_numba():
            pytest.skip("numba is not installed: compiled rules not tested")
        monkeypatch.delenv("LITTLESTONE_ENGINE", raising=False)
    return request.param


@pytest.fixture(scope="session")
def data_dir():
    """The folder of real data beside the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("real data not found beside the project (../shared/data): test not run")
    return folder


@pytest.fixture(scope="session")
def browser():
    """Headless chromium from the system; playwright only drives it and downloads nothing."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed: page tests not run")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("playwright is not installed: page tests not run")
    with sync_playwright() as driver:
        chrome = driver.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        yield chrome
        chrome.close()
