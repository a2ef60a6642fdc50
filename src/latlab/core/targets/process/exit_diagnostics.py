# SPDX-License-Identifier: BSD-3-Clause
"""What QEMU, a compiler or another program said of its own end."""

from __future__ import annotations

import re
import signal

_QEMU, _FATAL, _PROBE = "qemu-system-", "qemu: fatal: ", "latlab probe:"
_NO_CAUSE = (": warning:", ": info:", ": terminating on signal")
_FIRST_CAUSE = re.compile(r"\berror: |^E: |: not found$|: No such file or directory$")
"""How compilers, linkers, CMake, apt and shells begin or end the line that names a cause. What follows it follows from it."""
_LAST_LINES = 3


def exit_message(stderr: bytes) -> str:
    """QEMU's fatal line, which a dump of registers follows; else every error that QEMU printed in its own name, else the last line. Empty
    if nothing was printed."""
    stderr_lines = stderr.decode("utf-8", "backslashreplace").strip().splitlines()
    lines = [line for line in stderr_lines if not line.startswith(_PROBE) and not any(word in line for word in _NO_CAUSE)]
    causes = [line for line in lines if line.startswith(_FATAL)][:1] or [line for line in lines if line.startswith(_QEMU)]
    return ", ".join(map(repr, causes or lines[-1:]))


def tool_message(stderr: str, stdout: str) -> str:
    """Why a tool failed: the first line that names an error, else the last lines of stderr, or of stdout if stderr is empty. Ninja prints
    the messages of compilers on stdout."""
    lines = [line.strip() for line in (*stderr.splitlines(), *stdout.splitlines())]
    cause = next((line for line in lines if _FIRST_CAUSE.search(line)), None)
    if cause is not None:
        return cause
    last_lines = (stderr.strip() or stdout.strip()).splitlines()[-_LAST_LINES:]
    return " | ".join(line.strip() for line in last_lines) or "it printed nothing"


def death(program: str, status: int, words: str) -> str:
    """One sentence for an exit status that is not 0, with its last words."""
    how = f"was killed by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
    return f"{program} {how}{f'; it printed: {words}' if words else ' and printed nothing'}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
