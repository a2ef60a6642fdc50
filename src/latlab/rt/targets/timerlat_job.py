# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a job that measure with the kernel's timerlat tracer: rtla again and again, each time until a latency above the threshold
stops it, so that it analyses every one. The recorder may run beside it."""

from __future__ import annotations

from shlex import quote

TIMERLAT_LOG = "timerlat.txt"
TIMERLAT_TRACE = "timerlat.trace"
MOST_ANALYSES = 200
"""After so many rtla measures on without a threshold."""
LINES_OF_TRACE = 256
STOPPED = 2
"""How a newer rtla ends whose threshold was hit."""
SHORTEST_US, LONGEST_US = 100, 1_000_000
"""Periods that the tracer takes."""

FUNCTIONS = """\
uptime_s() {
    cut -d. -f1 /proc/uptime
}
note_clocks() {
    echo "== clocks"
    grep -hE '^(ktime|sched_clk) ' /sys/kernel/debug/sched/debug /proc/sched_debug 2>/dev/null
}
end_tracer() {
    for instance in /sys/kernel/tracing/instances/timerlat*; do
        [ -d "$instance" ] && echo nop >"$instance/current_tracer" && rmdir "$instance"
    done 2>/dev/null
}"""


def command(interval_us: int, priority: int, cpus: str, idle_states: bool, buckets: int) -> str:
    """What every run of rtla has in common."""
    latency = "" if idle_states else " --dma-latency 0"
    affinity = f" -c {cpus}" if cpus else ""
    return f"rtla timerlat hist -p {interval_us} -P f:{priority} -E {buckets}{affinity}{latency}"


def until_late(threshold_us: int) -> str:
    """The options of a run that ends with an analysis. The threshold is that of the thread: at one of the interrupt rtla knows no parts."""
    return f"-T {threshold_us} -s {threshold_us}"


def steps(rtla: str, stop: str, duration_s: int, recorder: str) -> list[str]:
    """`recorder` is its command where it measures beside rtla, else empty. The clocks are read around each run: the tracer's clock is the
    scheduler's."""
    log, trace = f"$OUT/{TIMERLAT_LOG}", f"$OUT/{TIMERLAT_TRACE}"
    beside = [f"{recorder} 2>$OUT/recorder.err &", "beside=$!"] if recorder else []
    loop = f"""\
quit=INT
left={duration_s}
ends=$(($(uptime_s) + left))
runs=0
stop={quote(f"{stop} -t=")}{trace}
while [ "$left" -gt 0 ]; do
    runs=$((runs + 1))
    [ "$runs" -le {MOST_ANALYSES} ] || stop=
    note_clocks >>{log}
    echo "== rtla" >>{log}
    run {rtla} -d $left $stop >>{log} 2>>$OUT/timerlat.err
    note_clocks >>{log}
    echo "== trace" >>{log}
    [ ! -e {trace} ] || grep -a 'context *thread timer_latency' {trace} | tail -n {LINES_OF_TRACE} >>{log}
    rm -f {trace}
    [ "$status" -ne {STOPPED} ] || status=0
    [ "$status" -eq 0 ] || break
    left=$((ends - $(uptime_s)))
done
quit=TERM"""
    return ["phase timerlat", FUNCTIONS, *beside, loop, *(["join_beside"] if recorder else [])]
