# SPDX-License-Identifier: BSD-3-Clause
"""The shell script that measures: the same in the guest, on this machine and over SSH. Its files are in $OUT, nothing is left running."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from shlex import quote

from latlab.core.errors import UsageError
from latlab.rt.readers.thread_cpus import THREAD_CPUS
from latlab.rt.targets import timerlat_job
from latlab.rt.targets.machine_inventory import COLLECT, COLLECTED, HEAT, HEAT_COMMAND

HISTOGRAM_US = 400
KERNEL_EVENTS = "kernel-events.bin"
OUTSIDE_COUNTS = "outside-counts.txt"
LOADS = {
    "cpu": "stress-ng --cpu-method=all -c 4",
    "hackbench": "hackbench -g 4 -l 1000000000",
    "memory": "stress-ng --vm 2 --vm-bytes 64M",
    "syscalls": "stress-ng --get 4",
    "hwrng": "cat /dev/hwrng",
    "spin": "for n in 1 2 3 4; do while :; do :; done & done; wait",
    "idle": "",
}
"""By name. `spin` needs no program but the shell."""
SETTLE_S = 1
LOAD_WORK = "load.yaml"
STRESS_NG = re.compile(r"(?<!\S)(?:\S*/)?stress-ng(?=\s)")
SHELL_WORDS = ";|&<>$`()\n"
MEASURING = (
    "cat /proc/[0-9]*/comm 2>/dev/null | grep -E '^(latlab-recorder|latlab-steal|cyclictest|qemu-system-.*|rtla|jitterdebugger)$'"
    " | sort | uniq -c | sed 's/^ *//' | tr '\\n' ',' | sed 's/,$//; s/,/, /g'"
)


BESIDE = "beside.txt"
ANNOUNCE = f"""\
for folder in "${{OUT%/*/out}}"/latlab-rt.*; do
    if [ "$folder/out" != "$OUT" ] && [ -w "$folder/out" ] && [ ! -e "$folder/status" ]; then
        echo 'another latlab run began' >>"$folder/out/{BESIDE}"
    fi
done"""
"""A job says in the folders of the jobs that run beside it that it begins: they would not notice one that ends before them."""
LOOK_BESIDE = f'others=$({MEASURING}); [ -z "$others" ] || echo "$others" >>$OUT/{BESIDE}'


def command_of(load: str) -> str:
    """The command of a load by name, or the command that it is. Raises UsageError."""
    if load in LOADS:
        return LOADS[load]
    if not re.search(r"[\s/]", load.strip()):
        raise UsageError(f"--load {load} is not known", f"use one of {', '.join(LOADS)}, or a command with its options", value=load)
    return load.strip()


class RngNode(StrEnum):
    """Where the kernel's hardware random numbers come from, as a device tree would name it."""

    FIRMWARE = "firmware"
    """TRNG_RND of EL3: a fast call."""
    OPTEE = "optee"
    """OP-TEE's pseudo application: a yielding call."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Drivers:
    """What the guest loads. `optee`: that of OP-TEE itself. `quality`: of the hwrng core, in 1/1024 bits a bit, None for the driver's."""

    rng: RngNode = RngNode.FIRMWARE
    optee: bool = False
    quality: int | None = None

    @property
    def steps(self) -> list[str]:
        modules = ["tee", "optee"] if self.optee else []
        modules += {RngNode.FIRMWARE: ["arm_smccc_trng"], RngNode.OPTEE: ["optee-rng"], RngNode.NONE: []}[self.rng]
        insert_steps = [f"insmod /modules/{name}.ko || exit 3" for name in modules]
        return (
            insert_steps
            if self.quality is None
            else [*insert_steps, f"echo {self.quality} >/sys/module/rng_core/parameters/current_quality || exit 3"]
        )


USUAL_DRIVERS = Drivers()


class Instrument(StrEnum):
    BOTH = "both"
    RECORDER = "recorder"
    CYCLICTEST = "cyclictest"
    TIMERLAT = "timerlat"
    """The kernel's timerlat tracer, by rtla; with `causes` the recorder at the same time."""


@dataclass(frozen=True, slots=True)
class Workload:
    """What is measured, and under which conditions. `load` is one by name, or any command. `idle_states` leaves /dev/cpu_dma_latency alone.
    `causes`: what the kernel and the firmware do until each late wake-up is kept. `affinity` are the CPUs with a measuring thread each,
    empty for all."""

    duration_s: int
    load: str = "cpu"
    instrument: Instrument = Instrument.BOTH
    interval_us: int = 200
    priority: int = 80
    outlier_us: int = 100
    idle_states: bool = False
    causes: bool = False
    affinity: tuple[int, ...] = ()

    @property
    def cyclictest(self) -> str:
        """The published command line; its defaults are the reference's."""
        latency = "--default-system " if self.idle_states else ""
        threads = f"-t{len(self.affinity)} -a{self._cpus} -p{self.priority} -d0" if self.affinity else f"-Sp{self.priority}"
        return f"cyclictest {latency}-m {threads} -D{self.duration_s} -h{HISTOGRAM_US} -i{self.interval_us} -M -q"

    @property
    def rtla(self) -> str:
        """Without what ends it."""
        return timerlat_job.command(self.interval_us, self.priority, self._cpus, self.idle_states, HISTOGRAM_US)

    @property
    def commands(self) -> tuple[str, ...]:
        """As they are published."""
        load = (f"{self.load_command} &",) if self.load_command else ()
        cyclictest = (self.cyclictest,) if self.has_cyclictest else ()
        until = timerlat_job.until_late(self.outlier_us)
        timerlat = (f"{self.rtla} -d {self.duration_s} {until}",) if self.instrument is Instrument.TIMERLAT else ()
        recorder = (self.recorder("latlab-recorder", shares=False),) if self.has_recorder else ()
        tools = (*recorder, *cyclictest) if self.causes else (*cyclictest, *recorder)
        return (*load, *timerlat, *tools)

    @property
    def has_cyclictest(self) -> bool:
        return self.instrument in (Instrument.BOTH, Instrument.CYCLICTEST)

    @property
    def has_recorder(self) -> bool:
        return self.instrument in (Instrument.BOTH, Instrument.RECORDER) or (self.instrument is Instrument.TIMERLAT and self.causes)

    @property
    def _cpus(self) -> str:
        return ",".join(map(str, self.affinity))

    @property
    def load_command(self) -> str:
        return command_of(self.load)

    def recorder(self, program: str, shares: bool = True) -> str:
        """`shares`: it also keeps its file in the memory that $SHARED names, if it names one."""
        idle = " -I" if self.idle_states else ""
        cpus = f" -a {self._cpus}" if self.affinity else ""
        causes = f" -k $OUT/{KERNEL_EVENTS}" if self.causes else ""
        times = f"-D {self.duration_s} -i {self.interval_us} -p {self.priority} -t {self.outlier_us}"
        options = f"{times}{cpus}{causes} -c $OUT/{OUTSIDE_COUNTS}{idle}"
        return f"{quote(program)} -o $OUT/recorder.rec {options}{' ${SHARED:+-m $SHARED}' if shares else ''}"


def script(workload: Workload, recorder: str, before: str = "", after: str = "", notes_cpus: bool = False) -> str:
    """`before` and `after` are the target's own steps; the exit status is the first that was not 0. `notes_cpus`: shortly before cyclictest
    ends, the affinities of its threads are kept."""
    steps = [PROLOGUE, *([NOTING] if notes_cpus else []), before, "phase settling", *start_load(workload.load_command), "note_cpu_time"]
    if workload.instrument is Instrument.TIMERLAT:
        beside = workload.recorder(recorder) if workload.has_recorder else ""
        steps += timerlat_job.steps(workload.rtla, timerlat_job.until_late(workload.outlier_us), workload.duration_s, beside)
    runs = f"run_noting_cpus {max(workload.duration_s - 1, 0)}" if notes_cpus else "run"
    cyclictest = ["phase cyclictest", f"{runs} {workload.cyclictest} >$OUT/cyclictest.txt 2>$OUT/cyclictest.err"] * workload.has_cyclictest
    alone = workload.instrument in (Instrument.BOTH, Instrument.RECORDER)
    recorded = ["phase recorder", f"run {workload.recorder(recorder)} 2>$OUT/recorder.err"] * alone
    steps += [*recorded, *cyclictest] if workload.causes else [*cyclictest, *recorded]
    steps += ["note_cpu_time", f"{HEAT_COMMAND} >$OUT/{HEAT}", "phase collecting", "check_load", "stop_load", after, "exit $status", ""]
    return "\n".join(steps)


PROLOGUE = """\
status=0
load=
counts=
phase() {
    [ -z "$PHASE" ] || echo "<LLG1:PHASE name=$1>" >"$PHASE"
}
await_end() {
    n=0
    while kill -0 "$1" 2>/dev/null && [ $n -lt 100 ]; do
        sleep 0.1
        n=$((n + 1))
    done
}
stop_load() {
    [ -z "$load" ] && return
    if [ -n "$counts" ]; then
        kill -TERM "$load" 2>/dev/null
        await_end "$load"
    fi
    kill -TERM -"$load" 2>/dev/null
    sleep 0.2
    kill -KILL -"$load" 2>/dev/null
    wait "$load" 2>/dev/null
    await_end -"$load"
    load=
}
check_load() {
    [ -z "$load" ] || kill -0 "$load" 2>/dev/null && return
    echo "the load had ended before the measurement did" | tee -a $OUT/load.err
    [ "$status" -ne 0 ] || status=4
}
note_cpu_time() {
    head -n 1 /proc/stat >>$OUT/cpu-time.txt
}
measuring=
beside=
quit=TERM
stop_all() {
    [ -n "$measuring" ] && kill -$quit "$measuring" 2>/dev/null && wait "$measuring"
    [ -n "$beside" ] && kill -TERM "$beside" 2>/dev/null && wait "$beside"
    [ $quit = TERM ] || end_tracer
    stop_load
    exit 143
}
trap stop_all HUP INT TERM
run() {
    "$@" &
    measuring=$!
    join_measuring
}
join_measuring() {
    wait "$measuring"
    code=$?
    measuring=
    [ "$status" -ne 0 ] || status=$code
}
join_beside() {
    wait "$beside"
    code=$?
    beside=
    [ "$status" -ne 0 ] || status=$code
}"""

NOTING = f"""\
note_cpus() {{
    sleep "$1"
    grep -sH '^Cpus_allowed_list:' /proc/"$2"/task/*/status >$OUT/{THREAD_CPUS}
}}
run_noting_cpus() {{
    seconds=$1
    shift
    "$@" &
    measuring=$!
    note_cpus "$seconds" "$measuring" 2>/dev/null &
    join_measuring
}}"""


def start_load(command: str) -> list[str]:
    """stress-ng says at its end how much it did, if it gets the time; so it is asked to where nothing stands between it and the job."""
    if not command:
        return []
    counting = STRESS_NG.sub(rf"\g<0> --metrics --yaml $OUT/{LOAD_WORK}", command, count=1)
    is_simple = not set(command) & set(SHELL_WORDS)
    started = f"setsid {counting}" if is_simple else f"setsid sh -c {quote(command)}"
    counts = ["counts=yes"] if is_simple and counting != command else []
    return [*counts, f"{started} >/dev/null 2>$OUT/load.err &", "load=$!", f"sleep {SETTLE_S}"]


GUEST_TRACE = """\
T=/sys/kernel/tracing
echo mono >$T/trace_clock
{
    echo 'p:latlab/crng_reseed crng_reseed'
    echo 'r:latlab/crng_reseed_done crng_reseed'
} >$T/kprobe_events
for read in smccc_trng_read optee_rng_read; do
    grep -q " $read" /proc/kallsyms || continue
    echo "p:latlab/hwrng $read" >>$T/kprobe_events
    echo "r:latlab/hwrng_done $read" >>$T/kprobe_events
done
echo stacktrace >$T/events/latlab/crng_reseed/trigger
echo 1 >$T/events/latlab/enable"""

GUEST_SHARED = """\
SHARED=
for device in /sys/bus/pci/devices/*; do
    [ "$(cat $device/vendor $device/device 2>/dev/null | tr '\\n' ' ')" = "0x1af4 0x1110 " ] || continue
    echo 1 >$device/enable && SHARED=$device/resource2_wc
done"""

READ_EVERY_S = 1
INSERT_RINGS = """\
if [ -e /modules/latlab_smi.ko ]; then
    insmod /modules/latlab_smi.ko || exit 3
else
    insmod /modules/latlab_el3.ko || echo 'no rings are read: the firmware is not our own, or the guest was built without its module'
fi"""
GUEST_RINGS = """\
E=/proc/latlab_el3
if [ -e $E/info ]; then
    cat $E/info >$OUT/el3-info.txt
    grep ^core $E/new_records >$OUT/el3-records.txt
fi
read_rings() {
    [ -e $E/info ] || return
    echo read >>$OUT/el3-records.txt
    cat $E/new_records >>$OUT/el3-records.txt
}"""
GUEST_READER = f"""\
echo >/tmp/reading
while [ -e /tmp/reading ]; do
    sleep {READ_EVERY_S}
    read_rings
done &
reader=$!"""
GUEST_COLLECT = f"""\
rm -f /tmp/reading
[ -n "$reader" ] && wait "$reader"
read_rings
[ -n "$T" ] && cat $T/trace >$OUT/ftrace.txt
{COLLECT} >$OUT/{COLLECTED}"""


def guest_script(workload: Workload, drivers: Drivers = Drivers(), hold_us: int | None = None, trace: bool = True) -> str:
    """In the guest: the module that reads the rings, the drivers, the probes, and the delay that the firmware injects. With idle states
    every wake-up leaves several records, so the rings are read during the measurement."""
    before = ["OUT=/out", "PHASE=/dev/console", GUEST_SHARED, INSERT_RINGS, *drivers.steps]
    if trace:
        before.append(GUEST_TRACE)
    if hold_us is not None:
        before.append(f"echo {hold_us * 1000} >/proc/latlab_el3/trng_hold_ns || exit 3")
    before.append(GUEST_RINGS)
    if workload.idle_states:
        before.append(GUEST_READER)
    return script(workload, "/bin/latlab-recorder", "\n".join(before), GUEST_COLLECT)
