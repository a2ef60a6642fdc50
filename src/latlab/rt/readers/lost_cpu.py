# SPDX-License-Identifier: BSD-3-Clause
"""What Linux's kernel log says of a CPU that did not come back: which, after which call, with which code.

The lines are those that these files of Linux print: arch/arm64/kernel/smp.c, arch/arm64/kernel/psci.c, drivers/firmware/psci/psci.c,
kernel/cpu.c and arch/x86/kernel/smpboot.c.
"""

from __future__ import annotations

import errno
import re
from dataclasses import replace

from latlab.rt.model.power_steps import LostCpu

ON, OFF = "CPU_ON", "CPU_OFF"
STARTUP, TEARDOWN = "start-up", "shutdown"  # where the log does not say that PSCI made the call

# The line, its call, and whether a code in it is one of Linux's errors.
LINES = (
    (re.compile(r"psci: failed to boot CPU(?P<cpu>\d+) \((?P<code>-?\d+)\)"), ON, True),
    (re.compile(r"psci: CPU(?P<cpu>\d+) may not have shut down cleanly(?: \(AFFINITY_INFO reports (?P<code>-?\d+)\))?"), OFF, False),
    (re.compile(r"\bCPU(?P<cpu>\d+): failed to boot: (?P<code>-?\d+)"), STARTUP, True),
    (
        re.compile(r"\bCPU(?P<cpu>\d+): (?:failed to come online|failed in unknown state|is stuck in kernel|died during early boot)"),
        STARTUP,
        False,
    ),
    (re.compile(r"\bCPU(?P<cpu>\d+):? may not have shut down cleanly(?:: (?P<code>-?\d+))?"), TEARDOWN, True),
    (re.compile(r"\bdo_boot_cpu failed\((?P<code>-?\d+)\) to wakeup CPU#(?P<cpu>\d+)"), STARTUP, False),
    (re.compile(r"\bCPU(?P<cpu>\d+) failed to report alive state"), STARTUP, False),
    (re.compile(r"\bCPU(?P<cpu>\d+) failed to report dead state"), TEARDOWN, False),
    (re.compile(r"\bCPU (?P<cpu>\d+) didn't die"), TEARDOWN, False),
    (re.compile(r"\bError taking CPU(?P<cpu>\d+) up: (?P<code>-?\d+)"), STARTUP, True),
    (re.compile(r"\bError taking CPU(?P<cpu>\d+) down: (?P<code>-?\d+)"), TEARDOWN, True),
)
BY_PSCI = re.compile(r"psci: CPU\d+ killed")
KNOWS_MORE = {STARTUP: ON, TEARDOWN: OFF}


def lost_cpus(text: str) -> tuple[LostCpu, ...]:
    """One for each CPU and direction, in the order of the log; of several lines the one with a PSCI call and a code tells most.

    A kernel that has taken a CPU off by PSCI starts and stops all of them by PSCI."""
    by_cpu: dict[tuple[int, bool], LostCpu] = {}
    by_psci = BY_PSCI.search(text) is not None
    for number, line in enumerate(text.splitlines(), 1):
        lost_cpu = _lost(line, number)
        if lost_cpu is None:
            continue
        key = lost_cpu.cpu, lost_cpu.call in (ON, STARTUP)
        if by_psci:
            lost_cpu = replace(lost_cpu, call=KNOWS_MORE.get(lost_cpu.call, lost_cpu.call))
        earlier = by_cpu.setdefault(key, lost_cpu)
        call = lost_cpu.call if earlier.call in KNOWS_MORE and lost_cpu.call == KNOWS_MORE[earlier.call] else earlier.call
        is_silent = (earlier.is_silent or lost_cpu.is_silent) and f"failed to boot CPU{lost_cpu.cpu} " not in text
        by_cpu[key] = LostCpu(lost_cpu.cpu, call, earlier.code or lost_cpu.code, earlier.line, is_silent)
    return tuple(by_cpu.values())


def _lost(line: str, number: int) -> LostCpu | None:
    for pattern, call, is_error in LINES:
        match = pattern.search(line)
        if match:
            parts = match.groupdict()
            is_silent = "failed to come online" in line
            return LostCpu(int(parts["cpu"]), call, _code(parts.get("code"), is_error), number, is_silent)
    return None


def _code(text: str | None, is_error: bool) -> str:
    if text is None:
        return ""
    name = errno.errorcode.get(-int(text), "").replace("ENOTSUP", "EOPNOTSUPP") if is_error else ""
    return f"{text} ({name})" if name else text
