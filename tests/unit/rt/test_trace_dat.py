# SPDX-License-Identifier: BSD-3-Clause
"""What trace-cmd recorded, given to a stand-in for trace-cmd."""

from pathlib import Path

import pytest

from latlab.core.errors import LatlabError, UsageError
from latlab.rt.readers.sched_events import DAT_MAGIC
from latlab.rt.targets.trace_dat import printed


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found, beside those of the system."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def stand_in(programs: Path, script: str) -> None:
    program = programs / "trace-cmd"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_the_text_of_a_trace_is_what_trace_cmd_prints_of_its_bytes(programs):
    stand_in(programs, '[ "$1 $2" = "report -t" ] && tail -c 4 "$3"')
    assert printed(DAT_MAGIC + b"data", "t.dat") == b"data"


def test_a_trace_that_trace_cmd_refuses_is_named_with_what_it_said(programs):
    stand_in(programs, "echo 'no trace in it' >&2; exit 1")
    with pytest.raises(LatlabError, match=r"^t\.dat: trace-cmd ended with status 1: no trace in it$"):
        printed(DAT_MAGIC, "t.dat")


def test_without_trace_cmd_its_file_says_what_to_give(programs, monkeypatch):
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(UsageError, match=r"install it, or give what `trace-cmd report -t` prints$"):
        printed(DAT_MAGIC, "t.dat")
