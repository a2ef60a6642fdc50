# SPDX-License-Identifier: BSD-3-Clause
"""A job on a machine that does not need its connection: it is started there, polled now and then, and stopped there.

A connection that breaks does no harm, and polling every half minute disturbs the measurement less than an open terminal would.
"""

from __future__ import annotations

import shlex
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from latlab.errors import LatlabError
from latlab.targets.linux.machine import Machine, Unreachable

LOOK_EVERY_S = 30.0
LOOK_AT_END_S = 0.5
STOP_S = 10
ANSWER_S = 60
BOOT_ID = "/proc/sys/kernel/random/boot_id"
STOPPED, RESTARTED, INTERRUPTED = 124, 255, 130


@dataclass(frozen=True, slots=True)
class JobEnd:
    """`sentence` is empty if the job ended by itself, whatever its status."""

    status: int
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What the machine says of the job: `status` is None while it has none."""

    status: int | None
    boot_id: str
    alive: bool


def run_detached(machine: Machine, folder: str, script: str, boot_id: str, expected_s: float, limit_s: float) -> JobEnd:
    """Run a shell script in `folder` to its end, to the machine's end, or to `limit_s`."""
    group = _start(machine, folder, script)
    try:
        return _follow(machine, folder, group, boot_id, expected_s, limit_s)
    except KeyboardInterrupt:
        _stop(machine, folder, group)
        return JobEnd(INTERRUPTED, f"{machine.name}: interrupted; what was measured until then is kept")


def _start(machine: Machine, folder: str, script: str) -> int:
    with tempfile.NamedTemporaryFile("w", prefix="latlab-job-") as local:
        local.write(f"echo $$ >{folder}/pid\n{script}")
        local.flush()
        machine.put(Path(local.name), f"{folder}/job")
    keeper = f"sh {folder}/job >{folder}/job.log 2>&1; echo $? >{folder}/status"
    done = machine.run(f"setsid sh -c {shlex.quote(keeper)} >/dev/null 2>&1 </dev/null & echo $!", ANSWER_S)
    if not done.text.strip().isdecimal():
        raise LatlabError(f"{machine.name}: the job could not be started: {done.complaint}")
    return int(done.text)


def _follow(machine: Machine, folder: str, group: int, boot_id: str, expected_s: float, limit_s: float) -> JobEnd:
    start = answered = time.monotonic()
    while True:
        left_s = expected_s - (time.monotonic() - start)
        time.sleep(min(LOOK_EVERY_S, max(left_s, LOOK_AT_END_S)))
        now = time.monotonic()
        try:
            look = _look(machine, folder, group)
            answered = time.monotonic()
        except Unreachable as error:
            if now - answered > machine.patience_s:
                return JobEnd(RESTARTED, f"{machine.name}: the connection broke and did not come back in {machine.patience_s:g} s: {error}")
            continue
        if boot_id and look.boot_id and look.boot_id != boot_id:
            return JobEnd(RESTARTED, f"{machine.name} restarted during the run; what had been written until then is kept")
        if look.status is not None:
            return JobEnd(look.status)
        if not look.alive:
            return JobEnd(RESTARTED, f"{machine.name}: the job was killed during the run; what it wrote is kept")
        if now - start > limit_s:
            _stop(machine, folder, group)
            return JobEnd(STOPPED, f"{machine.name}: the job has not ended in {limit_s:g} s and was stopped; what it wrote is kept")


def _look(machine: Machine, folder: str, group: int) -> Look:
    """Whether it is alive is asked first: a job that ends in between has a status afterwards. On a console the kernel may print between
    the lines, so an answer counts only if it is complete."""
    alive = f"kill -0 {group} 2>/dev/null && echo alive=yes || echo alive=no"
    asked = f"{alive}; echo boot_id=$(cat {BOOT_ID}); echo status=$(cat {folder}/status 2>/dev/null)"
    said = {name: value.strip() for name, _, value in (line.partition("=") for line in machine.run(asked, ANSWER_S).text.splitlines())}
    status = said.get("status", "?")
    if said.get("alive") not in ("yes", "no") or "boot_id" not in said or not (status.isdecimal() or status == ""):
        raise Unreachable(f"{machine.name} gives an incomplete answer: {sorted(said.items())}")
    return Look(int(status) if status else None, said["boot_id"], said["alive"] == "yes")


def _stop(machine: Machine, folder: str, group: int) -> None:
    """The script's trap ends what it started; what does not end in time is killed."""
    with suppress(LatlabError):
        machine.run(f"kill -TERM $(cat {folder}/pid)", ANSWER_S)
        if not _ended_by(machine, folder, group, time.monotonic() + STOP_S):
            machine.run(f"kill -KILL -{group}", ANSWER_S)


def _ended_by(machine: Machine, folder: str, group: int, end: float) -> bool:
    while time.monotonic() < end:
        if _look(machine, folder, group).status is not None:
            return True
        time.sleep(LOOK_AT_END_S)
    return False
