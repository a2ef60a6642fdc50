# SPDX-License-Identifier: BSD-3-Clause
"""One generated client on two firmwares: what PSCI lets a client see is the same on both, or the difference has its reason here.

`python bench/differ.py` compares our firmware with the TF-A that Debian has as source. `--firmware` and `--against` name others: an image,
or a subject's TOML file. Exits with 1 where a difference has no reason.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from latlab.calls.targets.subject import Subject, command_line, load_subject, own_subject, placed, subject_of_file
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.qemu.probe import find_plugin
from latlab.core.targets.qemu.qemu import find_qemu
from side_by_side import built_tf_a, debian_source

PROGRAM = "qemu_virt/psci_differ.elf"
DELAYS = "delays"
EL3_MEMORY = "from=0xe000000,to=0xf000000"
CORES = 4
TIMEOUT_S = 120
STANDBY_ONLY = 16
SAID = re.compile(r"^(call |life |  |status=)")
NO_LINE = "(nothing: the client has stopped)"


@dataclass(frozen=True)
class Reason:
    """A difference that may be: what is said first, what is said instead, and why both are right or whose fault it is."""

    said: str
    instead: str
    why: str

    def explains(self, one: str, other: str) -> bool:
        return _question(one) == _question(other) and bool(re.search(self.said, one) and re.search(self.instead, other))


REASONS = (
    Reason(r"^call 8400000f\(.*: -2$", ": -1$", "SET_SUSPEND_MODE is optional: TF-A's qemu has no OS-initiated mode"),
    Reason(r"^call 8400000a\([8c]4000001, .*: 1$", ": 0$", "PSCI_FEATURES of CPU_SUSPEND says that it has the OS-initiated mode"),
    Reason(r"^call 8400000a\(8400000f, .*: 0$", ": -1$", "PSCI_FEATURES of SET_SUSPEND_MODE, which is optional"),
    Reason(r"^call 8400000a\([8c]4000012, .*: 0$", ": -1$", "PSCI_FEATURES of SYSTEM_RESET2, which is optional"),
    Reason(r"^call 84000012\(.*: -2$", ": -1$", "SYSTEM_RESET2 is optional: TF-A's qemu has none"),
    Reason(r"^call 84000006\(.*: 2$", ": -1$", "MIGRATE_INFO_TYPE without a Trusted OS: 2 and NOT_SUPPORTED mean the same"),
    Reason(
        r"^call [8c]4000003\(0, .*: -9$", ": -4$", "CPU_ON of itself at an address that is none: both errors apply, and PSCI gives no order"
    ),
    Reason(r"^call [8c]4000004\(\w+, [123], .*: (0|1|-2)$", ": -2$", "AFFINITY_INFO above level 0 is optional since PSCI 1.0"),
    Reason(
        r"^call [8c]4000004\((?![01], 0,).*: -2$",
        ": [01]$",
        "AFFINITY_INFO: TF-A ignores bits of an MPIDR and of a level that mean nothing, and takes the machine to have two clusters of four",
    ),
    Reason("^  timer=0$", "=1$", "PSCI says nothing of the timers of a core that goes off: here they are stopped, in TF-A left on"),
)


def _question(line: str) -> str:
    return line[: max(line.rfind(":"), line.rfind("="))]


def said_by(subject: Subject, seed: int, lives: int, delays: bool) -> list[str]:
    """What the client said. It ends by itself; where it does not, the last line says so."""
    with tempfile.TemporaryDirectory() as folder:
        command = command_line(find_qemu(), subject, built(PROGRAM), lives, Path(folder), seed, STANDBY_ONLY)
        plugin = ("-plugin", f"{find_plugin(DELAYS, find_qemu().path).path},seed={seed},{EL3_MEMORY}") if delays else ()
        try:
            output = subprocess.run(
                (*command, *plugin), capture_output=True, timeout=TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
            ).stdout
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
    lines = output.decode("utf-8", "replace").replace("\r", "").splitlines()
    return [line for line in lines if SAID.match(line)]


def built(name: str) -> Path:
    return next(path for folder in search_folders() if (path := folder / name).is_file())


def differences(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """What each said and the reason, empty where there is none; nothing more after a line that is about something else."""
    for one, other in zip_longest(ours, theirs, fillvalue=NO_LINE):
        if one == other:
            continue
        why = next((reason.why for reason in REASONS if reason.explains(one, other)), "")
        yield one, other, why
        if not why:
            return


def named(what: str | None, gic: int) -> Subject:
    if what is None:
        subject = own_subject("virt")
    else:
        path = Path(what)
        subject = placed(load_subject(path)) if path.suffix == ".toml" else placed(subject_of_file(path, "virt"))
    return on_machine(subject, gic)


def on_machine(subject: Subject, gic: int) -> Subject:
    return replace(subject, options=f"secure=on,gic-version={gic}", cores=CORES, is_deterministic=False)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--firmware", help="the first one, instead of ours")
    parser.add_argument(
        "--against", help="the second one, instead of Debian's TF-A; it must be for the interrupt controller that --gic names"
    )
    parser.add_argument("--gic", type=int, action="append", choices=(2, 3), help="both where none is named")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--lives", type=int, default=40, help="how many lives of cores a run has")
    parser.add_argument("--delays", action="store_true", help="where cores meet in EL3, of both, instructions wait now and then")
    asked = parser.parse_args(arguments)
    found: Counter[str] = Counter()
    unexplained = calls = 0
    for gic in asked.gic or (2, 3):
        first = named(asked.firmware, gic)
        second = named(asked.against, gic) if asked.against else on_machine(built_tf_a(debian_source(), gic).subject, gic)
        for seed in range(asked.first, asked.first + asked.seeds):
            ours, theirs = (said_by(each, seed, asked.lives, asked.delays) for each in (first, second))
            calls += len(ours)
            for one, other, why in differences(ours, theirs):
                found[why] += bool(why)
                if not why:
                    unexplained += 1
                    print(f"GICv{gic}, seed {seed}: {first.name} said `{one.strip()}`, {second.name} `{other.strip()}`", flush=True)
    print(f"{calls} answers compared, {unexplained} differences without a reason, and")
    for why, count in sorted(found.items()):
        if count:
            print(f"  {count:5} {why}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
