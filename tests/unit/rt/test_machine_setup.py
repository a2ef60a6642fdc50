# SPDX-License-Identifier: BSD-3-Clause
"""The check of a machine's set-up: each point by the files in which the kernel has it, and whether it mattered in a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.core.model.blame import Blame, BlameKind
from latlab.core.report.renderers import markdown
from latlab.core.targets.linux.machine import Here
from latlab.rt.analysis.attribution import Attributed
from latlab.rt.analysis.lateness_parts import LatenessPart
from latlab.rt.analysis.setup_effects import TRACES, setup_effects
from latlab.rt.campaign.machine_setup import setup_of_machine
from latlab.rt.model.machine_setup import SetupCheck, SetupTopic
from latlab.rt.model.wakeups import Outlier
from latlab.rt.pages.machine_setup import setup_page, setup_table
from latlab.rt.targets.machine_inventory import CPUS, read_collected
from latlab.rt.targets.machine_setup import setup_checks
from support.command import latlab
from support.ssh_script import over_script

IDLE = f"{CPUS}/cpu0/cpuidle"
X86 = "/proc/cpuinfo:model name : Example"
CLOCKS = "/sys/devices/system/clocksource/clocksource0"
HUGE_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"
IRQ_THREAD = "/proc/{0}/stat:{0} (irq/{0}-eth0) S 2 " + "0 " * 35 + "{1} 1 0 0 0\n"
POINTS = [
    (SetupTopic.OFFLINE, ("ONLINE:0,2-3", "PRESENT:0-3"), False, f"`echo 1 >{CPUS}/cpu1/online`"),
    (SetupTopic.OFFLINE, ("ONLINE:0,2", "PRESENT:0-3", "SMT:off"), True, ""),
    (SetupTopic.OFFLINE, ("ONLINE:0-3", "PRESENT:0-3"), True, ""),
    (SetupTopic.PREEMPTION, ("/sys/kernel/realtime:1",), True, ""),
    (SetupTopic.PREEMPTION, ("/sys/kernel/debug/sched/preempt:(none) voluntary full",), False, "`preempt=full`"),
    (SetupTopic.PREEMPTION, ("/proc/config.gz:CONFIG_PREEMPT_VOLUNTARY=y",), False, "`preempt=full`"),
    (SetupTopic.PREEMPTION, ("/proc/cmdline:quiet preempt=full",), None, "PREEMPT_RT"),
    (SetupTopic.PREEMPTION, (), None, "debugfs"),
    (SetupTopic.THROTTLING, ("/proc/sys/kernel/sched_rt_runtime_us:950000",), False, "`sysctl -w kernel.sched_rt_runtime_us=-1`"),
    (SetupTopic.THROTTLING, ("/proc/sys/kernel/sched_rt_runtime_us:-1",), True, ""),
    (SetupTopic.ISOLATION, ("ONLINE:0-3", f"{CPUS}/isolated:"), False, "isolcpus=managed_irq,domain,2-3"),
    (SetupTopic.ISOLATION, ("ONLINE:0-3", f"{CPUS}/isolated:3"), True, ""),
    (SetupTopic.TICK, ("ONLINE:0-3", f"{CPUS}/isolated:3", f"{CPUS}/nohz_full:2"), False, "`nohz_full=3`"),
    (SetupTopic.TICK, ("ONLINE:0-3", f"{CPUS}/isolated:3", f"{CPUS}/nohz_full:3"), True, ""),
    (SetupTopic.IRQ_AFFINITY, ("ONLINE:0-3", f"{CPUS}/isolated:3", "/proc/irq/7/smp_affinity_list:0-3"), False, "for n in 7; do echo 0-2"),
    (SetupTopic.IRQ_AFFINITY, ("ONLINE:0-3", f"{CPUS}/isolated:3", "/proc/irq/7/smp_affinity_list:1"), True, ""),
    (SetupTopic.IRQ_THREADS, (IRQ_THREAD.format(30, 50), IRQ_THREAD.format(31, 80)), False, "`chrt -f -p 50 PID`"),
    (SetupTopic.IRQ_THREADS, (IRQ_THREAD.format(30, 50),), True, ""),
    (SetupTopic.FREQUENCY, (f"{CPUS}/cpu0/cpufreq/scaling_governor:schedutil",), False, "`echo performance | tee"),
    (SetupTopic.FREQUENCY, (f"{CPUS}/cpu0/cpufreq/scaling_governor:performance",), True, ""),
    (SetupTopic.TURBO, (f"{CPUS}/intel_pstate/no_turbo:0",), False, "`echo 1 >"),
    (SetupTopic.IDLE_STATES, (f"{IDLE}/state2/name:C6", f"{IDLE}/state2/latency:130"), False, "cpuidle/state2/disable`"),
    (SetupTopic.IDLE_STATES, (f"{IDLE}/state2/name:C6", f"{IDLE}/state2/latency:130", f"{IDLE}/state2/disable:1"), None, ""),
    (SetupTopic.IDLE_STATES, (f"{IDLE}/state1/name:C1", f"{IDLE}/state1/latency:2"), True, ""),
    (SetupTopic.SMT, (f"{CPUS}/smt/active:1",), False, "`echo off >"),
    (SetupTopic.SMT, (f"{CPUS}/smt/active:0",), True, ""),
    (SetupTopic.HUGE_PAGES, (f"{HUGE_PAGES}:[always] madvise never",), False, f"`echo madvise >{HUGE_PAGES}`"),
    (SetupTopic.HUGE_PAGES, (f"{HUGE_PAGES}:always madvise [never]",), True, ""),
    (SetupTopic.SMI, (X86,), None, "`modprobe msr`"),
    (SetupTopic.SMI, (X86, "/sys/bus/event_source/devices/msr/events/smi:event=0x04"), True, ""),
    (SetupTopic.CLOCK_SOURCE, (f"{CLOCKS}/current_clocksource:hpet", f"{CLOCKS}/available_clocksource:hpet tsc"), False, "`echo tsc >"),
    (SetupTopic.CLOCK_SOURCE, (f"{CLOCKS}/current_clocksource:hpet", f"{CLOCKS}/available_clocksource:hpet"), False, "`dmesg"),
    (SetupTopic.CLOCK_SOURCE, (f"{CLOCKS}/current_clocksource:tsc",), True, ""),
    (SetupTopic.TUNED, ("/etc/tuned/active_profile:balanced",), False, "`tuned-adm profile realtime`"),
    (SetupTopic.TUNED, ("/etc/tuned/active_profile:realtime-virtual-host",), True, ""),
    (SetupTopic.TUNED, (), None, ""),
]


def checked(*lines: str) -> dict[SetupTopic, SetupCheck]:
    names = {"ONLINE:": f"{CPUS}/online:", "PRESENT:": f"{CPUS}/present:", "SMT:": f"{CPUS}/smt/control:"}
    text = "\n".join(next((whole + line[len(name) :] for name, whole in names.items() if line.startswith(name)), line) for line in lines)
    return {check.topic: check for check in setup_checks(read_collected(text.encode()))}


@pytest.mark.parametrize(("topic", "lines", "is_fine", "remedy"), POINTS)
def test_each_point_has_its_state_its_source_and_what_changes_it(
    topic: SetupTopic, lines: tuple[str, ...], is_fine: bool | None, remedy: str
) -> None:
    check = checked(*lines)[topic]
    assert (check.is_fine, check.source.startswith("/")) == (is_fine, True) and check.value
    assert remedy in check.remedy and bool(check.finding) is (is_fine is False)


def test_every_point_of_the_list_is_tried_and_has_a_trace_or_none_can_show_it() -> None:
    assert {topic for topic, *_ in POINTS} == set(SetupTopic)
    assert set(SetupTopic) - set(TRACES) == {
        SetupTopic.FREQUENCY,
        SetupTopic.TURBO,
        SetupTopic.SMT,
        SetupTopic.CLOCK_SOURCE,
        SetupTopic.TUNED,
    }


def test_an_irq_thread_is_held_against_the_priority_that_is_measured() -> None:
    inventory = read_collected(IRQ_THREAD.format(30, 50).encode())
    by_priority = {priority: {check.topic: check for check in setup_checks(inventory, priority)} for priority in (40, 50, 51)}
    assert [by_priority[priority][SetupTopic.IRQ_THREADS].is_fine for priority in (40, 50, 51)] == [False, False, True]


BLAMES = [
    (Blame(BlameKind.THROTTLED), {SetupTopic.THROTTLING}),
    (Blame(BlameKind.MIGRATED, "CPU 0"), {SetupTopic.OFFLINE}),
    (Blame(BlameKind.IDLE_EXIT, "state C6"), {SetupTopic.IDLE_STATES}),
    (Blame(BlameKind.SMI), {SetupTopic.SMI}),
    (Blame(BlameKind.THREAD, "irq/30-eth0 (FIFO 50)"), {SetupTopic.IRQ_THREADS, SetupTopic.ISOLATION}),
    (Blame(BlameKind.INTERRUPT, "local_timer"), {SetupTopic.TICK, SetupTopic.ISOLATION}),
    (Blame(BlameKind.INTERRUPT, "eth0"), {SetupTopic.IRQ_AFFINITY, SetupTopic.ISOLATION}),
    (Blame(BlameKind.PAGE_FAULT), {SetupTopic.HUGE_PAGES}),
    (Blame(BlameKind.AWAY, "python"), set()),
    (Blame(BlameKind.UNEXPLAINED), set()),
]


@pytest.mark.parametrize(("blame", "topics"), BLAMES)
def test_a_cause_shows_which_points_mattered_and_no_other(blame: Blame, topics: set[SetupTopic]) -> None:
    checks = [SetupCheck(topic, "x", "/x") for topic in SetupTopic]
    entry = Attributed(
        Outlier(0, 1_000_000, 90_000), blame, parts=(LatenessPart(blame, 70_000), LatenessPart(Blame(BlameKind.PATH), 20_000))
    )
    effects = setup_effects(checks, [entry, entry])
    assert {effect.check.topic for effect in effects if effect.late} == topics
    assert all((effect.late, effect.ns) == (2, 140_000) for effect in effects if effect.check.topic in topics)
    assert all(effect.late is None for effect in setup_effects(checks, None))


def test_the_page_counts_what_disturbs_and_lists_it_first() -> None:
    checks = [SetupCheck(SetupTopic.TUNED, "none", "/t", None), SetupCheck(SetupTopic.SMT, "on", "/s", False, "it shares", "`change it`")]
    page = setup_page("board", setup_effects(checks, None), is_of_run=False)
    assert page.answer == "board: 1 of 2 points of the set-up disturb real-time work."
    first, second = (str(row[2]) for row in setup_table(setup_effects(checks, None), is_of_run=False).rows)
    assert (first, second) == ("it shares; `change it`; from /s", "none; from /t")
    effects = [replace(effect, late=late, ns=ns) for effect, late, ns in zip(setup_effects(checks, None), (3, 0), (4500, 0), strict=True)]
    of_run = markdown.document(setup_page("board", effects, is_of_run=True))
    assert "cause of 3 late wake-ups, parts of 4.5 µs in all" in of_run and "no part of a late wake-up" in of_run


def test_a_machine_behind_ssh_is_asked_itself(tmp_path: Path) -> None:
    answers = f"{CPUS}/online:0,2\n{CPUS}/present:0-2\n"
    (tmp_path / "answers").write_text(answers)
    effects = setup_of_machine(over_script(tmp_path, f"cat {tmp_path}/answers"))
    assert next(effect.check for effect in effects if effect.check.topic is SetupTopic.OFFLINE).value == "1"
    with pytest.raises(DataError, match="gives no answer"):
        setup_of_machine(over_script(tmp_path, "exit 3"))


def test_this_machine_is_checked_by_the_command_and_options_of_the_other_check_are_refused() -> None:
    done = latlab("doctor", "rt")
    assert done.returncode == 0 and "preemption model" in done.stdout and "RT throttling" in done.stdout
    assert {effect.check.topic for effect in setup_of_machine(Here())} >= {SetupTopic.PREEMPTION, SetupTopic.TUNED}
    for arguments in (("doctor", "rt", "--qemu", "x"), ("doctor", "--run", "last"), ("doctor", "--host", "x")):
        refused = latlab(*arguments)
        assert refused.returncode == 2 and "is not for this check" in refused.stderr
