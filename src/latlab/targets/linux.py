"""Linux as a target: this machine, or one over SSH. The job is a shell script; what it left is fetched even when it did not end well."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from latlab.errors import LatlabError, UsageError
from latlab.targets.recorder_binary import recorder_for
from latlab.targets.rt_job import Instrument, Workload, script

SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3")
REACH_AGAIN_S = 180
STOP_S = 10
SURVEY = """\
echo machine=$(uname -m)
echo kernel=$(uname -r)
echo version=$(uname -v)
echo cpus=$(nproc)
echo cyclictest=$(command -v cyclictest)
echo stress-ng=$(command -v stress-ng)
echo hackbench=$(command -v hackbench)
echo realtime=$(cat /sys/kernel/realtime 2>/dev/null)
echo rt_runtime_us=$(cat /proc/sys/kernel/sched_rt_runtime_us 2>/dev/null)
echo fifo=$(chrt -f %d true 2>/dev/null && echo yes)
echo dma_latency=$([ -w /dev/cpu_dma_latency ] && echo yes)
echo hypervisor=$(systemd-detect-virt 2>/dev/null | grep . || { grep -qw hypervisor /proc/cpuinfo && echo yes; })
echo boot_id=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
"""


@dataclass(frozen=True, slots=True)
class Survey:
    """What a machine says of itself before anything is started."""

    said: dict[str, str]

    @property
    def machine(self) -> str:
        return self.said.get("machine", "")

    @property
    def cpus(self) -> int:
        return int(self.said.get("cpus") or 1)

    @property
    def is_virtual(self) -> bool:
        return self.said.get("hypervisor", "") not in ("", "none")


@dataclass(frozen=True, slots=True)
class LinuxRun:
    """`sentence` is empty where nothing went wrong."""

    files: dict[str, bytes]
    status: int
    sentence: str


class Here:
    """This machine."""

    name = "this machine"

    def shell(self, text: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(("sh", "-c", text), capture_output=True, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL)

    def command(self, text: str) -> list[str]:
        return ["sh", "-c", text]

    def put(self, local: Path, remote: str) -> None:
        Path(remote).write_bytes(local.read_bytes())
        Path(remote).chmod(0o755)


@dataclass(frozen=True)
class OverSsh:
    """A machine that `ssh HOST` reaches without asking. `program` is ssh with its options."""

    host: str
    program: tuple[str, ...] = SSH

    @property
    def name(self) -> str:
        return self.host

    def shell(self, text: str, timeout_s: float) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(self.command(text), capture_output=True, timeout=timeout_s, check=False, stdin=subprocess.DEVNULL)

    def command(self, text: str) -> list[str]:
        return [*self.program, self.host, "sh -c " + shlex.quote(text)]

    def put(self, local: Path, remote: str) -> None:
        with local.open("rb") as stream:
            command = self.command(f"cat >{shlex.quote(remote)} && chmod 755 {shlex.quote(remote)}")
            done = subprocess.run(command, stdin=stream, capture_output=True, timeout=120, check=False)
        if done.returncode != 0:
            raise LatlabError(f"{self.host}: cannot write {remote}: {_last(done.stderr)}")


Machine = Here | OverSsh


def survey(machine: Machine, priority: int) -> Survey:
    try:
        done = machine.shell(SURVEY % priority, 60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{machine.name} does not answer ({error}); check that `ssh {machine.name}` works without asking") from error
    pairs = dict(line.split("=", 1) for line in done.stdout.decode("utf-8", "replace").splitlines() if "=" in line)
    if "machine" not in pairs:
        raise UsageError(f"{machine.name} does not answer: {_last(done.stderr)}; check that `ssh {machine.name}` works without asking")
    return Survey(pairs)


def check_survey(machine: Machine, found: Survey, workload: Workload) -> None:
    """What would make the measurement fail is said before it starts."""
    said, place = found.said, machine.name
    wanted = [workload.load_command.split()[0]] if workload.load_command else []
    if workload.instrument is not Instrument.RECORDER:
        wanted.append("cyclictest")
    for program in wanted:
        if program in ("cyclictest", "stress-ng", "hackbench") and not said.get(program):
            package = "stress-ng" if program == "stress-ng" else "rt-tests"
            raise UsageError(f"{place} has no {program}; install the package {package} there, or choose another --load or --instrument")
    if said.get("fifo") != "yes":
        raise UsageError(
            f"{place}: no right to run at real-time priority {workload.priority}; run as root or give the user an rtprio limit"
        )
    if not workload.idle_states and said.get("dma_latency") != "yes":
        raise UsageError(
            f"{place}: /dev/cpu_dma_latency cannot be written, so idle states cannot be forbidden; run as root or use --idle-states"
        )


def notes(found: Survey) -> list[str]:
    """What does not stop a measurement but belongs beside its figures."""
    runtime = found.said.get("rt_runtime_us", "")
    result = []
    if runtime not in ("", "-1"):
        result.append(f"RT throttling is on: real-time tasks together get {runtime} us of each period")
    if found.said.get("realtime") != "1":
        result.append("the kernel is not PREEMPT_RT")
    return result


def run_linux(machine: Machine, found: Survey, workload: Workload) -> LinuxRun:
    """Measure. A machine that goes away in the middle is waited for, and what it wrote before is fetched."""
    with _folder(machine) as folder:
        machine.put(recorder_for(found.machine), f"{folder}/latlab-recorder")
        text = f"OUT={folder}/out\nmkdir -p $OUT\n" + script(workload, f"{folder}/latlab-recorder")
        status, sentence = _followed(machine, text, _limit_s(workload))
        files = _fetched(machine, folder, bool(sentence))
        if sentence and isinstance(machine, OverSsh) and _rebooted(machine, found):
            sentence = f"{machine.name} restarted in the middle of the run; what its recorder had written until then is kept"
        return LinuxRun(files, status, sentence or _complaint(files, status))


def _limit_s(workload: Workload) -> float:
    return 3 * workload.duration_s + 60


def _followed(machine: Machine, text: str, limit_s: float) -> tuple[int, str]:
    process = subprocess.Popen(
        machine.command(text), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        _, errors = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _end(process)
        return 124, f"{machine.name}: the job has not ended in {limit_s:g} s and was stopped; what it wrote is kept"
    except KeyboardInterrupt:
        _end(process)
        return 130, f"{machine.name}: interrupted; what was measured until then is kept"
    if isinstance(machine, OverSsh) and process.returncode == 255:
        return 255, f"{machine.name}: the connection broke: {_last(errors)}"
    return process.returncode, ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """The script's trap ends what it started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.communicate(timeout=STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@contextmanager
def _folder(machine: Machine) -> Iterator[str]:
    """On SSH targets /var/tmp, which outlives a restart."""
    if isinstance(machine, Here):
        with tempfile.TemporaryDirectory(prefix="latlab-rt-") as folder:
            yield folder
        return
    done = machine.shell("mktemp -d /var/tmp/latlab-rt.XXXXXX", 60)
    folder = done.stdout.decode().strip()
    if done.returncode != 0 or not folder.startswith("/var/tmp/latlab-rt."):
        raise UsageError(f"{machine.name}: no folder in /var/tmp can be made: {_last(done.stderr)}")
    try:
        yield folder
    finally:
        with suppress(OSError, subprocess.TimeoutExpired):
            machine.shell(f"rm -rf {shlex.quote(folder)}", 60)


def _fetched(machine: Machine, folder: str, wait: bool) -> dict[str, bytes]:
    end = time.monotonic() + (REACH_AGAIN_S if wait and isinstance(machine, OverSsh) else 0)
    while True:
        try:
            done = machine.shell(f"tar -C {shlex.quote(folder)}/out -cf - .", 120)
            if done.returncode == 0:
                return _unpacked(done.stdout)
        except (OSError, subprocess.TimeoutExpired):
            pass
        if time.monotonic() > end:
            return {}
        time.sleep(5)


def _unpacked(data: bytes) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar.getmembers():
            stream = tar.extractfile(member) if member.isfile() else None
            if stream:
                files[Path(member.name).name] = stream.read()
    return files


def _rebooted(machine: OverSsh, before: Survey) -> bool:
    try:
        done = machine.shell("cat /proc/sys/kernel/random/boot_id", 30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.decode().strip() not in ("", before.said.get("boot_id"))


def _complaint(files: dict[str, bytes], status: int) -> str:
    if status == 0:
        return ""
    said = [_last(files[name]) for name in ("cyclictest.err", "recorder.err", "load.err") if files.get(name, b"").strip()]
    return f"the measurement ended with status {status}: {'; '.join(said) or 'it said nothing'}"


def _last(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
