# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of every kind of page for docs/howto/gallery.md: what a reader sees first, in a window of 1280 by 800.

    PYTHONPATH=src:tests python scripts/gallery.py docs/img/gallery

It needs Chromium on the path, and no emulator. Names behind the folder choose pages.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from latlab.core.report.renderers import html
from support.needs import browser_program
from support.report_pages import every_page

PAGES = ("comparison", "functions-compared", "history", "causes", "psci", "psa", "watch", "design", "steal", "attack", "amounts", "front")
WINDOW, SCALE = "1280,800", "0.6"


def picture(browser: str, page: Path, into: Path) -> None:
    command = (
        browser,
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        f"--window-size={WINDOW}",
        f"--force-device-scale-factor={SCALE}",
    )
    subprocess.run((*command, f"--screenshot={into.absolute()}", page.as_uri()), check=True, capture_output=True, timeout=120)


def main(folder: Path, wanted: set[str]) -> int:
    browser = browser_program()
    if browser is None:
        print("no Chromium in PATH; apt install chromium", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, page in every_page(Path(scratch)):
            if name not in wanted:
                continue
            written = Path(scratch) / f"{name}.html"
            written.write_text(html.document(page), "utf-8")
            picture(browser, written, folder / f"{name}.png")
            print(folder / f"{name}.png")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: gallery.py FOLDER [PAGE...]")
    sys.exit(main(Path(sys.argv[1]), set(sys.argv[2:]) or set(PAGES)))
