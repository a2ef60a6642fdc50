# SPDX-License-Identifier: BSD-3-Clause
"""On which CPUs the threads of a measuring program may run, as /proc/PID/task/TID/status has it (proc_pid_status(5))."""

from __future__ import annotations

import re

THREAD_CPUS = "cyclictest-cpus.txt"
LINE = re.compile(r"/proc/(?P<pid>\d{1,9})/task/(?P<tid>\d{1,9})/status:Cpus_allowed_list:\s*(?P<cpus>[\d,-]{1,1000})", re.ASCII)


def read_thread_cpus(text: str) -> tuple[int | None, ...]:
    """The CPU of each thread in the order in which they were made, without the first, which measures nothing. None of a thread that may run
    on several: the kernel widens its affinity when its CPU goes off, and never narrows it again."""
    matches = [match for match in map(LINE.fullmatch, text.splitlines()) if match and match["pid"] != match["tid"]]
    in_order = sorted(matches, key=lambda match: int(match["tid"]))
    return tuple(int(match["cpus"]) if match["cpus"].isdecimal() else None for match in in_order)
