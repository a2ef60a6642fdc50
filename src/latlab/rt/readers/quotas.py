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
_V1_FOLDER = re.compile(r"^/[^/]*\bcpu\b[^/]*")
"""The mount of the controller in version 1, such as /cpu,cpuacct."""
NS = {"throttled_usec": 1000, "throttled_time": 1}


@dataclass(frozen=True, slots=True)
class Throttled:
    """In one measurement. `group` is the control group's path, `/` for the container's own, empty if the thread's group is unknown."""

    group: str
    times: int
    ns: int


def throttled_threads(counts: Iterable[str], groups: Iterable[str], threads: Iterable[int]) -> dict[int, Throttled]:
    """By thread, of those that a quota kept off: of its group, or of one that it lies in. A thread whose group no line has may have been in
    any. `counts` are lines such as `begin /sys/fs/cgroup/cpu/a/cpu.stat:nr_throttled 5`, `groups` such as
    `/proc/7/cgroup:4:cpu,cpuacct:/a`. Lines that are not whole are left out."""
    of_folder = {folder: growth for folder, growth in _growth(counts).items() if growth[0] > 0}
    by_thread: dict[int, Throttled] = {}
    with_group: set[int] = set()
    for match in filter(None, map(_GROUP.fullmatch, groups)):
        thread, path = int(match["thread"]), f"{match['path']}/"
        with_group.add(thread)
        for folder, (times, ns) in of_folder.items():
            group = _V1_FOLDER.sub("", folder) if match["controllers"] else folder
            if path.startswith(f"{group}/"):
                by_thread[thread] = Throttled(group or "/", times, ns)
    if of_folder:
        any_group = Throttled("", *map(sum, zip(*of_folder.values(), strict=True)))
        by_thread |= dict.fromkeys(set(threads) - with_group, any_group)
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
