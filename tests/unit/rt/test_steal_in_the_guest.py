# SPDX-License-Identifier: BSD-3-Clause
"""The steal campaign in the guest, over boots that are made up: what the guest is told, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Run
from latlab.core.store.store import Store, open_store
from latlab.core.targets.process.console import Limits, MachineEnd, MachineOutcome
from latlab.core.targets.qemu.images import PLATFORM
from latlab.core.targets.qemu.qemu import Qemu
from latlab.rt.campaign import measurement
from latlab.rt.campaign.steal import run_steal_guest
from latlab.rt.model.stolen import Blind
from latlab.rt.readers.guest_frames import GuestOutput
from latlab.rt.targets.guest.checkpoints import SHARED, make_shared
from latlab.rt.targets.guest.guest import GuestMachine, GuestRun
from latlab.rt.targets.guest.guest_image import GuestImage
from latlab.rt.targets.rt_job import USUAL_DRIVERS, Drivers, RngNode
from latlab.rt.targets.steal_job import Watch, guest_script
from support.fakes import fake_images
from support.steal_lines import blind_cpu, cpu_with, measured, text

QEMU = Qemu(Path("/usr/bin/qemu-system-aarch64"), (10, 0, 2))
NO_RNG = Drivers(RngNode.NONE)
LIMITS = Limits(10.0, 5.0)
FILES = {"steal-idle.txt": text(measured(cpu_with([1952]))).encode(), "steal-load.txt": text(measured(cpu_with([4000] * 3))).encode()}
WATCH = Watch(3, "stress-ng --cpu 1", 250, 900, idle_states=True)


@dataclass
class Boots:
    """In place of `run_guest`: notes the boot, and gives what the test wants of it."""

    jobs: list[tuple[GuestMachine, str]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    status: int | None = 0
    outcome: MachineOutcome = field(default_factory=lambda: MachineOutcome(MachineEnd.EXIT))

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
        self.jobs.append((machine, job))
        make_shared(folder / SHARED)
        watch(b"<LLG1:PHASE name=idle>\n")
        assert poll() is False
        output = GuestOutput(self.files, self.status, ())
        return GuestRun(output, self.outcome, b"a console\n", b"secure\n", b"words\n", ("qemu-system-aarch64", "-cpu", "cortex-a72"))


@pytest.fixture(name="boots")
def fixture_boots(monkeypatch: pytest.MonkeyPatch) -> Boots:
    boots = Boots()
    monkeypatch.setattr(measurement, "run_guest", boots.run)
    return boots


@pytest.fixture(name="store")
def fixture_store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "runs.sqlite"))


@pytest.fixture(name="machine")
def fixture_machine(tmp_path: Path) -> GuestMachine:
    return GuestMachine(2, Mode.MULTI_THREAD, firmware=fake_images(tmp_path / "images") / PLATFORM)


def watched(store: Store, machine: GuestMachine, watch: Watch = WATCH, drivers: Drivers = USUAL_DRIVERS) -> Run:
    image = GuestImage(machine.firmware or Path(), "6.12.9-rt-arm64", True)
    return store.load(run_steal_guest(store, QEMU, image, machine, watch, drivers, LIMITS))


def test_a_guest_is_told_what_to_watch_and_the_run_says_how_it_was_watched(boots: Boots, store: Store, machine: GuestMachine) -> None:
    run = watched(store, machine)
    assert boots.jobs == [(machine, guest_script(WATCH))]
    assert (run.status, run.campaign, run.target, run.platform) == (RunStatus.COMPLETE, "steal", "guest", "QEMU virt, PREEMPT_RT guest")
    assert (run.emulator, run.topology.clusters, run.tick.clock, run.tick.value) == (str(QEMU), (2,), Clock.TIME, 1.0)
    said = run.conditions
    assert (said.mode, said.kernel, said.hwrng_node, said.processor) == (Mode.MULTI_THREAD, "6.12.9-rt-arm64", "firmware", "cortex-a72")
    assert (said.duration_s, said.interval_ns, said.priority, said.load, said.idle_states) == (3, 250_000, 90, "stress-ng --cpu 1", True)
    assert said.commands == tuple(
        f"latlab-steal -o steal-{phase}.txt -c outside-{phase}.txt -D 3 -i 250 -t 900 -I" for phase in ("idle", "load")
    )
    assert run.command == ("qemu-system-aarch64", "-cpu", "cortex-a72") and run.problems == ()


def test_all_that_a_guest_left_is_kept(boots: Boots, store: Store, machine: GuestMachine) -> None:
    logs = store.logs(watched(store, machine).id)
    assert {name: logs[name] for name in ("console", "secure", "stderr", *FILES)} == {
        "console": b"a console\n",
        "secure": b"secure\n",
        "stderr": b"words\n",
        **FILES,
    }


def test_without_the_entropy_driver_and_on_the_instruction_clock_the_run_says_so(boots: Boots, store: Store, machine: GuestMachine) -> None:
    deterministic = GuestMachine(firmware=machine.firmware)
    run = watched(store, deterministic, Watch(1), NO_RNG)
    assert boots.jobs == [(deterministic, guest_script(Watch(1), NO_RNG))]
    assert (run.conditions.hwrng_driver, run.conditions.hwrng_node, run.conditions.mode) == (False, None, Mode.DETERMINISTIC)
    assert (run.tick.clock, run.tick.value) == (Clock.INSTRUCTIONS, 0.5)


def test_whatever_a_boot_complains_of_makes_the_run_partial(boots: Boots, store: Store, machine: GuestMachine) -> None:
    boots.outcome, boots.status = MachineOutcome(MachineEnd.HANG, "it took too long"), 4
    boots.files["kernel.log"] = b"[1] fine\n[2] WARNING: CPU: 0 at x\n"
    run = watched(store, machine)
    assert run.status is RunStatus.PARTIAL
    assert [problem.message for problem in run.problems] == [
        "it took too long",
        "the guest's job ended with status 4; `latlab show --log job.log` prints why",
        "the kernel warned: [2] WARNING: CPU: 0 at x",
    ]
    assert store.logs(run.id)["steal-idle.txt"] == FILES["steal-idle.txt"], "what was measured is kept"


def test_where_nothing_came_back_the_reason_of_the_boot_stands_alone(boots: Boots, store: Store, machine: GuestMachine) -> None:
    boots.files = {}
    (alone,) = watched(store, machine).problems
    assert alone.message.startswith("no file of the steal meter came back")
    boots.outcome = MachineOutcome(MachineEnd.DEATH, "the emulator died")
    assert [problem.message for problem in watched(store, machine).problems] == ["the emulator died"]


def test_a_guest_whose_cpus_are_all_blind_says_why(boots: Boots, store: Store, machine: GuestMachine) -> None:
    boots.files = {"steal-idle.txt": text(measured(blind_cpu(Blind.NOT_PERMITTED, 0, 13))).encode()}
    run = watched(store, machine)
    assert run.status is RunStatus.PARTIAL
    assert "the kernel does not let this user count cycles" in run.problems[0].message


def test_an_interrupt_keeps_what_came_and_is_told_after_the_run_is_over(boots: Boots, store: Store, machine: GuestMachine) -> None:
    boots.outcome = MachineOutcome(MachineEnd.INTERRUPT, "the user has interrupted it")
    with pytest.raises(LatlabError, match="interrupted; the samples so far are kept as the partial run"):
        watched(store, machine)
    (run,) = store.runs()
    assert run.status is RunStatus.PARTIAL and store.logs(run.id)["steal-load.txt"] == FILES["steal-load.txt"]


def test_a_firmware_that_is_missing_is_told_before_a_run_begins(boots: Boots, store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        watched(store, GuestMachine(firmware=tmp_path / "nowhere"))
    assert (store.runs(), boots.jobs) == ((), [])
