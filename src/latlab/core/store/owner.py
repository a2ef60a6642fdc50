# SPDX-License-Identifier: BSD-3-Clause
"""Who this process is, so that another one can tell whether it still lives."""

from __future__ import annotations

import os
import pwd
from functools import cache
from pathlib import Path

from latlab.core.model.life import Owner

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def this_process() -> Owner:
    return Owner(_host(), _boot_id(), os.getpid(), _started(os.getpid()) or 0, _user())


def whoami() -> str:
    return f"{_user()} on {os.uname().nodename}"


def is_mine(owner: Owner | None, whatever_host: bool = False) -> bool:
    """Whether this user began it here. Of a run whose owner is not known only a file says that it may be."""
    if owner is None:
        return whatever_host
    return owner.user in ("", _user()) and (whatever_host or owner.host.partition(" ")[0] == os.uname().nodename)


def is_here(owner: Owner) -> bool:
    """Whether it is or was a process of this machine that could be seen here."""
    return owner.host == _host()


def is_alive(owner: Owner) -> bool:
    """Of a process for which `is_here` holds."""
    if owner.boot_id != _boot_id():
        return False
    started = _started(owner.pid)
    return started is not None and started == owner.pid_started


@cache
def _user() -> str:
    """By number where the system has no name for it, as in a container."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


@cache
def _host() -> str:
    """Containers with the same name of the host do not see one another's processes."""
    try:
        return f"{os.uname().nodename} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return os.uname().nodename


def _boot_id() -> str:
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _started(pid: int) -> int | None:
    """When a process started, in the kernel's ticks since its boot; 0 where the system does not say it, None for none or a dead one."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _started_elsewhere(pid)
    return None if fields[0] in (b"Z", b"X") else int(fields[19])


def _started_elsewhere(pid: int) -> int | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return 0
    return 0
