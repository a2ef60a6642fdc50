# SPDX-License-Identifier: BSD-3-Clause
"""Runs that follow a user's own threads on a Linux machine: of a process, of a unit, or of a command that the run starts."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace

from latlab.core.errors import UsageError
from latlab.core.model.conditions import Conditions, Mode
from latlab.core.model.distributions import WakeupCounts
from latlab.core.store.store import Store
from latlab.core.targets.linux.machine import Machine
from latlab.rt.campaign.following import NullObserver, Watcher
from latlab.rt.campaign.measurement import Measurement, measure_on_linux
from latlab.rt.campaign.results import CAMPAIGN, problems_of
from latlab.rt.campaign.thread_finding import Chosen, chosen_threads
from latlab.rt.model.thread_trace import ThreadSelection
from latlab.rt.readers.thread_selection import THREADS, written_selection
from latlab.rt.targets.linux import MachineJob, check_programs, collected, notes, run_job, survey
from latlab.rt.targets.thread_job import MOST_BYTES, Followed, ThreadWork, script
from latlab.rt.targets.thread_survey import TracingSurvey, check_tracing, groups_of, remove_instances, tasks_of, tracing_survey

Say = Callable[[str], None]
INSTRUMENT = "ftrace of the threads"
PRIORITY = 90
LARGEST_BUFFER_KIB, SMALLEST_BUFFER_KIB = 32 << 10, 512
SHARE_OF_MEMORY = 16
"""A sixteenth of what is available, for all CPUs together; two instances have it."""


@dataclass(frozen=True, slots=True)
class ThreadPlan:
    """What a user asks for: the threads by `subjects`, or a `command`. `buffer_mib` is None for one by the machine's memory."""

    subjects: tuple[str, ...]
    command: tuple[str, ...]
    duration_s: int
    threshold_ns: int
    period_ns: int | None = None
    load_command: str = ""
    buffer_mib: int | None = None


def run_threads_linux(
    store: Store,
    machine: Machine,
    plan: ThreadPlan,
    say: Say,
    platform: str = "",
    watcher: Watcher = NullObserver(),  # noqa: B008 - it has no state
) -> str:
    """The run's id. Raises UsageError before there is a run if the machine, the threads or the command do not allow it."""
    machine_survey, tracing = survey(machine, PRIORITY), tracing_survey(machine)
    check_tracing(tracing, machine.name)
    check_programs(machine, machine_survey, plan.load_command)
    chosen = _chosen(machine, plan)
    work = ThreadWork(chosen.followed, plan.duration_s, tracing.tracing, _buffer_kib(plan, tracing, machine_survey.cpus), plan.load_command)
    for name in remove_instances(machine, tracing.tracing):
        say(f"{machine.name}: removed the tracing instance {name}, which a killed run left")
    for note in notes(machine_survey):
        say(f"{machine.name}: {note}")
    say(f"{machine.name}: follows {chosen.sentence} for at most {plan.duration_s} s or {MOST_BYTES >> 20} MiB of trace")
    selection = ThreadSelection(period_ns=plan.period_ns, threshold_ns=plan.threshold_ns, is_bare_metal=not machine_survey.is_virtual)
    measurement = Measurement(CAMPAIGN, WakeupCounts(), lambda mode: _conditions(plan, mode), problems_of, (("threads", chosen.sentence),))
    job = MachineJob((), lambda folder: script(work, folder), plan.duration_s + 1, 2 * plan.duration_s + 120)
    return measure_on_linux(
        store,
        machine,
        machine_survey,
        collected(machine),
        replace(measurement, files={THREADS: written_selection(selection)}),
        lambda follower: run_job(machine, machine_survey, job, follower),
        watcher,
        platform,
    )


def _chosen(machine: Machine, plan: ThreadPlan) -> Chosen:
    if not plan.command:
        return chosen_threads(plan.subjects, tasks_of(machine), lambda unit: groups_of(machine, unit), machine.name)
    program = shlex.quote(plan.command[0])
    if machine.run(f"command -v {program} >/dev/null", 60).status != 0:
        raise UsageError(f"{plan.command[0]} is no program there", "give its path", value=plan.command[0], place=machine.name)
    return Chosen(Followed(command=plan.command), f"`{shlex.join(plan.command)}` and all that it starts")


def _buffer_kib(plan: ThreadPlan, tracing: TracingSurvey, cpus: int) -> int:
    if plan.buffer_mib is not None:
        return plan.buffer_mib << 10
    return max(SMALLEST_BUFFER_KIB, min(LARGEST_BUFFER_KIB, tracing.memory_kib // SHARE_OF_MEMORY // (2 * cpus)))


def _conditions(plan: ThreadPlan, mode: Mode) -> Conditions:
    command = (shlex.join(plan.command),) if plan.command else ()
    return Conditions(mode=mode, instrument=INSTRUMENT, duration_s=plan.duration_s, load=plan.load_command, commands=command)
