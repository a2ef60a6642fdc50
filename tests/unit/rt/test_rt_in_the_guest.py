# SPDX-License-Identifier: BSD-3-Clause
"""The rt campaign's runs in the guest, over boots that are made up: what each is told, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import RunStatus
from latlab.core.model.run import Problem, Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits, MachineEnd, MachineOutcome
from latlab.core.targets.qemu.images import PLATFORM
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign import measurement
from latlab.rt.campaign.following import NullObserver
from latlab.rt.campaign.measure import GuestOptions, run_rt_guest
from latlab.rt.campaign.power import run_power_guest
from latlab.rt.readers.guest_frames import GuestOutput
from latlab.rt.targets import power_job
from latlab.rt.targets.guest.checkpoints import HEAD, MAGIC, PAGE, SHARED, make_shared
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.power_job import PowerCycle
from latlab.rt.targets.rt_job import Drivers, Instrument, RngNode, Workload, guest_script
from support import recorder_files
from support.fakes import fake_images

WORKLOAD = Workload(1, "idle", Instrument.RECORDER)
QEMU = Qemu(Path("/usr/bin/qemu-system-aarch64"), (10, 0, 2))
FROM_EL3, NO_RNG = Drivers(RngNode.FIRMWARE), Drivers(RngNode.NONE)
LIMITS = Limits(10.0, 5.0)
RECORD = recorder_files.whole([[1000, 2000, 3000]])
SECURE = b"latlab EL3 firmware: latlab-psci-0.1;qemu_virt;release, GICv3, capture costs 7 thousandths of a tick\nmore\n"


@dataclass
class Boots:
    """In place of `run_guest`: each boot is noted, and gives what the test wants of it."""

    runs: list[tuple[GuestMachine, str, Path]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=lambda: {"recorder.rec": RECORD})
    status: int | None = 0
    problems: tuple[Problem, ...] = ()
    outcome: MachineOutcome = field(default_factory=lambda: MachineOutcome(MachineEnd.EXIT))
    stops_at: int = 0
    shared: bytes = b""

    def run(
        self,
        qemu: Qemu,
        machine: GuestMachine,
        image: GuestImage,
        job: str,
        limits: Limits,
        watch: Callable[[bytes], None],
        folder: Path,
        poll: Callable[[], bool],
    ) -> GuestRun:
        assert (qemu, limits) == (QEMU, LIMITS)
        self.runs.append((machine, job, folder))
        make_shared(folder / SHARED)
        if self.shared:
            with (folder / SHARED).open("rb+") as file:
                file.write(HEAD.pack(MAGIC, len(self.shared)))
                file.seek(PAGE)
                file.write(self.shared)
        if machine.probe:
            (folder / "probe").write_bytes(b"the probe's stream")
        watch(b"<LLG1:PHASE name=recorder>\n")
        assert poll() is False
        is_stopped = self.stops_at == len(self.runs)
        outcome = MachineOutcome(MachineEnd.INTERRUPT, "the user has interrupted it") if is_stopped else self.outcome
        output = GuestOutput(self.files, self.status, self.problems)
        return GuestRun(output, outcome, b"the console\n", SECURE, b"", ("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57"))


@dataclass
class Told(NullObserver):
    """What a watcher hears."""

    ids: list[str] = field(default_factory=list)
    phases: list[tuple[str, float | None]] = field(default_factory=list)

    def start(self, run_id: str) -> None:
        self.ids.append(run_id)

    def phase(self, name: str, expected_s: float | None) -> None:
        self.phases.append((name, expected_s))


@pytest.fixture(name="boots")
def fixture_boots(monkeypatch: pytest.MonkeyPatch) -> Boots:
    boots = Boots()
    monkeypatch.setattr(measurement, "run_guest", boots.run)
    return boots


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


@pytest.fixture(name="image")
def fixture_image(tmp_path: Path) -> GuestImage:
    return GuestImage(tmp_path, "6.12.9-rt-arm64", True, ("linux-image-6.12.9-rt-arm64_6.12.9%2b1_arm64",))


@pytest.fixture(name="firmware")
def fixture_firmware(tmp_path: Path) -> Path:
    return fake_images(tmp_path / "images") / PLATFORM


def measured(store: Store, image: GuestImage, machine: GuestMachine, options: GuestOptions = GuestOptions()) -> Run:  # noqa: B008
    return store.load(run_rt_guest(store, QEMU, image, machine, WORKLOAD, options, LIMITS))


def test_what_the_probe_saw_beside_a_measurement_is_kept_and_no_condition(
    boots: Boots, store: Store, image: GuestImage, firmware: Path
) -> None:
    plain = measured(store, image, GuestMachine(firmware=firmware))
    watched = measured(store, image, GuestMachine(firmware=firmware, probe=Path("latlab-probe.so")))
    assert store.log(watched.id, "probe") == b"the probe's stream" and "probe" not in store.logs(plain.id)
    assert watched.conditions == plain.conditions


def test_a_measurement_keeps_what_came_back_and_what_it_was_measured_on(
    boots: Boots, store: Store, image: GuestImage, firmware: Path
) -> None:
    watcher, machine = Told(), GuestMachine(firmware=firmware)
    run_id = run_rt_guest(store, QEMU, image, machine, WORKLOAD, GuestOptions(), LIMITS, watcher)
    run = store.load(run_id)
    assert watcher.ids == [run_id]
    assert watcher.phases == [("booting", None), ("recorder", 1)]
    assert (run.status, run.campaign, run.target, run.platform) == (RunStatus.COMPLETE, "rt", "guest", "QEMU virt, PREEMPT_RT guest")
    assert (run.topology.clusters, run.problems, run.emulator) == ((1,), (), str(QEMU))
    logs = store.logs(run_id)
    assert {name: logs[name] for name in ("recorder.rec", "console", "secure")} == {
        "recorder.rec": RECORD,
        "console": b"the console\n",
        "secure": SECURE,
    }
    said = run.conditions
    assert (said.mode, said.kernel, said.kernel_version) == (Mode.DETERMINISTIC, "6.12.9-rt-arm64", "package 6.12.9+1")
    assert (said.hwrng_driver, said.trng_hold_us, said.kstack_randomised) == (True, None, True)
    assert (said.duration_s, said.load) == (1, WORKLOAD.load_command)
    assert run.build.firmware == "latlab-psci-0.1;qemu_virt;release"
    assert run.command == ("qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a57")
    assert dict(run.facts)["PSCI idle states in the device tree"] == "no"
    ((booted, job, _),) = boots.runs
    assert (booted, job) == (machine, guest_script(WORKLOAD, FROM_EL3, None, True))


def test_options_reach_the_guest_and_the_run_s_conditions(boots: Boots, store: Store, image: GuestImage, firmware: Path) -> None:
    machine = GuestMachine(2, Mode.MULTI_THREAD, True, False, True, firmware)
    run = measured(store, image, machine, GuestOptions(NO_RNG, trace=False, hold_us=70))
    assert boots.runs[0][1] == guest_script(WORKLOAD, NO_RNG, 70, False)
    assert (run.conditions.hwrng_driver, run.conditions.trng_hold_us, run.conditions.kstack_randomised) == (False, 70, False)
    assert (run.conditions.mode, run.topology.clusters) == (Mode.MULTI_THREAD, (2,))
    assert dict(run.facts)["PSCI idle states in the device tree"] == "yes"
    nameless = GuestImage(image.folder, "6.1", True)
    assert measured(store, nameless, machine).conditions.kernel_version is None


def test_a_guest_that_cannot_be_measured_is_refused_before_a_run_begins(
    boots: Boots, store: Store, image: GuestImage, firmware: Path, tmp_path: Path
) -> None:
    for machine in (GuestMachine(cores=2, firmware=firmware), GuestMachine(firmware=tmp_path / "nowhere")):
        with pytest.raises(UsageError):
            measured(store, image, machine)
    assert (store.runs(), boots.runs) == ((), [])


def test_a_record_that_did_not_come_back_is_taken_from_the_shared_memory(
    boots: Boots, store: Store, image: GuestImage, firmware: Path
) -> None:
    boots.files, boots.shared = {}, RECORD
    run = measured(store, image, GuestMachine(firmware=firmware))
    assert store.logs(run.id)["recorder.rec"] == RECORD and run.status is RunStatus.COMPLETE
    boots.shared = b""
    without = measured(store, image, GuestMachine(firmware=firmware))
    assert "recorder.rec" not in store.logs(without.id)
    assert "no file of a recorder, cyclictest or rtla came back" in without.problems[0].message


def test_what_a_boot_complains_of_is_the_run_s_first_with_how_it_ended(
    boots: Boots, store: Store, image: GuestImage, firmware: Path
) -> None:
    boots.outcome = MachineOutcome(MachineEnd.HANG, "it took too long")
    boots.problems, boots.status = (Problem(3, "a line was damaged"),), 9
    run = measured(store, image, GuestMachine(firmware=firmware))
    assert run.status is RunStatus.PARTIAL
    assert {problem.line for problem in run.problems} == {0}, "of the run, not of a line"
    assert [problem.message for problem in run.problems] == [
        "it took too long",
        "a line was damaged",
        "the guest's job ended with status 9; `latlab show --log job.log` prints why",
    ]
    boots.outcome, boots.problems, boots.status = MachineOutcome(MachineEnd.EXIT), (), None
    assert measured(store, image, GuestMachine(firmware=firmware)).problems == ()


def test_an_interrupt_keeps_what_came_and_is_told(boots: Boots, store: Store, image: GuestImage, firmware: Path) -> None:
    boots.stops_at = 1
    with pytest.raises(LatlabError, match="interrupted; the samples so far are kept as the partial run"):
        measured(store, image, GuestMachine(firmware=firmware))
    (run,) = store.runs()
    assert run.status is RunStatus.PARTIAL and store.logs(run.id)["recorder.rec"] == RECORD


def test_power_cycles_are_a_run_of_their_own_kind_whose_rings_have_to_come_back(
    boots: Boots, store: Store, image: GuestImage, firmware: Path
) -> None:
    machine = GuestMachine(2, Mode.MULTI_THREAD, firmware=firmware)
    run = store.load(run_power_guest(store, QEMU, image, machine, PowerCycle(7, 3), LIMITS))
    assert (run.kind, run.campaign, run.status) == ("power", "rt-power", RunStatus.PARTIAL)
    assert (run.conditions.hotplug_cycles, run.conditions.suspends, run.conditions.mode) == (7, 3, Mode.MULTI_THREAD)
    assert "no power-state change and no trace buffer of the firmware came back" in run.problems[0].message
    assert boots.runs[0][1] == power_job.guest_script(PowerCycle(7, 3))
    assert run.topology.clusters == (2,)
    boots.stops_at = 2
    with pytest.raises(LatlabError, match="interrupted"):
        run_power_guest(store, QEMU, image, GuestMachine(cores=2, firmware=firmware), PowerCycle(1, 0), LIMITS)
