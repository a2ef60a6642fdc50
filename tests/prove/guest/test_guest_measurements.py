# SPDX-License-Identifier: BSD-3-Clause
"""Slow: the guest measured for real. Figures on the instruction clock repeat exactly, so these are exact too."""

import re
from pathlib import Path

import pytest

from latlab.analysis.wakeups.dose_experiment import doses, line_of
from latlab.analysis.wakeups.result import RtResult
from latlab.campaigns.rt import GuestOptions, run_rt_guest
from latlab.campaigns.rt_results import busy_facts, results_of
from latlab.campaigns.rt_trng import DOSES_US, held_boots, run_trng
from latlab.formats.wakeups.recorder import read_record
from latlab.model.enums import RunStatus
from latlab.model.run import Run
from latlab.store.store import Store, open_store
from latlab.targets.guest.guest import GuestMachine, run_guest
from latlab.targets.guest.guest_image import guest_image
from latlab.targets.linux.rt_job import Instrument, Workload, script
from latlab.targets.process.console import Limits
from latlab.targets.qemu.qemu import find_qemu

pytestmark = [pytest.mark.slow, pytest.mark.qemu]

LIMITS = Limits(1800, 1800)
BUILT_WITH = re.compile(r"with kernel (\S+) \((package \S+)\), firmware by (\S+), (QEMU [\d.]+):")
DOSE_ROW = re.compile(r"^\| (\d+) \| (on|off) \| (not loaded|loaded) \| ([\d.]+) \| (\d+)", re.MULTILINE)
ON, LOADED = {True: "on", False: "off"}, {True: "loaded", False: "not loaded"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return open_store(str(tmp_path_factory.mktemp("store") / "store.sqlite"))


@pytest.fixture(scope="module")
def experiment(store: Store) -> tuple[Run, list[tuple[str, RtResult]]]:
    workload = Workload(10, "idle", Instrument.RECORDER, outlier_us=30)
    run_id = run_trng(store, find_qemu(), guest_image(), held_boots(DOSES_US, workload, None), LIMITS)
    run = store.load(run_id)
    assert run.status is RunStatus.COMPLETE, run.problems
    return run, results_of(run, store.logs(run_id))


def test_two_runs_have_identical_samples(store: Store) -> None:
    logs = []
    for _ in range(2):
        run_id = run_rt_guest(store, find_qemu(), guest_image(), GuestMachine(), Workload(2), GuestOptions(), LIMITS)
        assert store.load(run_id).status is RunStatus.COMPLETE
        logs.append(store.logs(run_id))
    for name in ("recorder.rec", "cyclictest.txt", "el3-records.txt"):
        assert logs[0][name] == logs[1][name]


def test_the_response_follows_the_dose(experiment: tuple[Run, list[tuple[str, RtResult]]]) -> None:
    line = line_of(doses(*experiment))
    assert 1.5 <= line.slope <= 2.5 and line.r_squared >= 0.98


def test_every_late_wake_up_at_the_highest_dose_is_the_trng(experiment: tuple[Run, list[tuple[str, RtResult]]]) -> None:
    results = dict(experiment[1])
    undisturbed = results["0-us-kstack-on-hwrng-off"].recorder
    assert undisturbed is not None
    attributed = results["200-us-kstack-on-hwrng-off"].attributed or ()
    late = [entry for entry in attributed if entry.outlier.late_ns > 3 * undisturbed.max_ns]
    assert late and all(entry.blame.name == "TRNG_RND" and entry.calls >= 1 for entry in late)


def test_without_kernel_stack_randomisation_the_maximum_falls_back(experiment: tuple[Run, list[tuple[str, RtResult]]]) -> None:
    found = {(dose.dose_us, dose.kstack, dose.hwrng): dose.max_us for dose in doses(*experiment)}
    assert found[200, False, False] <= found[0, True, False] * 1.5 < found[200, True, False]


def test_the_table_of_the_documents_is_what_was_measured(experiment: tuple[Run, list[tuple[str, RtResult]]]) -> None:
    """Another kernel, compiler or emulator has other figures, and so has every change of guest or firmware: then they are written anew."""
    text = (Path(__file__).parents[3] / "docs/results/trng.md").read_text()
    documented = " ".join(text.split())
    run, _ = experiment
    made_with = BUILT_WITH.search(documented)
    assert made_with is not None
    compiler = next(part for part in run.build.firmware.split(";") if part.startswith("gcc-"))
    here = (run.conditions.kernel, run.conditions.kernel_version, compiler, run.emulator)
    if made_with.groups() != here:
        pytest.skip(f"the documents' table was measured with {', '.join(made_with.groups())}; here are {', '.join(map(str, here))}")
    found = doses(*experiment)
    rows = [(str(dose.dose_us), ON[dose.kstack], LOADED[dose.hwrng], f"{dose.max_us:.1f}", str(dose.outliers)) for dose in found]
    assert DOSE_ROW.findall(text) == rows
    line = line_of(found)
    assert f"Maximum = {line.intercept_us:.1f} µs + {line.slope:.2f} \u00d7 dose, r² = {line.r_squared:.4f}" in documented


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
    assert "went down or reset" in done.outcome.sentence and done.output.status is None
