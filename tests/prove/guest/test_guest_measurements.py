# SPDX-License-Identifier: BSD-3-Clause
"""Slow: the guest measured for real. Figures on the instruction clock repeat exactly, so these are exact too."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from scipy.stats import linregress

from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.rt.analysis.result import RtResult
from latlab.rt.campaign.measure import GuestOptions, run_rt_guest
from latlab.rt.campaign.results import busy_facts, results_of
from latlab.rt.readers.recorder import read_record
from latlab.rt.targets.guest.guest import GuestMachine, run_guest
from latlab.rt.targets.guest.guest_image import guest_image
from latlab.rt.targets.rt_job import Drivers, Instrument, RngNode, Workload, script

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(1800, 1800)
BUILT_WITH = re.compile(r"with kernel (\S+) \((package \S+)\), firmware by (\S+), (QEMU [\d.]+):")
ROWS = ((0, True, False), (50, True, False), (100, True, False), (200, True, False), (200, False, False), (200, False, True))
HELD_ROW = re.compile(r"^\| (\d+) \| (on|off) \| (not loaded|loaded) \| ([\d.]+) \| (\d+)", re.MULTILINE)
ON, LOADED = {True: "on", False: "off"}, {True: "loaded", False: "not loaded"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(str(tmp_path_factory.mktemp("store") / "store.sqlite"))


@dataclass(frozen=True)
class HeldBoot:
    """One boot in which the firmware holds TRNG_RND for `hold_us`."""

    hold_us: int
    kstack: bool
    hwrng: bool
    run: Run
    result: RtResult

    @property
    def max_us(self) -> float:
        assert self.result.recorder is not None
        return self.result.recorder.max_ns / 1000


@pytest.fixture(scope="module")
def held(store: Store) -> dict[tuple[int, bool, bool], HeldBoot]:
    """The boots of the table in the documents, by delay, kernel-stack randomisation and hwrng driver."""
    return {row: measured(store, *row) for row in ROWS}


def measured(store: Store, hold_us: int, kstack: bool, hwrng: bool) -> HeldBoot:
    workload = Workload(10, "idle", Instrument.RECORDER, outlier_us=30)
    options = GuestOptions(Drivers(RngNode.FIRMWARE if hwrng else RngNode.NONE), hold_us=hold_us)
    machine = GuestMachine(kstack_randomised=kstack, hold_firmware=True)
    run = store.load(run_rt_guest(store, find_qemu(), guest_image(), machine, workload, options, LIMITS))
    assert run.status is RunStatus.COMPLETE, run.problems
    ((_, result),) = results_of(run, store.logs(run.id))
    return HeldBoot(hold_us, kstack, hwrng, run, result)


def line_of(held: dict[tuple[int, bool, bool], HeldBoot]) -> tuple[float, float, float]:
    """Slope, intercept in µs and r squared of the maxima of the kernel's own caller."""
    alone = [boot for (_, kstack, hwrng), boot in held.items() if kstack and not hwrng]
    line = linregress([boot.hold_us for boot in alone], [boot.max_us for boot in alone])
    return float(line.slope), float(line.intercept), float(line.rvalue) ** 2


def test_two_runs_have_identical_samples(store: Store) -> None:
    logs = []
    for _ in range(2):
        run_id = run_rt_guest(store, find_qemu(), guest_image(), GuestMachine(), Workload(2), GuestOptions(), LIMITS)
        assert store.load(run_id).status is RunStatus.COMPLETE
        logs.append(store.logs(run_id))
    for name in ("recorder.rec", "cyclictest.txt", "el3-records.txt"):
        assert logs[0][name] == logs[1][name]


def test_the_maximum_follows_the_injected_delay(held: dict[tuple[int, bool, bool], HeldBoot]) -> None:
    slope, _, r_squared = line_of(held)
    assert 1.5 <= slope <= 2.5 and r_squared >= 0.98


def test_every_late_wake_up_at_the_longest_delay_is_the_trng(held: dict[tuple[int, bool, bool], HeldBoot]) -> None:
    limit_ns = 3000 * held[0, True, False].max_us
    late = [entry for entry in held[200, True, False].result.attributed or () if entry.outlier.late_ns > limit_ns]
    assert late and all(entry.blame.name == "TRNG_RND" and entry.calls >= 1 for entry in late)


def test_without_kernel_stack_randomisation_the_maximum_falls_back(held: dict[tuple[int, bool, bool], HeldBoot]) -> None:
    assert held[200, False, False].max_us <= held[0, True, False].max_us * 1.5 < held[200, True, False].max_us


def test_the_table_of_the_documents_is_what_was_measured(held: dict[tuple[int, bool, bool], HeldBoot]) -> None:
    """Another kernel, compiler or emulator has other figures, and so has every change of guest or firmware: then they are written anew."""
    text = (Path(__file__).parents[3] / "docs/results/trng.md").read_text()
    documented = " ".join(text.split())
    run = held[0, True, False].run
    made_with = BUILT_WITH.search(documented)
    assert made_with is not None
    compiler = next(part for part in run.build.firmware.split(";") if part.startswith("gcc-"))
    here = (run.conditions.kernel, run.conditions.kernel_version, compiler, run.emulator)
    if made_with.groups() != here:
        pytest.skip(f"the documents' table was measured with {', '.join(made_with.groups())}; here are {', '.join(map(str, here))}")
    rows = [
        (str(boot.hold_us), ON[boot.kstack], LOADED[boot.hwrng], f"{boot.max_us:.1f}", str(len(boot.result.attributed or ())))
        for boot in held.values()
    ]
    assert HELD_ROW.findall(text) == rows
    slope, intercept_us, r_squared = line_of(held)
    assert f"Maximum = {intercept_us:.1f} µs + {slope:.2f} \u00d7 delay, r² = {r_squared:.4f}" in documented


def test_no_record_of_a_measurement_with_idle_states_is_lost(store: Store) -> None:
    """Some four records a wake-up, 19,000 a second: a ring of 65,536 is read once a second."""
    machine, workload = GuestMachine(idle_states=True), Workload(10, "idle", Instrument.RECORDER, idle_states=True)
    run_id = run_rt_guest(store, find_qemu(), guest_image(), machine, workload, GuestOptions(), LIMITS)
    run = store.load(run_id)
    assert run.status is RunStatus.COMPLETE, run.problems
    ((_, result),) = results_of(run, store.logs(run_id))
    suspends = sum(entry.events for entry in result.exposure if entry.name == "CPU_SUSPEND")
    assert result.records_lost == 0 and suspends > 25_000


PROCESSES = "ps | grep -v '\\[' >$OUT/{}.txt"


@pytest.mark.parametrize(
    ("load", "program"), [("hackbench", "hackbench"), ("memory", "stress-ng"), ("syscalls", "stress-ng"), ("hwrng", "cat")]
)
def test_a_load_keeps_the_guest_busy_and_is_gone_afterwards(load: str, program: str) -> None:
    modules = "OUT=/out; insmod /modules/latlab_el3.ko; insmod /modules/arm_smccc_trng.ko; sleep 1"
    before, after = f"{modules}; {PROCESSES.format('before')}", f"sleep 1; {PROCESSES.format('after')}"
    job = script(Workload(5, load, Instrument.RECORDER), "/bin/latlab-recorder", before, after)
    done = run_guest(find_qemu(), GuestMachine(), guest_image(), job, LIMITS)
    files = done.output.files
    assert done.output.status == 0, files["job.log"]
    assert busy_facts(files)[0][1] in ("99 %", "100 %")
    assert read_record(files["recorder.rec"], "recorder.rec").complete
    assert program not in files["after.txt"].decode()
    assert len(files["after.txt"].splitlines()) == len(files["before.txt"].splitlines())


def test_a_guest_that_resets_in_the_middle_is_said_and_its_log_kept() -> None:
    done = run_guest(find_qemu(), GuestMachine(), guest_image(), "echo before; reboot -f", LIMITS)
    assert "stopped or reset before its job ended" in done.outcome.sentence and done.output.status is None
