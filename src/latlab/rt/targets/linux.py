# SPDX-License-Identifier: BSD-3-Clause
"""Linux as a target: first ask what the machine can do, then run the job there, then fetch what it left, however it ended."""

from __future__ import annotations

import io
import re
import secrets
import tarfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from shlex import quote

from latlab.core.errors import LatlabError, UsageError
from latlab.core.targets.linux.machine import Machine, Unreachable, last_line
from latlab.rt.targets.board_sources import Sources, before
from latlab.rt.targets.detached_job import JobState, end_job, run_detached
from latlab.rt.targets.machine_inventory import COLLECT, CPUS, cpu_list, cpu_set
from latlab.rt.targets.machine_setup import switches_on
from latlab.rt.targets.preemption import ASKED, note
from latlab.rt.targets.recorder_binary import recorder_for
from latlab.rt.targets.rt_job import ANNOUNCE, LOOK_BESIDE, MEASURING, SETTLE_S, Instrument, Workload, script

ANSWER_S = 60
LOOK_SHARE = 50
NOT_RUNNABLE = 126
RECORD = "recorder.rec"
MOST_BYTES = 2 << 30
JOB_FOLDER = re.compile(r"latlab-rt\.\w+", re.ASCII)
NO_RIGHT = "the right to write /dev/cpu_dma_latency, which forbids idle states", "run as root or use --idle-states"
NO_DEVICE = (
    "the device /dev/cpu_dma_latency, which forbids idle states: a plain file has its name",
    "remove it and make the device again with `mknod /dev/cpu_dma_latency c 10 MINOR` (MINOR: /proc/misc), or use --idle-states",
)
SURVEY = (
    "echo machine=$(uname -m)",
    "echo kernel=$(uname -r)",
    "echo version=$(uname -v)",
    "echo cpus=$(nproc)",
    f"echo online=$(cat {CPUS}/online 2>/dev/null)",
    f"echo present=$(cat {CPUS}/present 2>/dev/null)",
    "echo cyclictest=$(command -v cyclictest)",
    "echo rtla=$(command -v rtla)",
    "echo timerlat=$(grep -ow timerlat /sys/kernel/tracing/available_tracers 2>/dev/null)",
    "echo root=$(id -u)",
    "echo stress-ng=$(command -v stress-ng)",
    "echo hackbench=$(command -v hackbench)",
    "echo realtime=$(cat /sys/kernel/realtime 2>/dev/null)",
    *ASKED,
    "echo rt_runtime_us=$(cat /proc/sys/kernel/sched_rt_runtime_us 2>/dev/null)",
    "echo fifo=$(if command -v chrt >/dev/null; then chrt -f %d true 2>/dev/null && echo yes; elif [ $(id -u) = 0 ]; then echo yes; fi)",
    "echo dma_latency=$([ -w /dev/cpu_dma_latency ] && { [ -c /dev/cpu_dma_latency ] && echo yes || echo file; })",
    "echo hypervisor=$(systemd-detect-virt --vm 2>/dev/null | grep . || { grep -qw hypervisor /proc/cpuinfo && echo yes; })",
    "echo emulated=$(grep -ao linux,dummy-virt /proc/device-tree/compatible 2>/dev/null)",
    "echo boot_id=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)",
    f"echo measuring=$({MEASURING})",
)


@dataclass(frozen=True, slots=True)
class Survey:
    """What a machine says of itself before anything is started."""

    answers: dict[str, str]

    @property
    def machine(self) -> str:
        return self.answers.get("machine", "")

    @property
    def cpus(self) -> int:
        return int(self.answers.get("cpus") or 1)

    @property
    def online(self) -> frozenset[int]:
        """The CPUs that are on; those up to the number of CPUs if the kernel does not list them."""
        return cpu_set(self.answers.get("online", "")) or frozenset(range(self.cpus))

    @property
    def off(self) -> frozenset[int]:
        """The CPUs that are there and off."""
        return (cpu_set(self.answers.get("present", "")) or frozenset()) - self.online

    @property
    def boot_id(self) -> str:
        return self.answers.get("boot_id", "")

    @property
    def is_virtual(self) -> bool:
        """Under a hypervisor, or QEMU's machine without one."""
        return self.answers.get("hypervisor", "") not in ("", "none") or bool(self.answers.get("emulated"))


@dataclass(frozen=True, slots=True)
class LinuxRun:
    """`sentence` is empty if nothing went wrong. `remains`: the files could not be fetched and are still there."""

    files: dict[str, bytes]
    status: int
    sentence: str
    remains: bool = False


def survey(machine: Machine, priority: int) -> Survey:
    try:
        done = machine.run("; ".join(SURVEY) % priority, ANSWER_S)
    except Unreachable as error:
        raise UsageError(str(error)) from error
    pairs = {name: value.strip() for name, _, value in (line.partition("=") for line in done.text.splitlines())}
    if "machine" not in pairs:
        raise UsageError(f"{machine.name} gives an unexpected answer:  {done.complaint}; it must be a Linux machine with a POSIX shell")
    return Survey(pairs)


def collected(machine: Machine) -> bytes:
    """What it tells of itself, for `read_collected`; nothing if it does not answer that."""
    try:
        return machine.run(COLLECT, ANSWER_S).out
    except Unreachable:
        return b""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which parts of a workload the user has named: these are not replaced by what a machine has."""

    load: bool = True
    instrument: bool = True


@dataclass(frozen=True, slots=True)
class Fitted:
    """A workload that a machine has the programs for. `left_out` are the programs that it lacks, `packages` what brings them."""

    workload: Workload
    left_out: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Empty if nothing is left out."""
        if not self.left_out:
            return ""
        instead = [f"--instrument {self.workload.instrument}"] if "cyclictest" in self.left_out else []
        instead += [f"--load {self.workload.load}"] if {"stress-ng", "hackbench"} & {*self.left_out} else []
        names, packages = " and ".join(self.left_out), f"the package{_s(self.packages)} {' and '.join(self.packages)}"
        return f"without {names}, so this is `{' '.join(instead)}`; {packages} would bring {names}"


def fitted(machine_survey: Survey, workload: Workload, chosen: Chosen) -> Fitted:
    """What the user has not named is measured with what is there: by the recorder alone, under a load of the shell."""
    missing = missing_programs(machine_survey, workload)
    left_out = tuple(name for name in missing if not (chosen.instrument if name == "cyclictest" else chosen.load))
    if "cyclictest" in left_out:
        workload = replace(workload, instrument=Instrument.RECORDER)
    if {"stress-ng", "hackbench"} & {*left_out}:
        workload = replace(workload, load="spin")
    return Fitted(workload, left_out, packages_of(left_out))


def missing_programs(machine_survey: Survey, workload: Workload) -> tuple[str, ...]:
    """Of the load and of cyclictest, those that are not installed there."""
    programs = (*programs_of(workload.load_command), *(("cyclictest",) if workload.has_cyclictest else ()))
    return tuple(name for name in programs if not machine_survey.answers.get(name))


def programs_of(load_command: str) -> tuple[str, ...]:
    """Programs of a load that a survey asks for."""
    return tuple(word for word in load_command.split() if word in ("stress-ng", "hackbench"))


def packages_of(programs: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys({"stress-ng": "stress-ng", "rtla": "rtla"}.get(name, "rt-tests") for name in programs))


def check_survey(machine: Machine, machine_survey: Survey, workload: Workload) -> None:
    """Refuses before the start what would make the measurement fail: all of it in one sentence. Raises UsageError."""
    answers, place = machine_survey.answers, machine.name
    _check_affinity(place, machine_survey, workload.affinity)
    is_timerlat = workload.instrument is Instrument.TIMERLAT
    programs = (*missing_programs(machine_survey, workload), *(("rtla",) if is_timerlat and not answers.get("rtla") else ()))
    lacks = [*_of_programs(programs), *_of_rights(answers, workload)]
    if is_timerlat and not answers.get("timerlat"):
        lacks.append(("the timerlat tracer", "mount tracefs at /sys/kernel/tracing, or boot a kernel with CONFIG_TIMERLAT_TRACER"))
    if lacks:
        raise UsageError(f"{place} lacks {', '.join(name for name, _ in lacks)}", "; ".join(dict.fromkeys(remedy for _, remedy in lacks)))


def _check_affinity(place: str, machine_survey: Survey, affinity: tuple[int, ...]) -> None:
    lacking = [cpu for cpu in affinity if cpu not in machine_survey.online]
    if not lacking:
        return
    if lacking[0] in machine_survey.off:
        raise UsageError(f"CPU {lacking[0]} is off", f"switch it on with `{switches_on(lacking[0])}`", value=lacking[0], place=place)
    raise UsageError(f"{place} has the CPUs {cpu_list(machine_survey.online)}; --affinity names CPU {lacking[0]}", value=lacking[0])


def ready_recorder(machine_survey: Survey) -> None:
    """Builds the recorder for that machine if none is carried or cached. Raises UsageError, before there is a run, if it cannot."""
    recorder_for(machine_survey.machine)


def check_programs(machine: Machine, machine_survey: Survey, load_command: str) -> None:
    """Raises UsageError if programs of the load are not installed there."""
    missing = tuple(name for name in programs_of(load_command) if not machine_survey.answers.get(name))
    if lacks := _of_programs(missing):
        raise UsageError(f"{machine.name} lacks {', '.join(name for name, _ in lacks)}", f"{lacks[0][1]}, or choose another --load")


def _of_programs(programs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Each with the one remedy for all."""
    packages = packages_of(programs)
    remedy = f"install the package{_s(packages)} {' and '.join(packages)} there (Debian: `apt-get install {' '.join(packages)}`)"
    return [(name, remedy) for name in programs]


def _of_rights(answers: dict[str, str], workload: Workload) -> list[tuple[str, str]]:
    lacks = []
    if workload.instrument is Instrument.TIMERLAT and answers.get("root") != "0":
        lacks.append(("root's right to trace with rtla", "run as root"))
    if answers.get("fifo") != "yes":
        lacks.append((f"the right to real-time priority {workload.priority}", "run as root or give the user an rtprio limit"))
    if not workload.idle_states and answers.get("dma_latency") != "yes":
        lacks.append(NO_DEVICE if answers.get("dma_latency") == "file" else NO_RIGHT)
    return lacks


def _s(words: tuple[str, ...]) -> str:
    return "s" * (len(words) != 1)


def check_module(machine: Machine, machine_survey: Survey, smc_module: Path | None) -> None:
    """A module is built for one kernel; only that kernel can say whether it fits."""
    if smc_module is None:
        return
    if not smc_module.is_file():
        raise UsageError(
            f"--smc-module {smc_module} is not a file", "build guest/smc against the headers of the board's kernel", value=smc_module
        )
    if machine_survey.machine != "aarch64":
        raise UsageError(f"{machine.name} is {machine_survey.machine or 'of an unknown kind'}, which has no EL3", "leave out --smc-module")


def notes(machine_survey: Survey) -> list[str]:
    """What does not stop a measurement but belongs beside its figures."""
    result = list(filter(None, [note(machine_survey.answers)]))
    if machine_survey.answers.get("measuring"):
        result.append(
            f"another program measures or emulates on this machine and disturbs the measurement: {machine_survey.answers['measuring']}"
        )
    return result


@dataclass(frozen=True, slots=True)
class MachineJob:
    """What to do on a machine: files that go into the job's folder under a name, and the script by that folder."""

    programs: tuple[tuple[Path, str], ...]
    script: Callable[[str], str]
    expected_s: float
    limit_s: float


class Follower:
    """Who follows a job; this one does nothing. `folder` comes before the folder on the machine is made, `tick` at every look, `phase` and
    `record` when there is news: what the job does, and the recorder's file as it stands. `fetched` has all files before they are removed
    there. `interrupted` comes at once, before the job is stopped."""

    def folder(self, path: str) -> None:
        return

    def tick(self) -> None:
        return

    def phase(self, name: str) -> None:
        return

    def record(self, data: bytes) -> None:
        return

    def fetched(self, files: Mapping[str, bytes]) -> None:
        return

    def interrupted(self) -> None:
        return


def run_linux(
    machine: Machine,
    machine_survey: Survey,
    workload: Workload,
    smc_module: Path | None = None,
    probes: bool = True,
    follower: Follower = Follower(),  # noqa: B008 - it has no state
) -> LinuxRun:
    """Measure wake-ups."""

    def text(folder: str) -> str:
        sources = Sources(f"{folder}/{smc_module.name}" if smc_module else "", probes)
        return script(workload, f"{folder}/latlab-recorder", f"{ANNOUNCE}\n{before(sources, folder)}", LOOK_BESIDE, notes_cpus=True)

    programs = ((recorder_for(machine_survey.machine), "latlab-recorder"), *(((smc_module, smc_module.name),) if smc_module else ()))
    return run_job(machine, machine_survey, MachineJob(programs, text, _expected_s(workload), _limit_s(workload)), follower)


def run_job(machine: Machine, machine_survey: Survey, job: MachineJob, follower: Follower) -> LinuxRun:
    """A machine that goes away during the run is waited for, and what it wrote before is fetched."""
    with ExitStack() as at_end:
        folder = _made_folder(machine, follower)
        at_end.callback(_remove, machine, folder)
        for local, name in job.programs:
            machine.put(local, f"{folder}/{name}")
        places = f"OUT={folder}/out\nPHASE={folder}/phase\nmkdir -p $OUT\n"
        looked = _Looks(machine, folder, follower)
        text, times = places + job.script(folder), (job.expected_s, job.limit_s)
        end = run_detached(machine, folder, text, machine_survey.boot_id, *times, looked, follower.interrupted)
        if end.is_lost and machine.restart():
            end = replace(end, sentence=f"{end.sentence}; it was power-cycled, and the remaining files were fetched")
        try:
            files = _fetched(machine, folder)
            follower.fetched(files)
        except LatlabError as error:
            at_end.pop_all()  # the folder stays: what it holds is nowhere else
            return LinuxRun(
                {},
                end.status,
                "; ".join(filter(None, (end.sentence, f"{_without_next_step(error)}; the data are in {folder}"))),
                remains=True,
            )
        return LinuxRun(files, end.status, end.sentence or _refused(machine, end.status) or _complaint(files, end.status))


def is_job_folder(folder: str) -> bool:
    """Whether it has a name that a job's folder has. A store that somebody else wrote may name any other."""
    path = PurePosixPath(folder)
    return path.is_absolute() and ".." not in path.parts and JOB_FOLDER.fullmatch(path.name) is not None


def salvage(machine: Machine, folder: str, keep: Callable[[Mapping[str, bytes]], None]) -> LinuxRun | None:
    """What the job of a process that is gone has left there, which is ended first and then removed; None if the folder is not there.
    `keep` has the files before they are removed.

    Raises LatlabError where it cannot be fetched or kept, and leaves it there."""
    if machine.run(f"[ -d {quote(folder)} ] && [ ! -L {quote(folder)} ] && echo there", ANSWER_S).text.strip() != "there":
        return None
    status = end_job(machine, folder)
    alone = machine.run(f"cat {quote(folder)}/left-alone 2>/dev/null", ANSWER_S).text.strip()
    files = _fetched(machine, folder)
    keep(files)
    _remove(machine, folder)
    sentence = alone and f"{machine.name}: the job ended itself, because {alone}"
    return LinuxRun(files, -1 if status is None else status, sentence or ("" if status == 0 else "the job was stopped before its end"))


class _Looks:
    """At each look: the phase, and the recorder's file if reading it takes little of the machine."""

    def __init__(self, machine: Machine, folder: str, follower: Follower) -> None:
        self._machine, self._folder, self._follower = machine, folder, follower
        self._phase = ""
        self._next_s = 0.0

    def __call__(self, look: JobState) -> None:
        self._follower.tick()
        if look.phase and look.phase != self._phase:
            self._phase = look.phase
            self._follower.phase(look.phase)
        if look.phase not in ("recorder", "timerlat") or self._machine.look_every_s is None or time.monotonic() < self._next_s:
            return
        start = time.monotonic()
        with suppress(LatlabError, OSError):
            self._follower.record(self._machine.get(f"{self._folder}/out/{RECORD}"))
        end = time.monotonic()
        self._next_s = end + LOOK_SHARE * (end - start)


def _expected_s(workload: Workload) -> float:
    return SETTLE_S + workload.duration_s * (2 if workload.instrument is Instrument.BOTH else 1)


def _limit_s(workload: Workload) -> float:
    return 3 * workload.duration_s + 60


def _made_folder(machine: Machine, follower: Follower) -> str:
    folder = f"{machine.scratch}/latlab-rt.{secrets.token_hex(6)}"
    follower.folder(folder)
    done = machine.run(f"mkdir -m 700 {quote(folder)}", ANSWER_S)
    if done.status != 0:
        raise UsageError(f"no folder in {machine.scratch} can be made: {done.complaint}", place=machine.name)
    return folder


def _remove(machine: Machine, folder: str) -> None:
    with suppress(LatlabError):
        machine.run(f"rm -rf {quote(folder)}", ANSWER_S)


def _fetched(machine: Machine, folder: str) -> dict[str, bytes]:
    """Everything that is in the job's folder; a job that came to nothing has none. A disk without room for an archive gives file by file.
    Raises LatlabError."""
    packed = "mkdir -p out && { tar -czf out.tar -C out . || tar -cf out.tar -C out . || { rm -f out.tar; false; }; }"
    try:
        is_packed = machine.run(f"cd {quote(folder)} && {packed}", ANSWER_S).status == 0
        return _unpacked(machine.get(f"{folder}/out.tar")) if is_packed else _file_by_file(machine, f"{folder}/out")
    except (LatlabError, OSError, tarfile.TarError) as error:
        raise LatlabError(f"its data could not be fetched: {error}", place=machine.name) from error


def _without_next_step(error: LatlabError) -> str:
    return f"{error.place}: {error.sentence}" if error.place else error.sentence


def _file_by_file(machine: Machine, folder: str) -> dict[str, bytes]:
    listed = machine.run(f"cd {quote(folder)} && ls", ANSWER_S)
    if listed.status != 0:
        raise LatlabError(listed.complaint)
    return {name: machine.get(f"{folder}/{name}") for name in listed.text.split()}


def _unpacked(data: bytes) -> dict[str, bytes]:
    """The files of an archive, without links and devices. A sparse file is as large as its header states. Raises LatlabError."""
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        members = [member for member in tar if member.isfile()]
        if sum(member.size for member in members) > MOST_BYTES:
            raise LatlabError(f"its files have more than {MOST_BYTES >> 20} MiB")
        for member in members:
            stream = tar.extractfile(member)
            if stream:
                files[Path(member.name).name] = stream.read()
    return files


def _refused(machine: Machine, status: int) -> str:
    return f"{machine.name}: nothing in {machine.scratch} may be run; remount it there without noexec" if status == NOT_RUNNABLE else ""


def _complaint(files: dict[str, bytes], status: int) -> str:
    if status == 0:
        return ""
    names = ("cyclictest.err", "timerlat.err", "recorder.err", "meter.err", "tracing.err", "load.err")
    complaints = [last_line(files[name]) for name in names if files.get(name, b"").strip()]
    return f"the measurement ended with status {status}: {'; '.join(complaints) or 'it printed nothing'}"
