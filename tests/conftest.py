"""Fixtures: the real data beside the project, and a real browser for pages."""

import shutil
from pathlib import Path

import pytest

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
