# SPDX-License-Identifier: BSD-3-Clause
"""Which threads of a machine a user means by a number, a name or a systemd unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from latlab.core.errors import UsageError
from latlab.rt.readers.tasks import Task
from latlab.rt.targets.thread_job import Followed

UNIT = re.compile(r"\S+\.(service|scope|slice)")
MOST_NAMED = 8
NAME_LENGTH = 15


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is followed, and the sentence that says it."""

    followed: Followed
    sentence: str


def chosen_threads(subjects: Sequence[str], tasks: Sequence[Task], groups: Callable[[str], Sequence[str]], place: str) -> Chosen:
    """`groups` has the control groups of a unit. Raises UsageError for a subject that means nothing, or several things."""
    parts = [_part(subject, tasks, groups, place) for subject in subjects]
    followed = Followed(
        _all(part.followed.processes for part in parts),
        _all(part.followed.threads for part in parts),
        tuple(dict.fromkeys(group for part in parts for group in part.followed.groups)),
    )
    return Chosen(followed, "; ".join(part.sentence for part in parts))


def _all(groups: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for group in groups for number in group))


def _part(subject: str, tasks: Sequence[Task], groups: Callable[[str], Sequence[str]], place: str) -> Chosen:
    if subject.isdecimal():
        return _of_number(int(subject), tasks, place)
    if UNIT.fullmatch(subject):
        return _of_unit(subject, groups(subject), place)
    return _of_name(subject, tasks, place)


def _of_number(number: int, tasks: Sequence[Task], place: str) -> Chosen:
    """All threads of a process, or the one thread of that number."""
    task = next((task for task in tasks if task.tid == number), None)
    if task is None:
        raise UsageError(f"no process and no thread has the number {number}", _candidates(tasks), value=number, place=place)
    if task.leads:
        return _of_process(task, tasks)
    return Chosen(Followed(threads=(number,)), f"thread {number} ({task.name}) of process {task.pid}")


def _of_process(leader: Task, tasks: Sequence[Task]) -> Chosen:
    count = sum(task.pid == leader.pid for task in tasks)
    return Chosen(Followed(processes=(leader.pid,)), f"process {leader.pid} ({leader.name}), {count} thread{'s' * (count != 1)}")


def _of_unit(unit: str, folders: Sequence[str], place: str) -> Chosen:
    if not folders:
        raise UsageError(f"no control group is called {unit}", f"start the unit; `systemctl status {unit}` prints its state", place=place)
    return Chosen(Followed(groups=tuple(folders)), f"unit {unit}")


def _of_name(name: str, tasks: Sequence[Task], place: str) -> Chosen:
    """A process of the name comes before single threads. The kernel keeps 15 characters of a name."""
    alike = [task for task in tasks if task.name == name[:NAME_LENGTH]]
    leaders = [task for task in alike if task.leads]
    if len(leaders) > 1:
        raise UsageError(f"{len(leaders)} processes are called {name}", _one_of(leaders), value=name, place=place)
    if leaders:
        return _of_process(leaders[0], tasks)
    if len({task.pid for task in alike}) > 1:
        raise UsageError(f"threads of {len({task.pid for task in alike})} processes are called {name}", _one_of(alike), place=place)
    if not alike:
        raise UsageError(f"no process and no thread is called {name}", _candidates(tasks), value=name, place=place)
    numbers = tuple(task.tid for task in alike)
    threads = f"thread{'s' * (len(numbers) != 1)} {', '.join(map(str, numbers))}"
    return Chosen(Followed(threads=numbers), f"{threads} ({name}) of process {alike[0].pid}")


def _one_of(tasks: Sequence[Task]) -> str:
    numbers = ", ".join(str(task.pid) for task in {task.pid: task for task in tasks}.values())
    return f"give the number of the process: {numbers}"


def _candidates(tasks: Sequence[Task]) -> str:
    """The real-time threads, which are the likely ones."""
    names = list(dict.fromkeys(task.name for task in tasks if task.is_real_time and not _is_of_the_kernel(task)))
    if not names:
        return "no process has a real-time thread now; `ps -eLo pid,tid,cls,rtprio,comm` lists all"
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"real-time threads are {', '.join(names[:MOST_NAMED])}{more}"


def _is_of_the_kernel(task: Task) -> bool:
    return task.name.startswith(("migration/", "irq/", "idle_inject/", "watchdog/", "rcu", "ktimers/", "cpuhp/", "ksoftirqd/"))
