# SPDX-License-Identifier: BSD-3-Clause
"""The threads of a machine, by the `stat` files of /proc (proc_pid_stat(5)), each line with its path before it."""

from __future__ import annotations

import re
from dataclasses import dataclass

LINE = re.compile(r"/proc/(?P<pid>\d{1,9})/task/(?P<tid>\d{1,9})/stat:\d{1,9} \((?P<name>.*)\) \S (?P<rest>[-\d ]{1,1000})", re.ASCII)
POLICY_AT = 37
"""The place of the policy behind the state."""
REAL_TIME_POLICIES = (1, 2, 6)


@dataclass(frozen=True, slots=True)
class Task:
    """A thread of a process. `is_real_time`: by its policy (FIFO, RR or deadline)."""

    pid: int
    tid: int
    name: str
    is_real_time: bool

    @property
    def leads(self) -> bool:
        """Whether it has the name and the number of its process."""
        return self.pid == self.tid


def read_tasks(text: str) -> tuple[Task, ...]:
    """Lines of another form are left out: a thread may end while it is read."""
    matches = filter(None, map(LINE.fullmatch, text.splitlines()))
    return tuple(_task(match) for match in matches if len(match["rest"].split()) > POLICY_AT)


def _task(match: re.Match[str]) -> Task:
    return Task(int(match["pid"]), int(match["tid"]), match["name"], int(match["rest"].split()[POLICY_AT]) in REAL_TIME_POLICIES)
