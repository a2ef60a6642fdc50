# SPDX-License-Identifier: BSD-3-Clause
"""How often the quota of a control group kept its threads from all CPUs: `nr_throttled` and the time in `cpu.stat` (cgroup v1 and v2), and
the groups of threads in /proc/PID/cgroup, as a job that follows threads notes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BEGIN, END = "begin", "end"
_COUNT = re.compile(
    r"(?P<when>begin|end) /sys/fs/cgroup(?P<folder>/.*)?/cpu\.stat:(?P<name>nr_throttled|throttled_usec|throttled_time) (?P<count>\d{1,19})"
)
_GROUP = re.compile(r"/proc/(?P<thread>\d{1,9})/cgroup:\d{1,9}:(?P<controllers>[^:]*):(?P<path>/.*)")
_V1_FOLDER = re.compile(r"/[^/]*\bcpu\b[^/]*")
"""Of the controller, such as /cpu,cpuacct."""
NS = {"throttled_usec": 1000, "throttled_time": 1}


@dataclass(frozen=True, slots=True)
class Throttled:
    """In one measurement. `group` is the control group's path, `/` for the container's own."""

    group: str
    times: int
    ns: int


def throttled_threads(counts: Iterable[str], groups: Iterable[str]) -> dict[int, Throttled]:
    """By thread, of those that a quota kept off: of its group, or of one that it lies in. `counts` are lines such as `begin
    /sys/fs/cgroup/cpu/a/cpu.stat:nr_throttled 5`, `groups` such as `/proc/7/cgroup:4:cpu,cpuacct:/a`. Lines that are not whole are left
    out."""
    of_folder = _growth(counts)
    by_thread: dict[int, Throttled] = {}
    for line in groups:
        match = _GROUP.fullmatch(line)
        for folder, (times, ns) in of_folder.items() if match else ():
            group = _V1_FOLDER.sub("", folder, count=1) if match and match["controllers"] else folder
            if match and (match["path"] + "/").startswith(group + "/") and times > 0:
                by_thread[int(match["thread"])] = Throttled(group or "/", times, ns)
    return by_thread


def _growth(counts: Iterable[str]) -> Mapping[str, tuple[int, int]]:
    grown: dict[str, dict[str, int]] = {}
    for line in counts:
        if match := _COUNT.fullmatch(line):
            is_time = match["name"] in NS
            of_folder = grown.setdefault(match["folder"] or "", {"times": 0, "ns": 0})
            value = int(match["count"]) * NS.get(match["name"], 1)
            of_folder["ns" if is_time else "times"] += value if match["when"] == END else -value
    return {folder: (values["times"], values["ns"]) for folder, values in grown.items()}
