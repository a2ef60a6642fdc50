# SPDX-License-Identifier: BSD-3-Clause
"""What rtla prints where a threshold ended the run (-a, -T): that it did, and its analysis of the latency that did it."""

from __future__ import annotations

import re

STOPPED = re.compile(r"^rtla \w+ hit stop tracing", re.MULTILINE)
ANALYSED = re.compile(r"^## CPU (\d{1,5}) hit stop tracing", re.MULTILINE | re.ASCII)
PARTS = "Blocking thread|IRQ interference|Softirq interference|IRQ handler delay|Exit from idle latency"
LONGEST = re.compile(rf"^ +({PARTS}):? +([\d.]+) us", re.MULTILINE)
NAMED = re.compile(r"^ +Blocking thread: +[\d.]+ us.*\n +(\S+) +[\d.]+ us", re.MULTILINE)
TOTAL = re.compile(r"^ +Thread latency: +([\d.]+) us", re.MULTILINE)


def stop_facts(text: str) -> tuple[tuple[str, str], ...]:
    """Empty where no threshold ended the run. The latency that ended it is the maximum, so rates of such a run are biased."""
    if not STOPPED.search(text):
        return ()
    facts = [("stopped", "by rtla's threshold: the maximum is the latency that ended the run")]
    cpu, total = ANALYSED.search(text), TOTAL.search(text)
    parts = [(float(us), name.lower()) for name, us in LONGEST.findall(text)]
    if cpu and parts:
        us, name = max(parts)
        thread = NAMED.search(text) if name == "blocking thread" else None
        of = f" of {total[1]} µs" if total else ""
        facts.append(("rtla's analysis", f"CPU {cpu[1]}: {name}{f' {thread[1]}' if thread else ''}, {us:g} µs{of}"))
    return tuple(facts)
