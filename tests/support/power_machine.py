# SPDX-License-Identifier: BSD-3-Clause
"""A machine whose /sys is a folder: its kernel is a script in place of latlab-timed-write, and CPUs can be told not to come back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from latlab.core.targets.linux.machine import CommandResult, Here

KERNEL_FILES = ("/sys/devices/system/cpu", "/sys/power", "/sys/class/rtc", "/dev/kmsg", "/dev/console", "/proc/latlab_el3", "/run/latlab")
KERNEL = """\
#!/bin/sh
root={root}
printf '%s start_ns=1' "$2" >>$1
refused=$root/refuses/$(echo "$2" | tr ' =' '--')
while [ -e $refused.hang ]; do sleep 0.05; done
if [ -e $refused ]; then
    cat $refused.log >>$root/dev/kmsg 2>/dev/null
    echo " ns=5000 slept_ns=0 errno=$(cat $refused)" >>$1
    exit 1
fi
echo "$4" >$3
echo "$2" >>$root/done
echo " ns=$(($(wc -l <$root/done) * 1000)) slept_ns=5000000000 errno=0" >>$1
"""


@dataclass(slots=True)
class PowerMachine:
    """CPUs are numbered from 0; CPU 0 has no file `online`, as on x86."""

    root: Path
    cpus: int = 3
    machine: OnFolder = field(init=False)

    def __post_init__(self) -> None:
        for cpu in range(1, self.cpus):
            self.file(f"sys/devices/system/cpu/cpu{cpu}/online", "1\n")
        self.file("sys/devices/system/cpu/online", f"0-{self.cpus - 1}\n")
        self.file("sys/power/state", "freeze mem disk\n")
        self.file("sys/power/mem_sleep", "s2idle\n")
        self.file("sys/power/suspend_stats/success", "2\n")
        self.file("sys/power/suspend_stats/fail", "0\n")
        self.file("sys/class/rtc/rtc0/wakealarm", "")
        self.file("before", "[1.0] before: WARNING: of an earlier boot\n")
        for folder in ("refuses", "dev", "work", "out", "run", "proc/latlab_el3"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        (self.root / "proc/latlab_el3").rmdir()
        self.program("timed-write", KERNEL.format(root=self.root))
        self.program("bin/dmesg", f"#!/bin/sh\ncat {self.root}/before {self.root}/dev/kmsg 2>/dev/null\n")
        self.machine = OnFolder(scratch=str(self.root / "work"), look_every_s=0.1, root=self.root)

    def file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def program(self, name: str, text: str) -> Path:
        path = self.file(name, text)
        path.chmod(0o755)
        return path

    def text(self, name: str) -> str:
        path = self.root / name
        return path.read_text() if path.is_file() else ""

    def refuse(self, step: str, error: int, log: str = "") -> None:
        """Such as `online cpu=2`: the kernel answers with this error, and prints this."""
        name = re.sub("[ =]", "-", step)
        self.file(f"refuses/{name}", str(error))
        self.file(f"refuses/{name}.log", log)

    def hang(self, step: str) -> None:
        self.file(f"refuses/{re.sub('[ =]', '-', step)}.hang", "")


def on_folder(root: Path, text: str) -> str:
    """The same shell with the kernel's files in the folder; its log takes every line that is written to it."""
    return re.sub(rf"(?<![\w.])({'|'.join(KERNEL_FILES)})", rf"{root}\1", text.replace(">/dev/kmsg", ">>/dev/kmsg"))


@dataclass(frozen=True, slots=True)
class OnFolder(Here):
    """This machine, with the kernel's files in a folder."""

    root: Path = Path()

    def run(self, text: str, timeout_s: float) -> CommandResult:
        return Here.run(self, on_folder(self.root, text), timeout_s)

    def put(self, local: Path, remote: str) -> None:
        Here.put(self, local, remote)
        if remote.endswith("/job"):
            job = Path(remote)
            job.write_text(f"PATH={self.root}/bin:$PATH\n" + on_folder(self.root, job.read_text()))
