# SPDX-License-Identifier: BSD-3-Clause
"""The shell script that follows threads with the kernel's own tracing: two instances of tracefs, one for all that runs on the CPUs, one for
the system calls, page faults and kernel locks of the threads alone. Its files are in $OUT, and both instances are removed at the end.

No CPU is left out: a waking stands on the CPU of who wakes. The kernel adds a thread that a followed thread starts by itself.

The reader takes only pages that are full (`bytes` of `stats`), so that it never waits and its own work leaves few events.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from latlab.rt.readers.event_names import VECTORS
from latlab.rt.readers.live_trace import FORMATS, MACHINE, NOTES, OWN
from latlab.rt.readers.quotas import BEGIN, END
from latlab.rt.targets.machine_inventory import HEAT, HEAT_COMMAND
from latlab.rt.targets.rt_job import PROLOGUE, start_load

MACHINE_EVENTS = (
    "sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup", "sched/sched_wakeup_new", "sched/sched_migrate_task",
    "task/task_newtask", "irq/irq_handler_entry", "irq/irq_handler_exit", "irq/softirq_entry", "irq/softirq_exit", "power/cpu_idle",
    "power/cpu_frequency", "ipi/ipi_entry", "ipi/ipi_exit",
    *(f"irq_vectors/{vector}_{way}" for vector in VECTORS if vector != "ipi" for way in ("entry", "exit")),
)  # fmt: skip
OWN_EVENTS = ("exceptions/page_fault_user", "exceptions/page_fault_kernel", "lock/contention_begin", "lock/contention_end")
CALLS = "syscalls"
"""The group of all system calls, of the threads alone."""
INSTANCES = "latlab-"
LOOK_EVERY_S = 0.5
MOST_BYTES = 192 << 20
"""Of a trace. Reading it takes some 15 times of memory."""
FEWEST_PAGES = 16
"""Fewer full pages stay in the kernel until the next look."""
FULL, NO_THREAD, NO_INSTANCE = 28, 5, 6
"""How the job ends if it could not go on; the notes have the reason."""
COMMAND_OUT, COMMAND_ERR = "command.out", "command.err"


@dataclass(frozen=True, slots=True)
class Followed:
    """What is followed: whole processes, single threads, control groups by their folders, or a command that is started. One of the four."""

    processes: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadWork:
    """`tracing` is where tracefs is mounted, `buffer_kib` the kernel's buffer of each CPU."""

    followed: Followed
    duration_s: int
    tracing: str
    buffer_kib: int
    load_command: str = ""


def script(work: ThreadWork, folder: str) -> str:
    followed, name = work.followed, INSTANCES + folder.rpartition(".")[2]
    start = [START_COMMAND, f"start_command {' '.join(map(quote, followed.command))}"] if followed.command else ["follow_threads"]
    steps = [
        PROLOGUE,
        f"T={quote(work.tracing)}",
        f"MACHINE=$T/instances/{name}",
        f"OWN=$T/instances/{name}-own",
        f"BUFFER={work.buffer_kib}",
        FUNCTIONS,
        _lists(followed),
        remove_left("$T", "note removed"),
        "make_instances",
        *start_load(work.load_command),
        f"note_throttled {BEGIN}",
        "note_cpu_time",
        "phase tracing",
        "echo 1 >$MACHINE/tracing_on",
        *start,
        "hundredths",
        f"ends=$((now + {100 * work.duration_s}))",
        *(["note any"] if followed.groups else []),
        LOOP,
        "note_cpu_time",
        "phase collecting",
        "end_all",
        f"{HEAT_COMMAND} >$OUT/{HEAT}",
        "exit $status",
        "",
    ]
    return "\n".join(steps)


def remove_left(tracing: str, tell: str) -> str:
    """Removes each instance whose job is gone, and tells its name by the command `tell`."""
    return f"""\
for left in {tracing}/instances/{INSTANCES}*; do
    [ -d "$left" ] || continue
    {is_left("$left")} || continue
    echo 0 >"$left/tracing_on"
    rmdir "$left" && {tell} "${{left##*/}}"
done 2>/dev/null"""


def is_left(instance: str) -> str:
    """A condition: no process has the mark of the job that made the instance."""
    token = f'token=${{left##*/{INSTANCES}}}; grep -qs "LATLAB_JOB=.*latlab-rt[.]${{token%-own}}" /proc/[0-9]*/environ'
    return f"! {{ {token}; }}".replace("$left", instance)


def _lists(followed: Followed) -> str:
    """The shell function that prints the numbers of the threads as they are now."""
    lines = [f"[ -e /proc/{tid} ] && echo {tid}" for tid in followed.threads]
    lines += [f"ls /proc/{pid}/task" for pid in followed.processes]
    lines += [
        f"find {quote(group)} -name cgroup.procs -exec cat {{}} + | while read -r pid; do ls /proc/$pid/task; done"
        for group in followed.groups
    ]
    return "\n".join(["list_threads() {", *(f"    {line} 2>/dev/null" for line in lines), "    true", "}"])


FUNCTIONS = f"""\
command=
hundredths() {{
    read -r now _ </proc/uptime
    now=${{now%.*}}${{now#*.}}
}}
note() {{
    echo "$*" >>$OUT/{NOTES}
}}
fails() {{
    note "failed $2"
    echo "$2" >$OUT/tracing.err
    exit $1
}}
enable() {{
    [ -w "$1/events/$2/enable" ] && echo 1 >"$1/events/$2/enable" 2>/dev/null || return
    cat "$1/events/$2/format" >>$OUT/{FORMATS} && note event "$2"
}}
make_instance() {{
    mkdir "$1" 2>$OUT/tracing.err || fails {NO_INSTANCE} "$(tail -n 1 $OUT/tracing.err)"
    echo 0 >"$1/tracing_on"
    {{ echo mono >"$1/trace_clock" && echo $BUFFER >"$1/buffer_size_kb"; }} 2>$OUT/tracing.err ||
        fails {NO_INSTANCE} "$(tail -n 1 $OUT/tracing.err)"
    echo 1 >"$1/options/overwrite"
}}
make_instances() {{
    trap 'remove_instances' EXIT
    make_instance $MACHINE
    make_instance $OWN
    echo 1 >$OWN/options/event-fork
    cat $T/events/header_page >>$OUT/{FORMATS}
    for event in {" ".join(MACHINE_EVENTS)}; do enable $MACHINE $event; done
    for event in {" ".join(OWN_EVENTS)}; do enable $OWN $event; done
    if [ -d $T/events/{CALLS} ] && echo 1 >$OWN/events/{CALLS}/enable; then
        note event {CALLS}
        for call in $T/events/{CALLS}/sys_*; do
            read -r number <$call/id && echo "call $number ${{call##*/}}"
        done >>$OUT/{NOTES}
    fi 2>/dev/null
    page=$(sed -n 's/.*field: char data;.*offset:\\([0-9]*\\);.*size:\\([0-9]*\\);.*/$((\\1 + \\2))/p' $T/events/header_page)
    page=$(eval "echo $page")
    read -r least <$OWN/buffer_size_kb
    note "buffer_kib $least"
    least={FEWEST_PAGES}
}}
follow_threads() {{
    list_threads >$OUT/threads.txt
    [ -s $OUT/threads.txt ] || fails {NO_THREAD} "the threads ended before they could be followed"
    cat $OUT/threads.txt >$OWN/set_event_pid 2>/dev/null
    echo 1 >$OWN/tracing_on
    list_threads >>$OUT/threads.txt
    cat $OUT/threads.txt >>$OWN/set_event_pid 2>/dev/null
    sort -un $OUT/threads.txt | sed 's/^/thread /' >>$OUT/{NOTES}
}}
is_there() {{
    [ -z "$command" ] || {{ kill -0 $command 2>/dev/null; return; }}
    for thread in $(list_threads); do
        [ -e /proc/$thread ] && return
    done
    return 1
}}
is_full() {{
    full=$(head -n 1 $OUT/dd.err)
    full=${{full:-no space for the pages}}
}}
drain() {{
    for cpu in $1/per_cpu/cpu*; do
        bytes=0
        while read -r name value _; do
            [ "$name" = bytes: ] && bytes=$value
        done <$cpu/stats
        pages=$((bytes / (page - 16)))
        [ $pages -ge $least ] || continue
        [ $pages -le $((BUFFER * 1024 / page)) ] || pages=1
        dd if=$cpu/trace_pipe_raw bs=$page count=$pages 2>$OUT/dd.err >>$OUT/$2-${{cpu##*/}}.raw || is_full
        taken=$((taken + pages * page))
    done
}}
drain_last() {{
    for cpu in $1/per_cpu/cpu*; do
        while [ -z "$full" ]; do
            entries=0
            while read -r name value _; do
                [ "$name" = entries: ] && entries=$value
            done <$cpu/stats
            [ $entries -gt 0 ] || break
            dd if=$cpu/trace_pipe_raw bs=$page count=1 2>$OUT/dd.err >>$OUT/$2-${{cpu##*/}}.raw || is_full
        done
        sed "s/^/stats $2 ${{cpu##*/}} /" $cpu/stats >>$OUT/{NOTES}
    done
}}
note_throttled() {{
    find /sys/fs/cgroup -name cpu.stat -exec grep -sHE '^(nr_throttled|throttled_(usec|time)) [1-9]' {{}} + 2>/dev/null |
        sed "s/^/throttled $1 /" >>$OUT/{NOTES}
}}
look_at_groups() {{
    for thread in $(cat $OWN/set_event_pid); do
        grep -sHE '^[0-9]+:([^:]*,)?cpu(,[^:]*)?:|^0::' /proc/$thread/cgroup
    done 2>/dev/null >>$OUT/groups.txt
}}
end_command() {{
    [ -n "$command" ] || return
    if kill -0 $command 2>/dev/null; then
        note "command_ended by latlab"
        kill -TERM -$command 2>/dev/null
        await_end $command
        kill -KILL -$command 2>/dev/null
    fi
    wait $command
    code=$?
    note "command_status $code"
    case $code in 126 | 127) note "unstarted $(tail -n 1 $OUT/{COMMAND_ERR})" ;; esac
    command=
}}
end_tracing() {{
    [ -d $MACHINE ] && [ -d $OWN ] || return
    echo 0 >$MACHINE/tracing_on
    echo 0 >$OWN/tracing_on
    note_throttled {END} && note "quotas read"
    look_at_groups
    sort -u $OUT/groups.txt | sed 's/^/group /' >>$OUT/{NOTES}
    least=1
    for round in 1 2; do
        [ -n "$full" ] || drain $MACHINE {MACHINE}
        [ -n "$full" ] || drain $OWN {OWN}
    done
    drain_last $MACHINE {MACHINE}
    drain_last $OWN {OWN}
}}
remove_instances() {{
    for instance in $OWN $MACHINE; do
        [ -d $instance ] && echo 0 >$instance/tracing_on && rmdir $instance
    done 2>/dev/null
}}
end_all() {{
    trap '' HUP INT TERM
    end_tracing
    end_command
    remove_instances
    check_load
    stop_load
}}
stop_all() {{
    note "stopped"
    end_all
    exit 143
}}
taken=0
full=
trap stop_all HUP INT TERM"""

START_COMMAND = f"""\
start_command() {{
    setsid sh -c 'own=$1; shift; echo $$ >$own/set_event_pid && echo 1 >$own/tracing_on && exec "$@"' \\
        latlab $OWN "$@" >$OUT/{COMMAND_OUT} 2>$OUT/{COMMAND_ERR} </dev/null &
    command=$!
    note "root $command"
}}"""

LOOP = f"""\
looks=0
while is_there; do
    sleep {LOOK_EVERY_S}
    looks=$((looks + 1))
    [ $((looks & (looks - 1))) -ne 0 ] || look_at_groups
    drain $MACHINE {MACHINE}
    drain $OWN {OWN}
    if [ -n "$full" ]; then
        rm -f $OUT/../reserve
        note "full $full"
        break
    fi
    if [ $taken -ge {MOST_BYTES} ]; then
        note "most {MOST_BYTES}"
        break
    fi
    hundredths
    [ $now -lt $ends ] || break
done
is_there || note ended"""
