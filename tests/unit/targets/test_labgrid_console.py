# SPDX-License-Identifier: BSD-3-Clause
"""The console of a board through labgrid: its own QEMUDriver running our firmware, and consoles that go wrong."""

import shlex
from pathlib import Path

import pytest

from latlab.cli.app import app
from latlab.errors import DataError, LatlabError, UsageError
from latlab.model.enums import Clock, RunStatus
from latlab.model.run import Run, Topology
from latlab.store.store import open_store
from latlab.targets.qemu.images import find_images
from latlab.targets.qemu.qemu import Machine, Mode, command_line, find_qemu
from support.synthetic import JUNO, log

pytest.importorskip("labgrid")
LOG = log()

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


def _run(config: Path, *options: str) -> Run:
    """The run that is kept, whatever the command says of it."""
    app(("run", "psci", "--target", "labgrid", "--config", str(config), *options), standalone_mode=False)
    return open_store().load("last")


def _on_qemu(folder: Path) -> Path:
    """The machine of `latlab run psci --target qemu`, as a labgrid environment."""
    try:
        images, qemu = find_images(Topology((1,)), "psci_bench"), find_qemu()
    except LatlabError as error:
        pytest.skip(str(error))
    command = command_line(qemu, Machine(images, "psci_bench", Mode.MULTI_THREAD, iterations=2), Path("unused"))
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


def _printing(folder: Path, then: str, lines: list[str] = LOG) -> Path:
    """An environment whose console prints a log and goes on as told."""
    (folder / "console.log").write_text("\r\n".join(lines) + "\r\n")
    path = folder / "env.yaml"
    path.write_text(f"targets: {{main: {{drivers: {{ExternalConsoleDriver: {{cmd: 'sh -c \"cat {folder}/console.log; {then}\"'}}}}}}}}\n")
    return path


def test_our_firmware_under_labgrids_own_qemu_driver_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = _run(_on_qemu(tmp_path), "--power-cycle")
    assert run.status is RunStatus.COMPLETE, run.problems
    assert (run.target, run.platform, run.topology) == ("labgrid:main", "main", Topology((1,)))
    assert run.tick.clock is Clock.TIME and dict(run.facts)["mode"] == "multi-thread"
    assert {sample.test for sample in run.samples} >= {"susp_deep_serial", "psci_version_parallel"}
    assert "they are not latencies and not for publication" in capsys.readouterr().out


def test_a_log_on_a_console_is_kept_byte_for_byte_and_the_board_may_go_on(tmp_path: Path) -> None:
    run = _run(_printing(tmp_path, "exec sleep 600"))
    assert run.status is RunStatus.COMPLETE and run.topology == JUNO
    assert open_store().logs("last")["console"] == ("\r\n".join(LOG) + "\r\n").encode()


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("exec sleep 600", "no output from the board for 1 s"),
        ("echo PANIC at 0x1234; exec sleep 600", "the firmware panicked: 'PANIC at 0x1234'"),
        ("sleep 1; exit 1", "the console of main is gone: ExecutionError: child has vanished"),
    ],
)
def test_a_board_that_stops_in_the_middle_is_said_and_what_it_printed_is_kept(tmp_path: Path, then: str, said: str) -> None:
    half = LOG[: len(LOG) // 2]
    with pytest.raises(DataError, match="is partial"):
        _run(_printing(tmp_path, then, half), "--silence", "1" if "no output" in said else "60")
    run = open_store().load("last")
    assert run.status is RunStatus.PARTIAL and run.samples
    assert any(said in problem.message for problem in run.problems)


def test_a_target_without_a_console_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "env.yaml").write_text("targets: {main: {resources: {NetworkService: {address: a, username: b}}}}\n")
    with pytest.raises(UsageError, match=r"labgrid target 'main', its console: labgrid says: .*ConsoleProtocol"):
        _run(tmp_path / "env.yaml")


def test_without_a_configuration_the_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LG_ENV", raising=False)
    with pytest.raises(UsageError, match="name it with --config, or in LG_ENV"):
        app(("run", "psci", "--target", "labgrid"), standalone_mode=False)
