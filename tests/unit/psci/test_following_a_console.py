# SPDX-License-Identifier: BSD-3-Clause
"""What is done with a console's lines beside reading them: the log is kept in parts, and garbage is not followed for ever."""

from types import SimpleNamespace
from typing import Any

from latlab.psci.campaign import recording


def watched(lines: list[bytes], boot: object) -> tuple[list[bytes], int, list[str]]:
    """What came through, how often the log was kept, and why the console was stopped."""
    kept: list[int] = []
    stopped: list[str] = []
    recorder: Any = SimpleNamespace(boot=boot, add_logs=lambda: kept.append(1))
    console: Any = SimpleNamespace(stop=stopped.append)
    return list(recording._watch(recorder, console, lines)), len(kept), stopped


def test_a_log_is_kept_each_time_that_so_much_has_come() -> None:
    line = b"x" * 1023 + b"\n"
    lines = [line] * (2 * (recording.LOG_PART_BYTES // 1024) + 5)
    came, kept, stopped = watched(lines, object())
    assert came == lines and kept == 2 and not stopped


def test_a_target_that_prints_garbage_is_stopped_and_one_that_has_booted_is_not() -> None:
    lines = [b"y" * 1024] * (recording.GARBAGE_BYTES // 1024 + 1)
    assert watched(lines, object())[2] == []
    assert watched(lines[:-1], None)[2] == []
    (sentence,) = watched(lines, None)[2]
    assert sentence.startswith(f"the target prints garbage: {recording.GARBAGE_BYTES + 1024} bytes without a dump's BOOT line")
