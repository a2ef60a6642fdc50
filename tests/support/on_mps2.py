# SPDX-License-Identifier: BSD-3-Clause
"""Run a non-secure program beside a secure image of the SPM under QEMU: the console's text is all that comes back."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from latlab.targets.qemu import mps2
from support.places import ROOT

TIMEOUT_S = 1800


def printed(secure: str, program: str) -> str:
    """What the program prints beside the secure image of that build; it must end well."""
    folder = ROOT / "build" / "spm" / secure
    qemu = shutil.which(mps2.PROGRAM)
    if not qemu or not (folder / f"{program}.elf").is_file():
        pytest.skip(f"the build {secure} of the SPM with {program} or qemu-system-arm is not there; run `make setup spm`")
    command = [qemu, "-M", "mps2-an521", "-icount", "shift=10", "-kernel", str(folder / "secure.elf")]
    command += ["-device", f"loader,file={folder / f'{program}.elf'}", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-semihosting-config", "enable=on,target=native"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout
