# SPDX-License-Identifier: BSD-3-Clause
"""The recorder for each kind of machine that it runs on, without a warning of its compiler."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from latlab.core.errors import LatlabError
from latlab.rt.targets import recorder_binary
from latlab.rt.targets.recorder_binary import COMPILERS, NOT_CARRIED, recorder_for

MACHINES = {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64", "armv7l": "EM_ARM", "riscv64": "EM_RISCV"}


@pytest.mark.parametrize("machine", MACHINES)
def test_it_is_built_for_each_machine(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MACHINES.keys() == (COMPILERS | NOT_CARRIED).keys()
    if not any(map(shutil.which, (COMPILERS | NOT_CARRIED)[machine])):
        pytest.skip(f"no compiler for {machine}")
    monkeypatch.setattr(recorder_binary, "cache_folder", lambda: tmp_path)
    with recorder_for(machine).open("rb") as program:
        assert ELFFile(program)["e_machine"] == MACHINES[machine]


@pytest.mark.parametrize(
    ("library", "said"),
    [("libc.a", "has no static C library.*libc6-dev-riscv64-cross"), ("/usr/lib/libc.a", "status 1: a.c:1: error: no b")],
)
def test_a_compiler_without_a_c_library_is_asked_for_it_and_any_other_failure_stays(
    library: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "riscv64-linux-gnu-gcc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *print-file-name*) echo {library} ;; *) echo "a.c:1: error: no b" >&2; exit 1 ;; esac\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(recorder_binary, "cache_folder", lambda: tmp_path)
    with pytest.raises(LatlabError, match=said):
        recorder_for("riscv64")
