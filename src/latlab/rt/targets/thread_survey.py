# SPDX-License-Identifier: BSD-3-Clause
"""What a machine says before its threads are followed: its tracefs, its threads, and the control groups of units."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from latlab.core.errors import UsageError
from latlab.core.targets.linux.machine import Machine, Unreachable
from latlab.rt.readers.tasks import Task, read_tasks
from latlab.rt.targets.thread_job import INSTANCES, is_left, remove_left

ANSWER_S = 60
PLACES = "/sys/kernel/tracing /sys/kernel/debug/tracing"
FIRST_PID_NAMESPACE = "pid:[4026531836]"
"""The kernel's fixed number of it."""
TRACEFS = f"""\
for T in {PLACES}; do
    [ -d $T/instances ] || continue
    echo tracing=$T
    [ -w $T/instances ] && echo writable=yes
    [ -e $T/events/sched/sched_switch/format ] && [ -e $T/events/sched/sched_waking/format ] && echo events=yes
    for left in $T/instances/{INSTANCES}*; do
        [ -d "$left" ] && {is_left("$left")} && echo left="${{left##*/}}"
    done
    break
done
for T in {PLACES}; do [ -d $T ] && [ ! -r $T ] && echo hidden=$T; done
echo root=$(id -u)
echo pids=$(readlink /proc/self/ns/pid)
echo memory_kib=$(sed -n 's/^MemAvailable: *\\([0-9]*\\).*/\\1/p' /proc/meminfo)
"""
TASKS = "grep -sH '' /proc/[0-9]*/task/[0-9]*/stat; true"
GROUPS = "find /sys/fs/cgroup -type d -name {} 2>/dev/null; true"


@dataclass(frozen=True, slots=True)
class TracingSurvey:
    """`tracing` is the folder of tracefs, empty if there is none that can be read. `left` are instances of jobs that are gone."""

    tracing: str
    is_writable: bool
    has_events: bool
    is_root: bool
    is_first_namespace: bool
    memory_kib: int
    left: tuple[str, ...] = ()


def tracing_survey(machine: Machine) -> TracingSurvey:
    """Raises UsageError if the machine does not answer."""
    lines = [line.partition("=") for line in _answer(machine, TRACEFS).splitlines()]
    answers = {name: value for name, _, value in lines}
    return TracingSurvey(
        answers.get("tracing", ""),
        answers.get("writable") == "yes",
        answers.get("events") == "yes",
        answers.get("root") == "0",
        answers.get("pids", "") in ("", FIRST_PID_NAMESPACE),
        int(answers.get("memory_kib") or 0),
        tuple(value for name, _, value in lines if name == "left"),
    )


def check_tracing(survey: TracingSurvey, place: str) -> None:
    """Raises UsageError with the next step if threads cannot be followed."""
    if not survey.tracing and not survey.is_root:
        raise UsageError("no right to trace threads", "run as root", place=place)
    if not survey.tracing:
        raise UsageError(
            "no tracefs, which has the kernel's events",
            "mount it with `mount -t tracefs nodev /sys/kernel/tracing`, or boot a kernel with CONFIG_FTRACE",
            place=place,
        )
    if not survey.is_writable:
        raise UsageError(f"no right to write {survey.tracing}/instances", "run as root", place=place)
    if not survey.has_events:
        raise UsageError("the kernel has no event sched_switch or sched_waking", "boot a kernel with CONFIG_SCHED_TRACER", place=place)
    if not survey.is_first_namespace:
        raise UsageError(
            "this container numbers its threads otherwise than the kernel's events do", "run latlab outside of the container", place=place
        )


def tasks_of(machine: Machine) -> tuple[Task, ...]:
    """Every thread of the machine. Raises UsageError if it does not answer."""
    return read_tasks(_answer(machine, TASKS))


def groups_of(machine: Machine, unit: str) -> tuple[str, ...]:
    """The folders of the control groups of a systemd unit, in each hierarchy. Raises UsageError if the machine does not answer."""
    return tuple(_answer(machine, GROUPS.format(quote(unit))).splitlines())


def remove_instances(machine: Machine, tracing: str) -> tuple[str, ...]:
    """Removes the instances of jobs that are gone; their names."""
    return tuple(_answer(machine, f"{remove_left(tracing, 'echo')}; true").split())


def _answer(machine: Machine, text: str) -> str:
    try:
        return machine.run(text, ANSWER_S).text
    except Unreachable as error:
        raise UsageError(str(error)) from error
