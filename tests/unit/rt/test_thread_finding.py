# SPDX-License-Identifier: BSD-3-Clause
"""Which threads a number, a name and a unit mean, on a machine whose threads are planned."""

from __future__ import annotations

import pytest

from latlab.core.errors import UsageError
from latlab.rt.campaign.thread_finding import chosen_threads
from latlab.rt.readers.tasks import Task, read_tasks
from latlab.rt.targets.thread_job import Followed

TASKS = (
    Task(10, 10, "app", False), Task(10, 11, "control", True), Task(10, 12, "control", True), Task(10, 13, "log", False),
    Task(20, 20, "other", False), Task(20, 21, "log", False), Task(30, 30, "twin", False), Task(31, 31, "twin", False),
    Task(40, 40, "a_name_of_fiftee", False), Task(50, 50, "migration/0", True),
)  # fmt: skip


def chosen(*subjects: str, groups: tuple[str, ...] = ()) -> Followed:
    return chosen_threads(subjects, TASKS, lambda unit: groups, "board").followed


def test_a_number_means_a_process_or_the_one_thread():
    assert chosen("10") == Followed(processes=(10,))
    assert chosen("12") == Followed(threads=(12,))


def test_a_name_means_the_process_or_the_threads_of_one_process():
    assert chosen("app") == Followed(processes=(10,))
    assert chosen("control") == Followed(threads=(11, 12))
    assert chosen("app", "21", "10") == Followed(processes=(10,), threads=(21,))


def test_a_unit_means_its_control_groups():
    assert chosen("app.service", groups=("/sys/fs/cgroup/app.service",)) == Followed(groups=("/sys/fs/cgroup/app.service",))


@pytest.mark.parametrize(
    "subject, sentence",
    [
        ("99", "board: no process and no thread has the number 99; real-time threads are control"),
        ("nothing", "board: no process and no thread is called nothing; real-time threads are control"),
        ("twin", "board: 2 processes are called twin; give the number of the process: 30, 31"),
        ("log", "board: threads of 2 processes are called log; give the number of the process: 10, 20"),
        ("gone.service", "board: no control group is called gone.service; start the unit; `systemctl status"),
    ],
)
def test_what_means_nothing_or_several_things_has_one_sentence_with_the_candidates(subject, sentence):
    with pytest.raises(UsageError) as refused:
        chosen(subject)
    assert str(refused.value).startswith(sentence)


def test_a_machine_without_real_time_threads_names_the_command_that_lists_all():
    with pytest.raises(UsageError, match="ps -eLo"):
        chosen_threads(["x"], [Task(1, 1, "init", False)], lambda unit: (), "board")


def test_the_lines_of_proc_are_tasks_whatever_their_names():
    fields = "1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 -61 0 1 0 5 0 0 0 1 1 0 0 0 0 0 0 0 1 0 0 17 0 {rt} {policy} 0 0 0"
    lines = [
        f"/proc/7/task/{tid}/stat:{tid} ({name}) S {fields.format(rt=1, policy=policy)}"
        for tid, name, policy in ((7, "a) S (b", 0), (8, "x y", 1), (9, "dl", 6))
    ]
    assert read_tasks("\n".join([*lines, "grep: gone", "/proc/7/task/9/stat:9 (cut"])) == (
        Task(7, 7, "a) S (b", False), Task(7, 8, "x y", True), Task(7, 9, "dl", True),
    )  # fmt: skip
