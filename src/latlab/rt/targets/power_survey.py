# SPDX-License-Identifier: BSD-3-Clause
"""Whether a Linux machine can take CPUs off and on and can suspend, asked before anything is started."""

from __future__ import annotations

import re
from dataclasses import dataclass

from latlab.core.errors import UsageError
from latlab.core.targets.linux.machine import Machine, Unreachable
from latlab.rt.targets.power_job import PowerCycle

ANSWER_S = 60
ASK = (
    "S=/sys/devices/system/cpu",
    'echo uid="$(id -u)"',
    'echo online="$(cat $S/online)"',
    'echo hotplug="$(for o in $S/cpu[0-9]*/online; do [ -e $o ] && [ "$(cat $o)" = 1 ] && echo $o; done | tr "\\n" " ")"',
    'echo writable="$(for o in $S/cpu[0-9]*/online; do [ -w $o ] && echo $o; done | tr "\\n" " ")"',
    'echo states="$(cat /sys/power/state 2>/dev/null)"',
    'echo alarm="$([ -w /sys/class/rtc/rtc0/wakealarm ] && echo yes)"',
)


@dataclass(frozen=True, slots=True)
class PowerSurvey:
    """`hotplug` are the CPUs that are on and that the kernel offers to take off, `writable` those that this user may."""

    is_root: bool
    online: str
    hotplug: tuple[int, ...]
    writable: tuple[int, ...]
    can_suspend: bool
    has_alarm: bool

    def cpus_of(self, power: PowerCycle) -> tuple[int, ...]:
        """Those that will be taken off; without a choice all but CPU 0, which many kernels keep for themselves."""
        return power.cpus or tuple(cpu for cpu in self.hotplug if cpu != 0)


def power_survey(machine: Machine) -> PowerSurvey:
    try:
        done = machine.run("; ".join(ASK), ANSWER_S)
    except Unreachable as error:
        raise UsageError(str(error)) from error
    answers = {name: value.strip() for name, _, value in (line.partition("=") for line in done.text.splitlines())}
    return PowerSurvey(
        answers.get("uid") == "0",
        answers.get("online", ""),
        _numbers(answers.get("hotplug", "")),
        _numbers(answers.get("writable", "")),
        "mem" in answers.get("states", "").split(),
        answers.get("alarm") == "yes",
    )


def check_power_survey(name: str, able: PowerSurvey, power: PowerCycle) -> None:
    """Raises UsageError with what the machine lacks, before any CPU is taken off."""
    cpus = able.cpus_of(power)
    if not cpus:
        raise UsageError(
            f"the kernel offers no CPU besides CPU 0 to take off (CPUs {able.online or 'unknown'} are on); "
            "rt-power needs CONFIG_HOTPLUG_CPU and a second CPU",
            place=name,
        )
    if missing := [cpu for cpu in cpus if cpu not in able.hotplug]:
        raise UsageError(f"the kernel cannot take CPU {missing[0]} off; it offers {_list(able.hotplug)}", place=name)
    if len(cpus) == len(able.hotplug) == _count(able.online):
        raise UsageError("one CPU must stay online", f"leave one of {_list(able.hotplug)} out of --affinity", place=name)
    if locked := [cpu for cpu in cpus if cpu not in able.writable]:
        raise UsageError(f"no permission to take CPU {locked[0]} off", "run as root", place=name)
    if power.suspends and not able.can_suspend:
        raise UsageError("the kernel cannot suspend (/sys/power/state has no `mem`)", "use --suspends 0", place=name)
    if power.suspends and not able.has_alarm:
        raise UsageError("it has no wake-up source (rtc0 has no writable wakealarm)", "use --suspends 0", place=name)


def _numbers(paths: str) -> tuple[int, ...]:
    return tuple(sorted(int(number) for number in re.findall(r"/cpu(\d+)/online", paths)))


def _list(cpus: tuple[int, ...]) -> str:
    return ", ".join(f"CPU {cpu}" for cpu in cpus) or "none"


def _count(ranges: str) -> int:
    """How many CPUs the kernel's list of ranges has."""
    ends = [tuple(map(int, part.split("-"))) for part in ranges.split(",") if part.strip()]
    return sum(end[-1] - end[0] + 1 for end in ends)
