# SPDX-License-Identifier: BSD-3-Clause
"""What the tests take is held against what set-up installs: a program of another package is named, one of set-up's is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import outside_setup


@pytest.fixture(name="packages")
def fixture_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A machine with a package of set-up's, one that it needs, one of nobody's and an essential one, each of one program."""
    names = ("asked", "needed", "by-hand", "coreutils")
    files = {name: tmp_path / name / "usr" / "bin" / name for name in names}
    for path in files.values():
        path.parent.mkdir(parents=True)
        path.write_text(path.name)

    def said(*command: str) -> str:
        match command:
            case ("dpkg-query", "--show", *_):
                return "".join(f"{name} {'yes' if name == 'coreutils' else 'no'} installed\n" for name in names)
            case ("dpkg-query", "--listfiles", name):
                return f"/usr\n{files[name]}\n/usr/share/doc/{name}\n"
            case ("apt-cache", *_):
                return "asked\n  Depends: needed\nneeded\ncoreutils\n"
        return "asked\n"

    monkeypatch.setattr(outside_setup, "said", said)
    monkeypatch.setattr(outside_setup, "STAMP", tmp_path / "build" / "stamp")
    return files


def run(step: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.argv", ["outside_setup.py", step])
    return outside_setup.main()


@pytest.mark.parametrize(
    ("read", "code", "words"),
    [("by-hand", 1, "by-hand: "), ("needed", 0, "took nothing"), ("coreutils", 0, "took nothing"), ("asked", 0, "took nothing")],
)
def test_only_a_program_of_a_package_that_setup_does_not_install_is_named(
    packages: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    read: str,
    code: int,
    words: str,
) -> None:
    if not outside_setup.has_access_times(packages["asked"].parent):
        monkeypatch.setattr(outside_setup, "has_access_times", lambda folder: True)
    assert run("list", monkeypatch) == 2
    assert run("mark", monkeypatch) == 0
    outside_setup.set_access_time(packages[read], time.time() + 1)
    assert run("list", monkeypatch) == code
    assert words in capsys.readouterr().out


def test_a_file_system_without_access_times_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside_setup, "has_access_times", lambda folder: False)
    assert run("list", monkeypatch) == 3
