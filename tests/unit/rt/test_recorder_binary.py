# SPDX-License-Identifier: BSD-3-Clause
"""Which program a machine gets: the one that is carried, the one that was built before, or one that is built now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from latlab.rt.targets import recorder_binary
from latlab.rt.targets.recorder_binary import guest_sources, meter_for, recorder_for, wire_sources

GUEST = guest_sources()


@pytest.fixture(name="built")
def fixture_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The compilers' command lines; each leaves what it was asked for."""
    commands: list[tuple[str, ...]] = []

    def run(command: Sequence[str]) -> str:
        commands.append(tuple(command))
        Path(command[-1]).write_text(f"program {len(commands)}")
        return ""

    monkeypatch.setattr(recorder_binary, "run", run)
    monkeypatch.setattr(recorder_binary, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    return commands


def sources_of(command: tuple[str, ...]) -> list[Path]:
    return [Path(word) for word in command if word.endswith(".c")]


def test_a_program_is_built_once_of_all_its_sources_and_found_again(built: list[tuple[str, ...]], tmp_path: Path) -> None:
    first = recorder_for("aarch64")
    assert first.read_text() == "program 1" and recorder_for("aarch64") == first and len(built) == 1
    assert first.parent == tmp_path / "cache" / "recorder" and first.name.startswith("aarch64-") and len(first.name) == len("aarch64-") + 12
    assert [path.name for path in first.parent.iterdir()] == [first.name], "what was half built is not left there"


def test_the_recorder_has_its_own_sources_those_of_the_meter_and_the_checksum_of_the_wire(built: list[tuple[str, ...]]) -> None:
    recorder_for("aarch64")
    (command,) = built
    assert command[0] == "aarch64-linux-gnu-gcc" and {"-static", "-pthread", "-O2", "-std=c11", "-Werror"} <= set(command)
    others = ("calibrate.c", "counters.c", "firmware_call.c", "meter.c", "output.c")
    wanted = {*(GUEST / "recorder").glob("*.c"), *(GUEST / "steal" / name for name in others), wire_sources() / "crc32.c"}
    assert set(sources_of(command)) == wanted and len(sources_of(command)) == len(wanted)
    folders = (GUEST / "recorder", GUEST / "steal", wire_sources())
    assert [word for word in command if word.startswith("-I")] == [f"-I{folder}" for folder in folders]
    assert command[-2] == "-o"


def test_the_meter_shares_clock_histogram_and_outside_counts_of_the_recorder(built: list[tuple[str, ...]], tmp_path: Path) -> None:
    found = meter_for("x86_64")
    assert found.parent == tmp_path / "cache" / "steal-meter" and found.name.startswith("x86_64-")
    (command,) = built
    outside = ("outside_counts.c", "smi_counter.c", "steal_clock.c")
    shared = {GUEST / "recorder" / name for name in ("histogram.c", "keep_awake.c", "pinned_thread.c", *outside)}
    assert set(sources_of(command)) == {*(GUEST / "steal").glob("*.c"), *shared}
    assert command[0] == "x86_64-linux-gnu-gcc"


def test_a_machine_s_own_compiler_does_where_there_is_no_cross_compiler(
    built: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}" if name == "gcc" else None)
    meter_for("x86_64")
    assert built[0][0] == "gcc"


def test_a_program_that_the_package_carries_is_not_built(
    built: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = tmp_path / "package" / "catalog" / "images"
    images.mkdir(parents=True)
    (images / "recorder-aarch64").write_text("carried")
    monkeypatch.setattr(recorder_binary, "guest_sources", lambda: GUEST)
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path / "package")
    assert recorder_for("aarch64") == images / "recorder-aarch64" and built == []
    assert meter_for("aarch64").read_text() == "program 1"


def test_other_sources_are_another_program(built: list[tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "guest"
    for name in ("recorder/a.c", "recorder/a.h", "steal/meter.c", "steal/b.h"):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text("1")
    monkeypatch.setattr(recorder_binary, "guest_sources", lambda: here)
    found = [recorder_for("aarch64")]
    for name in ("recorder/a.c", "recorder/a.h", "steal/meter.c", "steal/b.h"):
        (here / name).write_text("2")
        found.append(recorder_for("aarch64"))
    assert len(set(found)) == len(found) == len(built) == 5
