# SPDX-License-Identifier: BSD-3-Clause
"""A job on a machine that does not need its connection: it is started there, polled now and then, and stopped there.

A connection that breaks does no harm, and polling every half minute disturbs the measurement less than an open terminal would. A job
whose maker is gone ends itself: on this machine the kernel tells it, on a board it notices that nobody looks any more.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import LatlabError
from latlab.core.shown import significant
from latlab.core.targets.linux.machine import Machine, Unreachable

LOOK_EVERY_S = 30.0
LOOK_AT_END_S = 0.5
STOP_S = 10
RESERVE_BYTES = 1 << 16
"""What a job keeps of the disk for its status, should it fill the disk."""
ANSWER_S = 60
BOOT_ID = "/proc/sys/kernel/random/boot_id"
STOPPED, RESTARTED, INTERRUPTED = 124, 255, 130


@dataclass(frozen=True, slots=True)
class JobEnd:
    """`sentence` is empty if the job ended by itself, whatever its status. `is_lost`: its machine answers no more."""

    status: int
    sentence: str = ""
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class JobState:
    """What the machine says of the job: `status` is None while it has none."""

    status: int | None
    boot_id: str
    alive: bool
    phase: str = ""


Looked = Callable[[JobState], None]


def run_detached(
    machine: Machine,
    folder: str,
    script: str,
    boot_id: str,
    expected_s: float,
    limit_s: float,
    looked: Looked = lambda look: None,
    interrupted: Callable[[], None] = lambda: None,
) -> JobEnd:
    """Run a shell script in `folder` to its end, to the machine's end, or to `limit_s`. `looked` hears of every look at it, `interrupted`
    of an interrupt before the job is stopped."""
    group = _start(machine, folder, script)
    try:
        return _follow(machine, folder, group, boot_id, (expected_s, limit_s), looked)
    except KeyboardInterrupt:
        interrupted()
        _stop(machine, folder, group)
        return JobEnd(INTERRUPTED, f"{machine.name}: interrupted; the data until then are kept")


def end_job(machine: Machine, folder: str) -> int | None:
    """The status of a job that another process started; it is ended first if it still runs. None: it never said one."""
    question = f"cat {folder}/group 2>/dev/null; echo; cat {folder}/status 2>/dev/null"
    group, _, status = machine.run(question, ANSWER_S).text.partition("\n")
    if group.strip().isdecimal() and not status.strip():
        _stop(machine, folder, int(group))
    machine.run(_kill_marked(folder), ANSWER_S)
    last = machine.run(f"cat {folder}/status 2>/dev/null", ANSWER_S).text.strip()
    return int(last) if last.isdecimal() else None


def _start(machine: Machine, folder: str, script: str) -> int:
    with tempfile.NamedTemporaryFile("w", prefix="latlab-job-") as local:
        local.write(f"echo $$ >{folder}/pid\n{script}")
        local.flush()
        machine.put(Path(local.name), f"{folder}/job")
    return machine.spawn(_keeper(folder, machine.left_alone_s))


KEEPER = """\
echo $$ >{folder}/group
head -c {reserve} /dev/zero >{folder}/reserve
export LATLAB_JOB={folder}
cut -d. -f1 /proc/uptime >{folder}/seen
end_job() {{
    until pid=$(cat {folder}/pid 2>/dev/null) && [ -n "$pid" ]; do sleep 0.1; done
    kill -TERM $pid
}}
trap end_job TERM
(
    trap - TERM
    sh {folder}/job >{folder}/job.log 2>&1
    code=$?
    rm -f {folder}/reserve
    echo $code >{folder}/status.new
) &
job=$!
{watch}
while kill -0 $job 2>/dev/null; do wait $job; done
trap '' TERM
kill -TERM -$$
[ -e {folder}/status.new ] && mv {folder}/status.new {folder}/status
"""
WATCH = """\
while sleep {every_s}; do
    seen=$(cat {folder}/seen) || exit
    [ -z "$seen" ] && continue
    [ $(($(cut -d. -f1 /proc/uptime) - seen)) -lt {left_alone_s:.0f} ] && continue
    echo "nobody has looked for {left_alone_s:.0f} s" >{folder}/left-alone
    end_job
    exit
done &"""


def _keeper(folder: str, left_alone_s: float | None) -> str:
    """Starts the job, notes how it ended, and leaves no process of it. A machine that restarts begins to count its uptime again, and has
    no job either."""
    every_s = max(1, int((left_alone_s or 0) / 10))
    watch = "" if left_alone_s is None else WATCH.format(folder=folder, every_s=every_s, left_alone_s=left_alone_s)
    return KEEPER.format(folder=folder, watch=watch, reserve=RESERVE_BYTES)


def _kill_marked(folder: str) -> str:
    """Every process that inherited the job's name, should its group have missed one."""
    has_mark = f"tr '\\0' '\\n' <$e 2>/dev/null | grep -qx LATLAB_JOB={folder}"
    return f"for e in /proc/[0-9]*/environ; do {has_mark} && p=${{e#/proc/}} && kill -KILL ${{p%/environ}}; done; true"


def _follow(machine: Machine, folder: str, group: int, boot_id: str, times: tuple[float, float], looked: Looked) -> JobEnd:
    expected_s, limit_s = times
    start = answered = time.monotonic()
    while True:
        left_s = expected_s - (time.monotonic() - start)
        time.sleep(min(machine.look_every_s or LOOK_EVERY_S, max(left_s, LOOK_AT_END_S)))
        now = time.monotonic()
        try:
            look = _look(machine, folder, group)
            answered = time.monotonic()
            if look.status is None:
                looked(look)
        except Unreachable as error:
            if now - answered > machine.patience_s:
                sentence = f"{machine.name}: the connection was lost for {significant(machine.patience_s)} s: {error}"
                return JobEnd(RESTARTED, sentence, is_lost=True)
            continue
        if boot_id and look.boot_id and look.boot_id != boot_id:
            return JobEnd(RESTARTED, f"{machine.name} restarted during the run; the data until then are kept")
        if look.status is not None:
            return JobEnd(look.status)
        if not look.alive:
            with suppress(LatlabError):
                machine.run(_kill_marked(folder), ANSWER_S)
            return JobEnd(RESTARTED, f"{machine.name}: the job was killed during the run; its data are kept")
        if now - start > limit_s:
            _stop(machine, folder, group)
            return JobEnd(STOPPED, f"{machine.name}: the job has not ended in {significant(limit_s)} s and was stopped; its data are kept")


def _look(machine: Machine, folder: str, group: int) -> JobState:
    """Whether it is alive is asked first: a job that ends in between has a status afterwards. On a console the kernel may print between
    the lines, so an answer counts only if it is complete."""
    alive = f"kill -0 {group} 2>/dev/null && echo alive=yes || echo alive=no"
    heartbeat = f"cut -d. -f1 /proc/uptime >{folder}/seen.new && mv {folder}/seen.new {folder}/seen"
    phase = f"echo phase=$(cat {folder}/phase 2>/dev/null)"
    question = f"{alive}; {heartbeat}; {phase}; echo boot_id=$(cat {BOOT_ID}); echo status=$(cat {folder}/status 2>/dev/null)"
    answers = {
        name: value.strip() for name, _, value in (line.partition("=") for line in machine.run(question, ANSWER_S).text.splitlines())
    }
    status = answers.get("status", "?")
    if answers.get("alive") not in ("yes", "no") or "boot_id" not in answers or not (status.isdecimal() or status == ""):
        raise Unreachable(f"{machine.name} gives an incomplete answer: {sorted(answers.items())}")
    named = re.search(r"name=([^ >]+)", answers.get("phase", ""))
    return JobState(int(status) if status else None, answers["boot_id"], answers["alive"] == "yes", named[1] if named else "")


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
