"""One million random PSA calls from the non-secure side against each build of the SPM, every answer checked."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from latlab.targets import mps2

CALLS = 1_000_000


@pytest.mark.parametrize("build", mps2.BUILDS)
def test_a_million_random_calls_get_the_specified_answers(build: str) -> None:
    folder = Path(__file__).parents[2] / "build" / "spm" / f"{build}_test"
    qemu = shutil.which(mps2.PROGRAM)
    if not qemu or not (folder / "fuzz.elf").is_file():
        pytest.skip("needs the builds of the SPM and qemu-system-arm")
    command = [qemu, "-M", "mps2-an521", "-icount", "shift=10", "-kernel", str(folder / "secure.elf")]
    command += ["-device", f"loader,file={folder / 'fuzz.elf'}", "-display", "none", "-monitor", "none", "-serial", "stdio"]
    command += ["-semihosting-config", "enable=on,target=native"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    found = re.search(r"calls (\d+), served (\d+), refused (\d+), vectors changed during the call (\d+)", done.stdout)
    assert found and int(found[1]) == CALLS and all(int(number) > 1000 for number in found.groups())
