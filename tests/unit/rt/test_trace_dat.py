# SPDX-License-Identifier: BSD-3-Clause
"""What trace-cmd or perf recorded, given to a stand-in for the program."""

from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.rt.readers.sched_events import DAT_MAGIC
from latlab.rt.readers.thread_traces import PERF_MAGIC
from latlab.rt.targets.trace_dat import printed, trace_file_of


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found, beside those of the system."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def stand_in(programs: Path, script: str, name: str = "trace-cmd") -> None:
    program = programs / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def text_of(data: bytes) -> bytes:
    trace_file = trace_file_of(data)
    assert trace_file is not None
    return printed(data, "t.dat", trace_file)


def test_the_text_of_a_trace_is_what_trace_cmd_prints_of_its_bytes(programs):
    stand_in(programs, '[ "$1 $2" = "report -t" ] && tail -c 4 "$3"')
    assert text_of(DAT_MAGIC + b"data") == b"data"


def test_the_text_of_a_file_of_perf_is_what_perf_script_prints_of_its_bytes(programs):
    stand_in(programs, '[ "$1" = script ] || exit 1; for last; do :; done; tail -c 4 "$last"', "perf")
    assert text_of(PERF_MAGIC + b"data") == b"data"


def test_text_is_the_file_of_no_program():
    assert trace_file_of(b"# tracer: nop") is None


def test_a_trace_that_trace_cmd_refuses_is_named_with_what_it_said(programs):
    stand_in(programs, "echo 'no trace in it' >&2; exit 1")
    with pytest.raises(LatlabError, match=r"^t\.dat: trace-cmd ended with status 1: no trace in it$"):
        text_of(DAT_MAGIC)


@pytest.mark.parametrize(("magic", "printed_by"), [(DAT_MAGIC, "trace-cmd report -t"), (PERF_MAGIC, "perf script --ns")])
def test_without_its_program_a_file_says_what_to_give(programs, monkeypatch, magic, printed_by):
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(UsageError, match=rf"install it \(Debian: \S+\), or give what `{printed_by}` prints$"):
        text_of(magic)
