# SPDX-License-Identifier: BSD-3-Clause
"""What the job on a board reads besides the wake-ups, to find their causes: the firmware's rings and the kernel's probes.

A source that is missing affects no other, and the job records which were there and why the others were not. What is
set up is removed again however the script ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote

SAID = "sources.txt"
RINGS_EVERY_S = 1


@dataclass(frozen=True, slots=True)
class Sources:
    """`smc_module` is the module's place on the board, empty if none was given; one that is already loaded is used."""

    smc_module: str = ""
    probes: bool = True


def before(sources: Sources, folder: str) -> str:
    """The steps in front of the load and the measurement."""
    steps = [PATHS, f"MODULE={quote(sources.smc_module)}", f"WORK={quote(folder)}", RINGS]
    steps.append(PROBES if sources.probes else "no_source 'kernel probes' 'switched off by --no-probes'")
    return "\n".join([*steps, FINISH])


def source_facts(files: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """What the job recorded of its sources."""
    lines = files.get(SAID, b"").decode("utf-8", "replace").splitlines()
    return tuple((name, value) for name, _, value in (line.partition("=") for line in lines) if value)


PATHS = f"""\
PATH=$PATH:/usr/sbin:/sbin
source_is() {{ echo "$1=$2" >>$OUT/{SAID}; }}
no_source() {{ source_is "$1" "not read: $2"; }}"""

RINGS = f"""\
E=/proc/latlab_el3
inserted=
reader=
if [ ! -e $E/info ] && [ -n "$MODULE" ]; then
    insmod $MODULE 2>$OUT/insmod.err && inserted=yes
fi
read_rings() {{
    echo read
    cat $E/new_records
}}
if [ -r $E/new_records ]; then
    cat $E/info >$OUT/el3-info.txt
    grep ^core $E/new_records >$OUT/el3-records.txt
    while [ ! -e $WORK/rings.stop ]; do
        sleep {RINGS_EVERY_S}
        read_rings >>$OUT/el3-records.txt
    done &
    reader=$!
    source_is 'EL3 rings' 'read every {RINGS_EVERY_S} s'
elif [ -e $E/info ]; then
    no_source 'EL3 rings' "$E cannot be read, which needs root"
elif [ -n "$MODULE" ]; then
    no_source 'EL3 rings' "the module was not loaded: $(tail -n 1 $OUT/insmod.err)"
else
    no_source 'EL3 rings' "the module is not loaded and --smc-module was not given"
fi"""

PROBES = """\
T=
I=
probes=
for place in /sys/kernel/tracing /sys/kernel/debug/tracing; do
    [ -n "$T" ] || [ ! -w $place/kprobe_events ] || T=$place
done
probe() {
    grep -qw "$2" /proc/kallsyms || return
    echo "p:latlab/$1 $2" >>$T/kprobe_events && echo "r:latlab/$1_done $2" >>$T/kprobe_events && probes="$probes $1"
}
if [ -z "$T" ]; then
    no_source 'kernel probes' 'tracefs has no kprobe_events that can be written'
elif ! mkdir $T/instances/latlab 2>$OUT/tracefs.err; then
    no_source 'kernel probes' "$T/instances/latlab exists already or cannot be made: $(tail -n 1 $OUT/tracefs.err)"
else
    I=$T/instances/latlab
    echo mono >$I/trace_clock
    probe crng_reseed crng_reseed
    probe hwrng smccc_trng_read
    [ ! -e $I/events/latlab/crng_reseed/trigger ] || echo stacktrace >$I/events/latlab/crng_reseed/trigger
    [ -z "$probes" ] || echo 1 >$I/events/latlab/enable
    [ -n "$probes" ] && source_is 'kernel probes' "${probes# }" || no_source 'kernel probes' 'none of the functions can be probed'
fi"""

FINISH = """\
finish() {
    if [ -n "$reader" ]; then
        : >$WORK/rings.stop
        wait $reader
        read_rings >>$OUT/el3-records.txt
    fi
    [ -z "$inserted" ] || rmmod latlab_el3
    [ -n "$I" ] || return
    [ ! -e $I/events/latlab/enable ] || echo 0 >$I/events/latlab/enable
    cat $I/trace >$OUT/ftrace.txt
    rmdir $I
    for name in $probes; do
        echo "-:latlab/$name" >>$T/kprobe_events
        echo "-:latlab/${name}_done" >>$T/kprobe_events
    done
}
trap finish EXIT"""
