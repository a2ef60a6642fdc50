# SPDX-License-Identifier: BSD-3-Clause
"""What a shell completes, and what the manual pages say: both come from the help."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import man
from conftest import Latlab

ASKED = {
    "bash": {"COMP_WORDS": "latlab com", "COMP_CWORD": "1"},
    "zsh": {"_TYPER_COMPLETE_ARGS": "latlab com"},
    "fish": {"_TYPER_COMPLETE_ARGS": "latlab com", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_verb_is_completed_and_the_script_for_it_is_printed(latlab: Latlab, shell: str) -> None:
    asked = latlab(_LATLAB_COMPLETE=f"complete_{shell}", **ASKED[shell])
    assert "compare" in asked.stdout and "explain" not in asked.stdout
    script = latlab("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert script.returncode == 0 and "_LATLAB_COMPLETE" in script.stdout and f"complete_{shell}" in script.stdout


def test_bash_takes_the_script(latlab: Latlab, tmp_path: Path) -> None:
    script = tmp_path / "latlab.sh"
    script.write_text(latlab("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1").stdout)
    done = subprocess.run(["bash", "-c", f". {script} && complete -p latlab"], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0 and "latlab_completion" in done.stdout


def test_every_verb_has_a_manual_page_with_its_options(latlab: Latlab) -> None:
    found = dict(man.pages())
    assert {"latlab", "latlab-run", "latlab-run-psci", "latlab-compare", "latlab-publish-tf-a"} <= set(found)
    for name, text in found.items():
        verb = ("publish", name.removeprefix("latlab-publish-")) if name.startswith("latlab-publish-") else None
        told = latlab(*(verb or _verb(name)), "--help").stdout
        options = set(re.findall(r"^  (?:-\w, )?(--[a-z][a-z-]+)", told, re.MULTILINE))
        assert options and all(option.replace("-", "\\-") in text for option in options), name
        assert ".SH NAME\n" in text and ".SH EXIT STATUS\n" in text


def _verb(name: str) -> tuple[str, ...]:
    _, *words = name.split("-", 2 if name.startswith(tuple(f"latlab-{group}-" for group in ("run", "runs", "design", "guest"))) else 1)
    return tuple(words)


def test_the_manual_pages_are_roff_that_groff_takes_without_a_warning(tmp_path: Path) -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff in PATH; apt install groff-base")
    for name, text in man.pages():
        page = tmp_path / f"{name}.1"
        page.write_text(text, "utf-8")
        command = ["groff", "-man", "-Tutf8", "-ww", "-k", str(page)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=os.environ | {"LC_ALL": "C.UTF-8"})
        assert done.returncode == 0 and not done.stderr, (name, done.stderr)
        assert "exits 0" in done.stdout.lower() or name != "latlab-compare"
