# SPDX-License-Identifier: BSD-3-Clause
"""Our firmware under labgrid's own QEMUDriver."""

import shlex
from pathlib import Path

import pytest

from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support.environments import run_psci_on
from support.needs import found

pytestmark = pytest.mark.qemu

ON_QEMU = """\
targets:
  main:
    drivers:
      QEMUDriver: {{qemu_bin: qemu, machine: '{machine}', cpu: {cpu}, memory: {memory}M, bios: firmware, extra_args: '{extra}'}}
tools: {{qemu: {qemu}}}
images: {{firmware: {firmware}}}
"""


@pytest.fixture(autouse=True)
def own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LATLAB_STORE", str(tmp_path / "store.sqlite"))


def _on_qemu(folder: Path) -> Path:
    """The machine of `latlab run psci --target qemu`, as a labgrid environment."""
    images, qemu = found(lambda: find_images(Topology((1,)), "psci_bench")), found(find_qemu)
    command = command_line(qemu, QemuMachine(images, "psci_bench", Mode.MULTI_THREAD, iterations=2), Path("unused"))
    given = dict(zip(command[1::2], command[2::2], strict=False))
    loaders = [part for name, value in zip(command[1::2], command[2::2], strict=False) if name == "-device" for part in (name, value)]
    extra = shlex.join([*loaders, "-smp", given["-smp"], "-nic", "none", "-accel", given["-accel"]])
    path = folder / "env.yaml"
    text = ON_QEMU.format(
        machine=given["-M"],
        cpu=given["-cpu"],
        memory=given["-m"],
        extra=extra,
        qemu=qemu.path,
        firmware=images.firmware_bin.absolute(),
    )
    path.write_text(text)
    return path


def test_our_firmware_under_labgrids_own_qemu_driver_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_psci_on(_on_qemu(tmp_path), "--power-cycle")
    assert run.status is RunStatus.COMPLETE, run.problems
    assert (run.target, run.platform, run.topology) == ("labgrid:main", "main", Topology((1,)))
    assert run.tick.clock is Clock.TIME and run.conditions.mode is Mode.MULTI_THREAD
    assert {sample.test for sample in run.samples} >= {"susp_deep_serial", "psci_version_parallel"}
    assert "and are no latencies" in capsys.readouterr().out
