# SPDX-License-Identifier: BSD-3-Clause
"""The preemption model of a kernel: what it says of itself, by the surest of its words.

Sources: Linux, Documentation/admin-guide/kernel-parameters.txt (preempt=), kernel/Kconfig.preempt, /sys/kernel/debug/sched/preempt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

REALTIME = "rt"
NOT_PREEMPTIBLE = ("none", "voluntary")
"""The models that preempt no kernel code."""
ASKED = (
    "echo preempt_now=$(cat /sys/kernel/debug/sched/preempt 2>/dev/null)",
    "echo preempt_boot=$(grep -oE '(^| )preempt=[a-z]+' /proc/cmdline | tail -n 1)",
    "echo preempt_built=$({ zcat /proc/config.gz || cat /boot/config-$(uname -r); } 2>/dev/null "
    "| grep -E '^CONFIG_PREEMPT(_NONE|_VOLUNTARY|_LAZY)?=y' | tr '\\n' ' ')",
)
"""Lines of shell, each of which answers with its name: the model that is chosen now, the boot option, how the kernel was built."""
BUILT = {"_NONE": "none", "_VOLUNTARY": "voluntary", "_LAZY": "lazy", "": "full"}
ADVICE = {
    "none": "a system call keeps its CPU until it ends or sleeps; boot with `preempt=full`, or a PREEMPT_RT kernel",
    "voluntary": "a system call offers its CPU at some points only; boot with `preempt=full`, or a PREEMPT_RT kernel",
    "lazy": "a thread without real-time priority may go on until the tick; real-time threads preempt at once",
}
"""What follows for a latency; of the models that are not here nothing does."""


def preemption_model(answers: Mapping[str, str]) -> str | None:
    """`none`, `voluntary`, `full`, `lazy` or `rt`; None where the kernel does not say. `answers` are those of ASKED, `realtime` and
    `version` (of `uname -v`)."""
    version = answers.get("version", "")
    if answers.get("realtime") == "1" or "PREEMPT_RT" in version:
        return REALTIME
    if chosen := re.search(r"\((\w+)\)", answers.get("preempt_now", "")):
        return chosen[1]
    if boot := answers.get("preempt_boot", "").partition("=")[2]:
        return boot
    built = re.findall(r"CONFIG_PREEMPT(_NONE|_VOLUNTARY|_LAZY|)=y", answers.get("preempt_built", ""))
    if built:
        return BUILT[built[0]]
    return "full" if re.search(r"\bPREEMPT\b(?!_)", version) else None


def note(answers: Mapping[str, str]) -> str:
    """What a reader of latencies has to know of a kernel that is not PREEMPT_RT; empty of one that is."""
    model = preemption_model(answers)
    if model == REALTIME:
        return ""
    if model is None:
        return "the kernel is not PREEMPT_RT"
    follows = f": {ADVICE[model]}" if model in ADVICE else ""
    return f"the kernel is not PREEMPT_RT, its preemption model is {model}{follows}"
