# SPDX-License-Identifier: BSD-3-Clause
"""The shell script of power cycles: CPUs off and on in turn, then suspends, each step timed. Its files are in $OUT.

A CPU that does not come back is left out of the cycles that follow, and is tried once more at the end. However the script ends, the CPUs
that it took off are brought back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from shlex import quote

from latlab.rt.targets.machine_inventory import HEAT, HEAT_COMMAND
from latlab.rt.targets.rt_job import INSERT_RINGS, PROLOGUE, command_of, start_load

READ_EVERY = 9
NOT_BEGUN = 5
STEPS = "steps.txt"
RINGS = "el3-power.txt"
REFUSED = "refused.txt"
"""Sentences of the job: why it did not begin, or had no module."""
AGAIN = "latlab: lost CPUs are tried once more"
"""In the kernel's log: what it prints after this is of another attempt."""


@dataclass(frozen=True, slots=True)
class PowerCycle:
    """`cycles` are over all CPUs in turn, `cpus` those to take off, empty for all that can be except CPU 0. The alarm leaves a slow host
    enough time: one that goes off while a suspend is only beginning aborts it."""

    cycles: int
    suspends: int
    load: str = "idle"
    cpus: tuple[int, ...] = ()
    alarm_s: int = 5

    @property
    def load_command(self) -> str:
        return command_of(self.load)


def script(power: PowerCycle, timed_write: str, before: str, after: str = "") -> str:
    """`before` and `after` are the target's own steps. The rings are read often enough to hold every cycle."""
    body = POWER.format(
        step=quote(timed_write),
        chosen=" ".join(map(str, power.cpus)),
        cycles=power.cycles,
        suspends=power.suspends,
        alarm_s=power.alarm_s,
        read_every=READ_EVERY,
        steps=STEPS,
        rings=RINGS,
        again=AGAIN,
        refused=REFUSED,
        not_begun=NOT_BEGUN,
    )
    return "\n".join(
        [PROLOGUE, before, BEGIN.format(steps=STEPS), *_load(power), body, "check_load", "stop_load", after, "exit $status", ""]
    )


def guest_script(power: PowerCycle) -> str:
    """In the guest the steps are on the console too: what a guest that hangs has in its files is lost."""
    before = "\n".join(["OUT=/out", "PHASE=/dev/console", "CONSOLE=/dev/console", INSERT_RINGS])
    return script(power, "/bin/latlab-timed-write", before)


def linux_script(power: PowerCycle, folder: str, smc_module: str = "") -> str:
    before = "\n".join(["PATH=$PATH:/usr/sbin:/sbin", "CONSOLE=", ALONE, f"MODULE={quote(smc_module)}", INSERT_MODULE, MARK_LOG])
    after = "\n".join([f"{HEAT_COMMAND} >$OUT/{HEAT}", TAKE_LOG, '[ -z "$inserted" ] || rmmod latlab_el3'])
    return script(power, f"{folder}/latlab-timed-write", before, after)


def _load(power: PowerCycle) -> Iterator[str]:
    command = power.load_command
    if command:
        yield "phase settling"
        yield from start_load(command)


INSERT_MODULE = f"""\
inserted=
if [ ! -e /proc/latlab_el3/info ] && [ -n "$MODULE" ]; then
    insmod $MODULE 2>$OUT/insmod.err && inserted=yes || echo "the module was not loaded: $(tail -n 1 $OUT/insmod.err)" >$OUT/{REFUSED}
fi"""

ALONE = f"""\
LOCK=/run/latlab-power.lock
if [ -w ${{LOCK%/*}} ] && command -v flock >/dev/null; then
    exec 9>$LOCK
    flock -n 9 || {{ echo "another run takes CPUs of this machine off; wait for its end" >$OUT/{REFUSED}; exit {NOT_BEGUN}; }}
fi"""

MARK_LOG = """\
mark="latlab: power cycles begin, job $$"
echo "$mark" >/dev/kmsg 2>/dev/null"""

TAKE_LOG = """\
dmesg >$OUT/kernel.log 2>/dev/null
if grep -qF "$mark" $OUT/kernel.log; then
    sed -n "/$mark/,\\$p" $OUT/kernel.log | sed 1d >$OUT/kernel.new && mv $OUT/kernel.new $OUT/kernel.log
fi"""

BEGIN = """\
S=/sys/devices/system/cpu
cpus=
lost=
switch() {{
    name=online
    [ "$2" = 1 ] || name=offline
    [ -z "$CONSOLE" ] || echo "<LLG1:STEP $name cpu=$1>" >$CONSOLE
    $STEP $OUT/{steps} "$name cpu=$1" $S/cpu$1/online $2
}}
bring_back() {{
    for cpu in $cpus; do
        [ "$(cat $S/cpu$cpu/online)" = 0 ] && switch $cpu 1
    done
}}
stop_power() {{
    stop_load
    bring_back
    exit 143
}}
trap stop_power HUP INT TERM"""

POWER = """\
STEP={step}
E=/proc/latlab_el3
[ ! -e $E/info ] || cat $E/info >$OUT/el3-info.txt
read_rings() {{
    [ -e $E/info ] || return 0
    echo read >>$OUT/{rings}
    cat $E/new_records >>$OUT/{rings}
}}
chosen="{chosen}"
for cpu in ${{chosen:-$(ls -d $S/cpu[1-9]* | sed 's/.*cpu//' | sort -n)}}; do
    [ ! -e $S/cpu$cpu/online ] || [ "$(cat $S/cpu$cpu/online)" = 0 ] || cpus="$cpus $cpu"
done
[ -n "$cpus" ] || {{ echo "no CPU is on that may be taken off" >$OUT/{refused}; status={not_begun}; }}
phase "hotplug:0/{cycles}"
n=0
while [ $n -lt {cycles} ]; do
    turn=
    for cpu in $cpus; do
        case " $lost " in *" $cpu "*) continue ;; esac
        [ $n -lt {cycles} ] || break
        turn=yes
        switch $cpu 0 && switch $cpu 1 || {{ lost="$lost $cpu"; status=1; }}
        n=$((n + 1))
        [ $((n % {read_every})) -ne 0 ] || {{ read_rings; phase "hotplug:$n/{cycles}"; }}
    done
    [ -n "$turn" ] || break
done
echo "{again}" >/dev/kmsg 2>/dev/null
bring_back
echo "hotplug_cycles=$n online=$(cat $S/online)"
read_rings
if [ {suspends} -gt 0 ]; then
    echo deep >/sys/power/mem_sleep
    echo "mem_sleep=$(cat /sys/power/mem_sleep)"
fi
n=0
while [ $n -lt {suspends} ]; do
    phase "suspend:$((n + 1))/{suspends}"
    echo 0 >/sys/class/rtc/rtc0/wakealarm
    echo +{alarm_s} >/sys/class/rtc/rtc0/wakealarm
    [ -z "$CONSOLE" ] || echo "<LLG1:STEP suspend>" >$CONSOLE
    $STEP $OUT/{steps} suspend /sys/power/state mem || status=1
    n=$((n + 1))
    read_rings
done
[ {suspends} -eq 0 ] || echo "suspends=$n success=$(cat /sys/power/suspend_stats/success) fail=$(cat /sys/power/suspend_stats/fail)"
"""
