# SPDX-License-Identifier: BSD-3-Clause
"""Slow: five hundred hostile names of platforms, firmwares and labels in one store, shown by a real terminal, browser and spreadsheet."""

from __future__ import annotations

import csv
import os
import random
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from latlab.core.store.listing import set_label
from latlab.core.store.store import open_store
from support.browser import fixture_browser  # noqa: F401 - a fixture
from support.ladder_model import Truth, make_run

pytestmark = pytest.mark.slow

NAMES = 500
SEED = 20261127
TITLE = "untouched"
SCRIPT = "<script>document.title='taken'</script>"
PIECES = (
    *("\x1b]0;taken\x07", "\x1b]2;taken\x1b\\", "\x9d0;taken\x9c", "\x1b[2J", "\x1b[8m", "\x1b[6n", "\x1bc", "\x1b]52;c;dGFrZW4=\x07"),
    *("\x9b2J", "\u202etaken", "\u2066", "\u200b", "\r", "\n", "\t", "\b", "\x0e", "\ud83d", "\x7f"),
    *(SCRIPT, "<img src=x onerror=\"document.title='taken'\">", f"</script>{SCRIPT}", "javascript:document.title='taken'"),
    *("=1+1", "+1+1", "-1+1", "@SUM(1,1)", "\t=1+1", '=HYPERLINK("http://127.0.0.1:9")', "]]>", "`", "|", "\"'"),
)


@pytest.fixture(name="store", scope="module")
def fixture_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hostile") / "store.sqlite"
    chance, store = random.Random(SEED), open_store(str(place))
    run = make_run(Truth(tests=("cpu_susp_serial",)), 1)
    for _ in range(NAMES):
        name = "".join(chance.sample(PIECES, chance.randint(1, 4))).encode("utf-8", "ignore").decode()
        run_id = store.begin(replace(run, platform=name, build=replace(run.build, firmware=name)))
        set_label(store, run_id, name.replace("+", "-"))
    return place


def latlab(store: Path, *words: str) -> str:
    done = subprocess.run(
        (sys.executable, "-m", "latlab", *words, "--store", str(store)), capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux is installed; apt-get install tmux")
def test_a_terminal_keeps_its_title_its_screen_and_its_clipboard(store: Path, tmp_path: Path) -> None:
    tmux = ("tmux", "-S", str(tmp_path / "socket"))
    subprocess.run((*tmux, "-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50", "sh"), check=True)
    try:
        for option in (("allow-rename", "on"), ("set-titles", "on"), ("set-clipboard", "on"), ("history-limit", "100000")):
            subprocess.run((*tmux, "set-option", "-g", *option), check=True)
        subprocess.run((*tmux, "select-pane", "-T", TITLE), check=True)
        command = shlex.join((sys.executable, "-m", "latlab", "ls", "--store", str(store)))
        subprocess.run((*tmux, "send-keys", f"PAGER=cat; export PAGER; {command}; echo the-$((1+1))-end", "Enter"), check=True)
        shown = ""
        until = time.monotonic() + 3600
        while "the-2-end" not in shown and time.monotonic() < until:
            time.sleep(0.5)
            shown = subprocess.run((*tmux, "capture-pane", "-p", "-S", "-"), capture_output=True, text=True, check=True).stdout
        titles = subprocess.run((*tmux, "display-message", "-p", "#{pane_title}"), capture_output=True, text=True, check=True).stdout
        buffers = subprocess.run((*tmux, "list-buffers"), capture_output=True, text=True, check=False).stdout
    finally:
        subprocess.run((*tmux, "kill-server"), check=False)
    assert "the-2-end" in shown and titles == f"{TITLE}\n" and buffers == ""


@pytest.mark.skipif(not shutil.which("ssconvert"), reason="no gnumeric is installed; apt-get install gnumeric")
def test_a_spreadsheet_computes_nothing(store: Path, tmp_path: Path) -> None:
    sheet, read = tmp_path / "runs.csv", tmp_path / "read.csv"
    sheet.write_text(latlab(store, "ls", "--format", "csv"), "utf-8")
    environment = {**os.environ, "HOME": str(tmp_path)}
    subprocess.run(("ssconvert", str(sheet), str(read)), check=True, capture_output=True, env=environment, timeout=3600)
    before, after = (list(csv.DictReader(file.open(encoding="utf-8", newline=""))) for file in (sheet, read))
    assert len(before) == len(after) == NAMES
    columns = ("platform", "firmware", "label")
    found = [(a[name], b[name]) for a, b in zip(before, after, strict=True) for name in columns if name in a]
    assert found and all(was.lstrip("'") == seen.lstrip("'") for was, seen in found)


@pytest.mark.browser
def test_no_page_of_a_site_runs_a_script_of_a_name(store: Path, tmp_path: Path, browser: Any) -> None:
    latlab(store, "publish", "site", str(tmp_path / "site"))
    pages = sorted((tmp_path / "site").rglob("*.html"))
    chance = random.Random(SEED)
    taken: list[str] = []
    page = browser.new_page()
    page.on("dialog", lambda dialog: taken.append(dialog.message))
    for file in [*pages[:20], *chance.sample(pages, min(100, len(pages)))]:
        page.goto(file.as_uri())
        taken += ["title"] if page.title() == "taken" else []
    assert not taken
