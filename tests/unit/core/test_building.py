# SPDX-License-Identifier: BSD-3-Clause
"""A program of latlab's that a command lacks: a checkout builds it and runs the command again, anything else is one sentence."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from latlab.core.cli import app as command_line
from latlab.core.errors import LatlabError, NotBuilt, UsageError
from latlab.core.model.work_progress import WorkState, WorkUnit, progress_to
from latlab.core.targets import building, tools
from latlab.core.targets.building import build_missing
from support.places import ROOT

MISSING = NotBuilt("no program", "spm", "build it with `make spm`")


@pytest.fixture(name="root")
def fixture_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose tools are there and whose builds write a file."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "CMakePresets.json").write_text(json.dumps({"buildPresets": [{"name": "qemu_virt"}]}))
    (tmp_path / "Makefile").write_text("spm qemu_virt:\n\techo $@ $(MAKELEVEL) >>built\n")
    set_up(tmp_path, "exit 0")
    monkeypatch.setattr(building, "checkout", lambda: tmp_path)
    return tmp_path


def set_up(root: Path, text: str) -> None:
    script = root / "scripts" / "setup.sh"
    script.write_text(f'#!/bin/sh\necho "$@" >>{root}/asked\n{text}\n')
    script.chmod(0o755)


def test_it_is_built_by_its_target_after_a_look_at_its_tools(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAKELEVEL", "7")
    said: list[str] = []
    build_missing(MISSING, said.append)
    build_missing(NotBuilt("no firmware", "qemu_virt", ""), said.append)
    assert (root / "built").read_text() == "spm 0\nqemu_virt 0\n", "an outer make has nothing to do with it"
    assert (root / "asked").read_text() == "--check spm\n--check firmware\n"
    assert len(said) == 4 and "`make spm`" in said[0]
    assert said[1] == "`make spm` is done; its log is build/spm.log"
    assert "echo spm 0 >>built\n" in (root / "build" / "spm.log").read_text()


def test_a_program_older_than_its_sources_is_built_again_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The firmware would else be measured as it was before the change. A source of no image is looked at once."""
    monkeypatch.setattr(tools, "checkout", lambda: root)
    image, source, test = (root / name for name in ("build/qemu_virt/firmware.bin", "firmware/el3/psci/off.c", "firmware/el3/tests/off.c"))
    for at, path in enumerate((source, image, test)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (at, at))
    tools.refuse_stale(image, "qemu_virt")
    os.utime(source)
    with pytest.raises(NotBuilt, match=r"^build/qemu_virt/firmware\.bin is older than firmware/el3/psci/off\.c; build it with") as stale:
        tools.refuse_stale(image, "qemu_virt")
    build_missing(stale.value, lambda text: None)
    assert (root / "built").read_text() == "qemu_virt 0\n"
    tools.refuse_stale(image, "qemu_virt")
    tools.refuse_stale(source, "qemu_virt")


def test_whatever_finds_a_program_of_a_checkout_also_refuses_one_that_is_older_than_its_sources() -> None:
    """The recorder's name has the hash of its sources."""
    finders = {path for path in (ROOT / "src").rglob("*.py") if "not_built(" in path.read_text("utf-8") and path.name != "tools.py"}
    assert len(finders) > 10
    assert [path.name for path in sorted(finders) if "refuse_stale(" not in path.read_text("utf-8")] == []


def test_without_its_tools_the_sentence_of_the_set_up_is_the_error_and_nothing_is_built(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "may_install", lambda: False)
    set_up(root, "echo 'Missing: a compiler. As root: apt-get install it' >&2; exit 1")
    with pytest.raises(UsageError, match=r"has not built .*; run `make spm`.* Missing: a compiler\. As root: apt-get install it"):
        build_missing(MISSING, print)
    assert not (root / "built").exists()


def test_root_gets_its_tools_installed_by_the_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(root, "echo 'Missing: a compiler.' >&2; exit 1")
    monkeypatch.setattr(building, "may_install", lambda: True)
    said: list[str] = []
    build_missing(MISSING, said.append)
    assert (root / "built").read_text() == "spm 0\n"
    assert said[0] == "tools for `make spm` are missing: apt-get installs them first"


@pytest.mark.parametrize(("script", "first_run"), [("exit 0", "builds `make spm`"), ("exit 1", "installs tools and builds `make spm`")])
def test_what_a_first_run_would_do_is_told_and_not_done(root: Path, monkeypatch: pytest.MonkeyPatch, script: str, first_run: str) -> None:
    set_up(root, f"echo 'Missing: a compiler.' >&2; {script}")
    monkeypatch.setattr(building, "may_install", lambda: True)
    assert building.first_run_of(MISSING) == first_run and not (root / "built").exists()


def test_a_first_run_that_may_not_install_what_it_lacks_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(root, "echo 'Missing: a compiler.' >&2; exit 1")
    monkeypatch.setattr(building, "may_install", lambda: False)
    with pytest.raises(UsageError, match="Missing: a compiler"):
        building.first_run_of(MISSING)


def test_a_build_reports_its_steps(root: Path) -> None:
    (root / "Makefile").write_text("spm:\n\t@echo '-- Configuring done'; echo '[1/2] Building a.c'; echo '[2/2] Linking a'\n")
    states: list[WorkState] = []
    with progress_to(states.append):
        build_missing(MISSING, lambda text: None)
    assert states == [WorkState("make spm", done, 2, WorkUnit.STEPS) for done in (1, 2)]


def test_a_build_that_fails_says_the_compiler_s_first_error(root: Path) -> None:
    """Behind the last lines of its log, which the error names."""
    (root / "Makefile").write_text("spm:\n\t@seq 100; echo 'a.c:1:2: error: no b' >&2; echo 'compilation terminated.' >&2; exit 3\n")
    said: list[str] = []
    sentence = r"build/spm\.log: make spm ended with status 2: a\.c:1:2: error: no b; run `make spm` in the checkout"
    with pytest.raises(LatlabError, match=sentence):
        build_missing(MISSING, said.append)
    assert len(said) == 11 and said[1] == "95" and "compilation terminated." in said


@pytest.mark.parametrize("target", ["qemu_virt-strange", "clean"])
def test_what_is_no_build_of_the_checkout_stays_the_error_that_it_was(root: Path, target: str) -> None:
    missing = NotBuilt("no such build", target, "")
    with pytest.raises(NotBuilt) as raised:
        build_missing(missing, print)
    assert raised.value is missing and not (root / "asked").exists()


def test_an_installation_builds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "checkout", lambda: None)
    with pytest.raises(NotBuilt):
        build_missing(MISSING, print)


def test_the_command_runs_again_once_for_each_program_that_it_lacks(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking = [MISSING, NotBuilt("no firmware", "qemu_virt", "")]
    runs: list[int] = []

    def verb(**options: object) -> int:
        runs.append(len(lacking))
        if lacking:
            raise lacking.pop(0)
        return 0

    monkeypatch.setattr(command_line, "_command", lambda: verb)
    monkeypatch.setattr(sys, "argv", ["latlab", "run", "psa"])
    assert command_line._guarded() == 0 and runs == [2, 1, 0]
    lacking += [MISSING, MISSING]
    assert command_line._guarded() == 2, "what a build does not bring is built once"
    assert "latlab: no program; build it with `make spm`" in capsys.readouterr().err
