# SPDX-License-Identifier: BSD-3-Clause
"""Which shared object of a plugin a QEMU takes, and what a person reads where it takes none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Latlab
from latlab.core.cli.plugins import probe_for
from latlab.core.errors import UsageError
from latlab.core.lifecycle.doctor import _probe
from latlab.core.store.store import open_store
from latlab.core.targets.qemu import probe
from latlab.core.targets.qemu.probe import INTERFACES, file_name, find_plugin, find_probe
from latlab.psa.verbs.run_attack import _attacked
from support.made_attacks import subject

EMULATOR = """#!/bin/sh
[ "$1" = --version ] && echo QEMU emulator version 99.0.0 && exit
for word; do last=$word; done
object=${{last%%,*}}
version=${{object##*-}}
version=${{version%%.so}}
{says}
[ $version -gt {cur} ] && echo "qemu-system-arm: Could not load plugin $object: plugin requires API version $version, but this QEMU supports only up to version {cur}" >&2 && exit 1
[ $version -lt {min} ] && echo "qemu-system-arm: Could not load plugin $object: plugin requires API version $version, but this QEMU supports only a minimum version of {min}" >&2 && exit 1
echo latlab-interface used=$version min={min} cur={cur}
"""  # noqa: E501
NO_PLUGINS = "echo 'qemu-system-arm: -plugin: invalid option' >&2; exit 1"
WRONG_CLASS = 'echo "qemu-system-arm: Could not load plugin $object: wrong ELF class: ELFCLASS32" >&2; exit 1'
NO_SYMBOL = 'echo "qemu-system-arm: Could not load plugin $object: undefined symbol: qemu_plugin_get_registers" >&2; exit 1'

MakeQemu = Callable[..., Path]


@pytest.fixture(name="qemu")
def fixture_qemu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeQemu:
    """An emulator with these versions of the interface, and all objects of both plugins built."""
    for name in ("probe", "witness"):
        for interface in INTERFACES:
            path = tmp_path / "probe" / file_name(name, interface)
            path.parent.mkdir(exist_ok=True)
            path.touch()
    monkeypatch.setattr(probe, "search_folders", lambda: (tmp_path,))

    def make(least: int, newest: int, says: str = ":") -> Path:
        emulator = tmp_path / "qemu-system-arm"
        emulator.write_text(EMULATOR.format(min=least, cur=newest, says=says))
        emulator.chmod(0o755)
        return emulator

    return make


@pytest.mark.parametrize(
    ("least", "newest", "used"), [(2, 4, 4), (2, 5, 5), (2, 6, 6), (7, 7, 7), (4, 4, 4), (2, 9, 7), (7, 8, 7), (5, 8, 7)]
)
def test_a_qemu_gets_the_newest_object_that_it_accepts(qemu: MakeQemu, tmp_path: Path, least: int, newest: int, used: int) -> None:
    found = find_probe(qemu(least, newest))
    assert found.path == tmp_path / "probe" / file_name("probe", used) and (found.interface, found.offered) == (used, newest)
    assert bool(found.note) == (newest > INTERFACES[0])
    witness = find_plugin("witness", qemu(least, newest))
    assert witness.path == tmp_path / "probe" / file_name("witness", used)


def test_a_newer_interface_that_accepts_the_newest_object_is_tried_and_said_in_one_sentence(
    qemu: MakeQemu, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert probe_for(qemu(7, 8), None) == tmp_path / "probe" / "latlab-probe-7.so"
    sentence = (
        "this QEMU offers version 8 of its plugin interface, which is newer than this latlab; it accepts version 7, so latlab-probe-7.so "
        "is used\n"
    )
    assert capfd.readouterr().err == sentence
    probe_for(qemu(7, 7), None)
    assert capfd.readouterr().err == ""


REFUSED = (
    (8, 8, ":", "this QEMU needs version 8 or newer of its plugin interface, this latlab's newest is 7; use an older QEMU or a newer"),
    (1, 3, ":", "this QEMU offers version 3 of its plugin interface, the probe needs 4; use QEMU 9.2 or newer"),
    (0, 1, NO_SYMBOL, "this QEMU's plugin interface is older than version 4, it lacks qemu_plugin_get_registers; use QEMU 9.2 or newer"),
    (7, 7, NO_PLUGINS, "this QEMU was built without plugins; use one that has them, such as Debian's"),
    (7, 7, WRONG_CLASS, "wrong ELF class: ELFCLASS32"),
    (7, 7, "echo qemu-system-arm: no room >&2; exit 1", "does not take the probe; it printed: 'qemu-system-arm: no room'"),
    (7, 7, "exit 0", "does not take the probe and says nothing; name another QEMU with --qemu"),
)


@pytest.mark.parametrize(("least", "newest", "says", "sentence"), REFUSED)
def test_a_qemu_that_takes_no_object_is_refused_in_one_sentence(qemu: MakeQemu, least: int, newest: int, says: str, sentence: str) -> None:
    emulator = qemu(least, newest, says)
    with pytest.raises(UsageError) as refused:
        find_probe(emulator)
    assert sentence in str(refused.value) and str(refused.value).startswith(str(emulator)) and "\n" not in str(refused.value)
    finding = _probe(emulator)
    assert (finding.result, finding.usable, finding.needed) == (str(refused.value), False, False)


@pytest.mark.parametrize(("least", "newest", "says", "sentence"), REFUSED)
def test_a_refused_attack_or_watch_leaves_no_run(
    qemu: MakeQemu, tmp_path: Path, latlab: Latlab, least: int, newest: int, says: str, sentence: str
) -> None:
    emulator, store = qemu(least, newest, says), open_store(str(tmp_path / "store.sqlite"))
    with pytest.raises(UsageError, match="qemu-system-arm"):
        _attacked(store, subject(), frozenset(), None, (1, 1), emulator)
    own = tmp_path / "probe" / "latlab-probe-7.so"
    done = latlab("watch", "--probe", own, "--", emulator, "-M", "mps2-an521")
    assert done.returncode == 2 and str(emulator) in done.stderr
    assert not store.runs()


def test_the_doctor_says_which_interface_there_is_and_which_object_is_used(qemu: MakeQemu, tmp_path: Path) -> None:
    known = _probe(qemu(2, 4))
    assert (known.result, known.usable) == (f"plugin interface 4; {tmp_path}/probe/latlab-probe-4.so", True)
    newer = _probe(qemu(7, 8))
    assert newer.usable and newer.result.startswith("this QEMU offers version 8") and newer.result.endswith("latlab-probe-7.so")


def test_the_users_object_for_another_version_is_named_and_latlabs_own_offered(qemu: MakeQemu, tmp_path: Path) -> None:
    emulator, mine = qemu(7, 7), tmp_path / "probe" / "latlab-probe-4.so"
    with pytest.raises(UsageError, match=f"{mine} is for another version of the plugin interface than {emulator} has; leave it out"):
        find_probe(emulator, mine)
    assert find_probe(emulator, tmp_path / "probe" / "latlab-probe-7.so").interface == 7
    with pytest.raises(UsageError, match=r"none\.so: no probe there"):
        find_probe(emulator, tmp_path / "none.so")


def test_objects_come_from_one_folder_and_what_is_missing_is_named(qemu: MakeQemu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emulator = qemu(2, 4)
    folders = (tmp_path / "build", tmp_path / "package")
    monkeypatch.setattr(probe, "search_folders", lambda: folders)
    with pytest.raises(UsageError, match=rf"latlab-probe-7\.so is in none of {folders[0]}, {folders[1]}; build it with `make probe`"):
        find_probe(emulator)
    for place in (folders[1], folders[0] / "host" / "probe", folders[0] / "probe"):
        place.mkdir(parents=True)
        (place / "latlab-probe-4.so").touch()
        assert find_probe(emulator).path == place / "latlab-probe-4.so"
