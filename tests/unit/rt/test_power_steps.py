# SPDX-License-Identifier: BSD-3-Clause
"""The file of latlab-timed-write, also as the program itself writes it."""

from __future__ import annotations

import errno
import subprocess
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.rt.model.power_steps import PowerStep, StepKind
from latlab.rt.readers.power_steps import last_on_console, read_steps
from latlab.rt.targets.recorder_binary import timed_write_for
from support.refusals import refused

WHOLE = b"offline cpu=12 start_ns=5 ns=70 slept_ns=0 errno=0\nonline cpu=12 start_ns=90 ns=8 slept_ns=0 errno=5\n"


def test_each_line_is_a_step_with_its_cpu_its_times_and_what_the_kernel_answered() -> None:
    assert read_steps(WHOLE + b"suspend start_ns=99 ns=7 slept_ns=5000000000 errno=0\n", "x") == (
        PowerStep(StepKind.OFFLINE, 12, 5, 70, 0, 0),
        PowerStep(StepKind.ONLINE, 12, 90, 8, 0, errno.EIO),
        PowerStep(StepKind.SUSPEND, None, 99, 7, 5_000_000_000, 0),
    )
    assert read_steps(b"", "x") == ()


@pytest.mark.parametrize("cut", range(len("online cpu=12 start_ns=90"), len("online cpu=12 start_ns=90 ns=8 slept_ns=0 errno=")))
def test_a_last_line_that_was_cut_off_is_a_step_that_never_returned(cut: int) -> None:
    first, last = WHOLE.splitlines(keepends=True)
    found = read_steps(first + last[:cut], "x")[-1]
    assert (found.kind, found.cpu, found.ns, found.errno, found.is_done) == (StepKind.ONLINE, 12, None, None, False)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "online start_ns=1 ns=1 slept_ns=0 errno=0",
        "suspend cpu=1 start_ns=1 ns=1 slept_ns=0 errno=0",
        "online cpu=1 start_ns=3",
    ],
)
def test_any_other_line_is_refused_with_its_place(line: str) -> None:
    with pytest.raises(DataError, check=refused(place="steps.txt:2")):
        read_steps(WHOLE.splitlines(keepends=True)[0] + line.encode() + b"\n" + WHOLE, "steps.txt")


def test_the_console_of_a_guest_tells_the_step_that_began_last() -> None:
    console = b"boot\n<LLG1:STEP offline cpu=1>\r\n<LLG1:STEP online cpu=1>\n[ 3.0] stuck\n"
    found = last_on_console(console)
    assert found and (found.kind, found.cpu) == (StepKind.ONLINE, 1)
    suspended = last_on_console(console + b"<LLG1:STEP suspend>")
    assert suspended and (suspended.kind, suspended.cpu) == (StepKind.SUSPEND, None)
    assert last_on_console(b"boot\n") is None


def test_the_program_writes_such_a_file_and_the_value(tmp_path: Path) -> None:
    program, steps, target = timed_write_for("x86_64"), tmp_path / "steps.txt", tmp_path / "online"
    target.write_text("")
    done = [
        subprocess.run((str(program), str(steps), name, str(path), "1"), capture_output=True, text=True, check=False)
        for name, path in (("online cpu=3", target), ("online cpu=4", tmp_path / "missing"), ("suspend", "/dev/full"))
    ]
    assert [one.returncode for one in done] == [0, 1, 1] and target.read_text() == "1"
    good, missing, full = read_steps(steps.read_bytes(), "steps.txt")
    assert (good.cpu, good.errno, missing.errno, full.errno) == (3, 0, errno.ENOENT, errno.ENOSPC)
    assert good.ns and good.start_ns < missing.start_ns and "missing: No such file" in done[1].stderr
    usage = subprocess.run((str(program), "one"), capture_output=True, text=True, check=False)
    assert usage.returncode == 2 and "usage: latlab-timed-write FILE NAME PATH VALUE" in usage.stderr
    nowhere = subprocess.run((str(program), str(tmp_path / "no/steps"), "suspend", str(target), "0"), capture_output=True, check=False)
    assert nowhere.returncode == 2 and target.read_text() == "1"
