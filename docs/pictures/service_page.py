"""The pictures of the page of the service: a simulated application plays, and Chromium looks.

python docs/pictures/service_page.py    writes docs/images/service-*.png (about a minute)
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from littlestone.serve.demo import Demo

IMAGES = Path(__file__).resolve().parent.parent / "images"
STEPS, WAIT = 1000, 11.0  # rounds; seconds until every default is told
OPEN = 60  # rounds after them, whose outcomes are not known when the pictures are taken


def main() -> None:
    chromium = shutil.which("chromium")
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "serve",
        "--port",
        "0",
        "--data",
        tempfile.mkdtemp(),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        demo = Demo(url, seed=3)
        for _ in range(STEPS):
            demo.step()
        time.sleep(WAIT)
        for _ in range(OPEN):
            demo.step()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            offers, forecasts = "#/learner/offers", "#/learner/forecasts"
            shots = [
                ("all", "", "light", 1200, 500),
                ("learner", offers, "light", 1200, 900),
                ("regret", forecasts, "light", 1200, 1020),
                ("phone", offers, "dark", 390, 844),
            ]
            for name, path, scheme, width, height in shots:
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(url + path)
                page.wait_for_timeout(3000)
                page.screenshot(path=IMAGES / f"service-{name}.png", full_page=name == "learner")
                page.close()
            browser.close()
        process.terminate()


if __name__ == "__main__":
    main()
