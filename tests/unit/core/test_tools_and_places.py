# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are run to their end, children that are ended, folders that say whose they are, and where the probe is."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.core.model.run import Problem
from latlab.core.targets import scratch, tools
from latlab.core.targets.process.children import interrupts_wait, stop
from latlab.core.targets.process.exit_diagnostics import death
from latlab.core.targets.qemu import probe


def test_a_tool_gives_what_it_prints_from_the_folder_that_it_is_run_in(tmp_path: Path) -> None:
    assert tools.run(["sh", "-c", "pwd; echo aside >&2"], tmp_path) == f"{tmp_path}\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo first >&2; echo 'at last' >&2; echo printed; exit 3", "sh ended with status 3: first | at last"),
        ("for i in 1 2 3 4 5; do echo $i >&2; done; exit 1", "sh ended with status 1: 3 | 4 | 5"),
        (
            "{ echo 'From a.c:1:'; echo 'b.h:2:10: fatal error: no stdio.h'; echo 'compilation terminated.'; } >&2; exit 1",
            "sh ended with status 1: b.h:2:10: fatal error: no stdio.h",
        ),
        (
            "{ echo 'sh: 1: pahole: not found'; echo 'make: *** Error 2'; } >&2; exit 2",
            "sh ended with status 2: sh: 1: pahole: not found",
        ),
        (
            "echo 'CMake Warning: old' >&2; echo 'x.c:3:1: error: no y'; echo 'ninja: build stopped'; exit 1",
            "sh ended with status 1: x.c:3:1: error: no y",
        ),
        ("echo printed; exit 1", "sh ended with status 1: printed"),
        ("exit 2", "sh ended with status 2: it printed nothing"),
    ],
)
def test_a_tool_that_fails_is_one_sentence_with_its_first_error_or_its_last_lines(script: str, said: str) -> None:
    with pytest.raises(LatlabError) as raised:
        tools.run(["sh", "-c", script])
    assert str(raised.value) == said and not isinstance(raised.value, UsageError)


def test_a_tool_that_is_missing_or_does_not_end_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no-such-tool does not exist; install it"):
        tools.run(["no-such-tool"])
    monkeypatch.setattr(tools, "TIMEOUT_S", 0.1)
    with pytest.raises(LatlabError, match=r"sleep has not ended in 0\.1 s"):
        tools.run(["sleep", "100"])


def child(script: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(["sh", "-c", f"{script}; echo ready; exec sleep 100"], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return process


def test_a_child_is_let_end_by_itself_then_asked_then_killed() -> None:
    ended = subprocess.Popen(["sh", "-c", "exit 7"], stdout=subprocess.PIPE)
    stop(ended, 10)
    asked, deaf = child("true"), child("trap '' TERM")
    stop(asked, 10)
    stop(deaf, 0.1)
    assert [one.returncode for one in (ended, asked, deaf)] == [7, -signal.SIGTERM, -signal.SIGKILL]
    assert all(one.stdout is not None and one.stdout.closed for one in (ended, asked, deaf))


def test_an_interrupt_waits_for_the_end_of_the_block_and_comes_once() -> None:
    came: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: came.append("handled"))
    try:
        with interrupts_wait():
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGTERM)
            came.append("block")
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert came == ["block", "handled", "handled"]


def test_a_folder_outlives_a_restart_unless_the_user_named_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "PERSISTENT", tmp_path)
    monkeypatch.delenv("TMPDIR", raising=False)
    assert scratch.base(persistent=True) == tmp_path and scratch.base() == Path(tempfile.gettempdir())
    monkeypatch.setattr(scratch, "PERSISTENT", tmp_path / "gone")
    assert scratch.base(persistent=True) == Path(tempfile.gettempdir())
    monkeypatch.setattr(scratch, "PERSISTENT", tmp_path)
    monkeypatch.setenv("TMPDIR", tempfile.gettempdir())
    assert scratch.base(persistent=True) == Path(tempfile.gettempdir())


def test_a_folder_says_whose_it_is_and_is_gone_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "base", lambda persistent=False: tmp_path)
    with scratch.scratch() as folder:
        match = scratch.NAME.fullmatch(folder.name)
        assert match is not None and folder.parent == tmp_path
        assert (int(match[1]), int(match[2])) == (os.stat("/proc/self/ns/pid").st_ino, os.getpid())
        assert int(match[3]) == int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        assert scratch.abandoned() == []
    assert not folder.exists()
    monkeypatch.setattr(scratch, "base", lambda persistent=False: tmp_path / "gone")
    with pytest.raises(UsageError, match=r"no folder can be made .*name another folder in TMPDIR"), scratch.scratch():
        pass


def test_a_folder_is_abandoned_once_its_process_is_gone_or_its_number_is_anothers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "base", lambda persistent=False: tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    started = scratch._started(os.getpid())
    names = {
        "dead": f"latlab-{scratch.space()}-{gone.pid}-5-x",
        "reused": f"latlab-{scratch.space()}-{os.getpid()}-{started + 1}-x",
        "mine": f"latlab-{scratch.space()}-{os.getpid()}-{started}-x",
        "elsewhere": f"latlab-{scratch.space() + 1}-{gone.pid}-5-x",
        "another's": "latlab-a-b-c-d",
    }
    for name in names.values():
        (tmp_path / name).mkdir()
    assert scratch.abandoned() == sorted([tmp_path / names["dead"], tmp_path / names["reused"]])
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert scratch.abandoned() == []


def test_a_folder_may_be_removed_for_its_own_store_or_for_one_that_is_no_more(tmp_path: Path) -> None:
    store, other, folder = tmp_path / "a.sqlite", tmp_path / "b.sqlite", tmp_path / "folder"
    folder.mkdir()
    store.touch()
    assert scratch.may_remove(folder, str(other)), "nobody says whose it is"
    scratch.belong_to(folder, str(store))
    assert scratch.may_remove(folder, str(store)) and not scratch.may_remove(folder, str(other))
    store.unlink()
    assert scratch.may_remove(folder, str(other))
    scratch.belong_to(folder, "postgresql://user:secret@there/db")
    assert not scratch.may_remove(folder, str(other)) and scratch.may_remove(folder, "postgresql://user:secret@there/db")
    assert "secret" not in (folder / scratch.MARK).read_text()


def test_the_probe_is_told_where_to_write_and_what_to_look_at(tmp_path: Path) -> None:
    (tmp_path / "p,q.so").write_bytes(b"plugin")
    plain = probe.with_probe(("qemu", "-M", "virt"), tmp_path / "p,q.so", Path("/o,ut"), False)
    assert plain == ("qemu", "-M", "virt", "-plugin", f"{tmp_path}/p,,q.so,out=/o,,ut,functions=off")
    full = probe.with_probe(("qemu",), Path("p.so"), Path("/out"), True, 1000, True)
    assert full == ("qemu", "-plugin", "p.so,out=/out,functions=on,masked=on,limit=1000")
    twice = probe.with_slow_probe(plain, tmp_path / "p,q.so", tmp_path / "copy.so", Path("/each"), 7)
    assert twice == (*plain, "-plugin", f"{tmp_path}/copy.so,out=/each,functions=off,limit=7,each=on")
    assert (tmp_path / "copy.so").read_bytes() == b"plugin"


def test_a_disk_that_takes_no_more_of_the_stream_is_told_with_what_to_do() -> None:
    said = "latlab probe: writing to /out failed (No space left on device); 12 records were lost\nqemu: x\n"
    sentence = "the probe: writing to /out failed (No space left on device); 12 records were lost; free some disk or set TMPDIR"
    (problem,) = probe.complaints(said)
    assert problem == Problem(0, problem.message) and problem.message.startswith(sentence) and probe.complaints("qemu: x") == ()


def test_worlds_that_this_qemu_does_not_show_are_told_with_what_to_do() -> None:
    (problem,) = probe.complaints("latlab probe: this QEMU does not show which code a guest runs: what counts as HS may be VS\n")
    assert problem.message.endswith(
        "this QEMU does not show which code a guest runs: what counts as HS may be VS; use another QEMU, such as 10.0 or 11.1"
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", None),
        (b"latlab probe: no place\n", "the probe: no place"),
        (
            b"latlab probe: no place\nqemu-system-arm: no such machine\n",
            "QEMU did not start the machine; it printed: 'qemu-system-arm: no such machine'",
        ),
        (b"qemu-system-arm: Could not load plugin p.so: wrong\n", "QEMU cannot load the probe (p.so: wrong); where it is one for"),
        (
            b"qemu-system-arm: plugin requires API version 4, but this QEMU supports only up to version 1\n",
            "the probe needs 4; use QEMU 9.2 or newer",
        ),
    ],
)
def test_what_qemu_says_of_anything_else_comes_before_what_the_probe_makes_of_it(said: bytes, why: str | None) -> None:
    found = probe.why_not_started(said)
    assert found is None if why is None else why in str(found)


def test_an_end_is_told_by_its_signal_or_its_status() -> None:
    assert death("QEMU", -9, "") == "QEMU was killed by SIGKILL and printed nothing"
    assert death("QEMU", -250, "'x'") == "QEMU was killed by signal 250; it printed: 'x'"
    assert death("QEMU", 3, "'x'") == "QEMU ended with status 3; it printed: 'x'"
