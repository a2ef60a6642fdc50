# SPDX-License-Identifier: BSD-3-Clause
"""A kernel's log of suspend and resume: how long each phase and each CPU took, and what did not come back."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from latlab.core.report.chart import Chart
from latlab.rt.analysis.power_cycles import PowerBoundary, StepTimes
from latlab.rt.campaign.power_results import BoundaryTimes, PowerResult
from latlab.rt.model.power_steps import StepKind
from latlab.rt.pages.power_pages import power_document, power_tables
from latlab.rt.readers.kernel_power import is_power_log, read_power_log, slowest_devices
from support.command import latlab as here
from support.runs import run_with

LOG = """[   10.000000] PM: suspend entry (deep)
[   10.200000] Filesystems sync: 0.199 seconds
[   10.210000] Freezing user space processes ... (elapsed 0.007 seconds) done.
[   10.220000] OOM killer disabled.
[   10.221000] Freezing remaining freezable tasks ... (elapsed 0.002 seconds) done.
[   10.230000] printk: Suspending console(s) (use no_console_suspend to debug)
[   10.530000] Disabling non-boot CPUs ...
[   10.545000] psci: CPU1 killed (polled 0 ms)
[   10.585000] psci: CPU2 killed (polled 0 ms)
[   10.600000] Enabling non-boot CPUs ...
[   10.610000] CPU1: Booted secondary processor 0x0000000001 [0x410fd034]
[   10.625000] CPU1 is up
[   10.645000] CPU2 is up
[   10.945000] OOM killer enabled.
[   10.946000] Restarting tasks ... done.
[   11.000000] PM: suspend exit
"""
MS = 1_000_000


def times(text: str) -> dict[tuple[StepKind, int | None], list[float]]:
    found: dict[tuple[StepKind, int | None], list[float]] = {}
    for step in read_power_log(text):
        found.setdefault((step.kind, step.cpu), []).append((step.ns or 0) / MS)
    return found


def test_each_phase_lasts_from_its_line_to_the_next_and_each_cpu_from_the_one_before() -> None:
    assert is_power_log(LOG)
    assert times(LOG) == {
        (StepKind.SYNC, None): [210],
        (StepKind.FREEZE, None): [20],
        (StepKind.DEVICES_DOWN, None): [300],
        (StepKind.OFFLINE, 1): [15],
        (StepKind.OFFLINE, 2): [40],
        (StepKind.CPUS_DOWN, None): [70],
        (StepKind.ONLINE, 1): [25],
        (StepKind.ONLINE, 2): [20],
        (StepKind.CPUS_UP, None): [45],
        (StepKind.DEVICES_UP, None): [300],
        (StepKind.THAW, None): [55],
        (StepKind.SUSPEND, None): [1000],
    }


@pytest.mark.parametrize("prefix", ["<6>", "Nov 27 03:29:01 board kernel: ", "kern  :info  : "])
def test_the_prefix_of_a_logger_changes_nothing(prefix: str) -> None:
    assert read_power_log("".join(f"{prefix}{line}" for line in LOG.splitlines(keepends=True))) == read_power_log(LOG)


def test_two_suspends_are_two_repetitions_and_one_without_an_end_has_no_time() -> None:
    again = LOG.replace("[   1", "[   2")
    assert times(LOG + again)[StepKind.SUSPEND, None] == [1000, 1000]
    cut = [step for step in read_power_log(LOG + again.partition("[   20.6")[0]) if step.kind is StepKind.SUSPEND]
    assert [(step.ns, step.is_done) for step in cut] == [(1000 * MS, True), (None, False)]


def test_a_log_without_a_suspend_or_without_time_stamps_is_none() -> None:
    assert not is_power_log("[    0.004173] smp: Bringing up secondary CPUs ...\n")
    assert not is_power_log("PM: suspend entry (deep)\n")


def test_the_slowest_devices_are_those_that_initcall_debug_names() -> None:
    lines = "".join(f"[ 10.3] dev{n}: usb_dev_suspend+0x0/0x20 returned 0 after {n}00 usecs\n" for n in (3, 9, 1, 7))
    assert slowest_devices(lines) == (
        "usb_dev_suspend of dev9: 900 µs",
        "usb_dev_suspend of dev7: 700 µs",
        "usb_dev_suspend of dev3: 300 µs",
    )


def test_the_page_of_power_cycles_has_each_time_of_its_tables_as_a_point() -> None:
    steps = tuple(StepTimes(StepKind.OFFLINE, cpu, (100_000 * cpu, 200_000 * cpu, 900_000)) for cpu in (1, 2))
    boundaries = (BoundaryTimes(PowerBoundary.ON, 1, (5e3, 7e3)), BoundaryTimes(PowerBoundary.RESUME, 0, (9e3,)))
    result = PowerResult((*steps, StepTimes(StepKind.SUSPEND, None, (4_000_000,))), boundaries, ())
    page = power_document(run_with(campaign="rt-power"), result)
    charts = [block for section in page.sections for block in section.blocks if isinstance(block, Chart)]
    all_times: list[list[Sequence[float]]] = [[timed.ns for timed in result.steps], [timed.ns for timed in result.times]]
    assert len(charts) == len(power_tables(result)) == 2
    for chart, times in zip(charts, all_times, strict=True):
        points, medians = (chart.spec["datasets"][layer["data"]["name"]] for layer in chart.spec["layer"])
        assert sorted(point["us"] for point in points) == sorted(ns / 1000 for row in times for ns in row)
        assert [median["us"] for median in medians] == [statistics.median(row) / 1000 for row in times]
        assert len({median["step"] for median in medians}) == len(times)


def test_a_log_is_a_run_of_power_cycles(tmp_path: Path) -> None:
    path, store = tmp_path / "dmesg.txt", tmp_path / "s.db"
    path.write_text(LOG)
    done = here("import", path, store=store)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Suspend and resume took 1,000,000.0 µs without the time asleep; the longest part, 300,000.0 µs")
    assert "write of" not in done.stdout and "CPU off" in done.stdout
    shown = here("show", "last", store=store)
    assert "devices resumed" in shown.stdout
    assert here("import", path, "--duration", "5s", "--interval", "100", store=store).returncode == 2


def test_a_cpu_that_was_lost_in_a_resume_comes_first(tmp_path: Path) -> None:
    lost = LOG.partition("[   10.645")[0] + "[   12.0] CPU2: failed to come online\n[   12.000001] Error taking CPU2 up: -5\n"
    path = tmp_path / "dmesg.txt"
    path.write_text(lost)
    done = here("import", path, store=tmp_path / "s.db")
    assert done.returncode == 3
    assert done.stdout.startswith("Partial run: line 13: CPU 2 did not come up: its CPU_ON reported success, and the CPU never came online")
    assert "suspend 1: the record ends in it" in done.stderr
