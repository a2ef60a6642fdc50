# SPDX-License-Identifier: BSD-3-Clause
"""Run a non-secure program beside a secure image of the SPM under QEMU: the console's text is all that comes back."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from latlab.psa.targets import mps2
from support.places import ROOT

TIMEOUT_S = 7200


def printed(secure: str, program: str, machine: str = mps2.MACHINES[0], word: int | None = None) -> str:
    """What the program prints beside the secure image of that build; it must end well.

    `word` is what the program finds in the memory that no start clears.
    """
    board = mps2.board_of(machine)
    folder = ROOT / "build" / board.images / secure
    qemu = shutil.which(mps2.PROGRAM)
    if not qemu or not (folder / f"{program}.elf").is_file():
        pytest.skip(f"the build {secure} of the SPM with {program} or qemu-system-arm is not there; run `make setup spm`")
    command = [qemu, "-M", machine, "-icount", "shift=10,sleep=off", "-kernel", str(folder / "secure.elf")]
    command += ["-device", f"loader,file={folder / f'{program}.elf'}", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    if word is not None:
        command += ["-device", f"loader,addr={board.word:#x},data={word},data-len=4"]
    command += ["-semihosting-config", "enable=on,target=native"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    told = [line for line in done.stdout.splitlines() if "ended in a panic" in line]
    assert all(PANIC.fullmatch(line) for line in told), told
    assert told or program != "conformance", "the SPM told of none of its panics"
    return done.stdout


PANIC = re.compile(
    r"SPM: the last boot ended in a panic: "
    r"(?:(?!none|a fault)[^;]+; partition 0x[0-9a-f]{8}, pc 0x[0-9a-f]{8}"
    r"|a fault(?: of the non-secure side)?; partition 0x[0-9a-f]{8}, pc 0x[0-9a-f]{7}[02468ace], "
    r"CFSR 0x[0-9a-f]{8}, HFSR 0x[0-9a-f]{8}, SFSR 0x[0-9a-f]{8}, address 0x[0-9a-f]{8})"
)
WITH_FLOATS = ("mps2-an505", "mps3-an547")
WITH_A_TICKER = ("later_l2", "at_once_l1", "at_once_l2")
THREADS = re.compile(
    r"calls (\d+), waited for a secure interrupt (\d+), in critical sections (\d+), turned away there (\d+), floating point (\d), "
    r".*, of these in a call (\d+)"
)


def threads_under_a_scheduler(build: str, machine: str, calls: int) -> str:
    """Two threads call under a preemptive scheduler: no call may be lost or wrong, and most have to be interrupted; a tenth is made in
    critical sections, which no call may open. What it prints."""
    text = printed(f"{build}_test", "threads", machine, calls)
    check_threads(text, calls, machine)
    return text


def check_threads(text: str, calls: int, machine: str) -> None:
    """What the program `threads` says at its end."""
    found = THREADS.search(text)
    assert found
    made, waited, critical, turned_away, floating_point, switched_in_a_call = map(int, found.groups())
    assert (made, waited, critical) == (calls, calls // 5, calls // 10)
    assert turned_away > 0 or calls < 1000, "no critical section fell into a call of the other thread"
    assert floating_point == (machine in WITH_FLOATS)
    assert switched_in_a_call > calls // 5


def threads_beside_a_ticker(build: str, machine: str, calls: int) -> None:
    """The same beside a partition that works for interrupts of its own, of which more have to come than calls are made."""
    ticker = re.search(r"interrupts of the ticker (\d+)", threads_under_a_scheduler(build, machine, calls))
    assert ticker and int(ticker[1]) > calls
