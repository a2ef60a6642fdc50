# SPDX-License-Identifier: BSD-3-Clause
"""The shell script of the steal meter: once with the machine as it is, once under a load if one is asked for. Its files are in $OUT."""

from __future__ import annotations

from dataclasses import dataclass
from shlex import quote

from latlab.rt.targets.machine_inventory import HEAT, HEAT_COMMAND
from latlab.rt.targets.rt_job import INSERT_RINGS, LOADS, PROLOGUE, SETTLE_S, USUAL_DRIVERS, Drivers

PHASES = ("idle", "load")


@dataclass(frozen=True, slots=True)
class Watch:
    """How each CPU is watched. `load` is one of the loads by name, or any command."""

    duration_s: int
    load: str = "idle"
    interval_us: int = 200
    threshold_ns: int = 1000
    idle_states: bool = False

    @property
    def load_command(self) -> str:
        return LOADS.get(self.load, self.load)

    @property
    def phases(self) -> tuple[str, ...]:
        return PHASES if self.load_command else PHASES[:1]

    def meter(self, program: str, phase: str) -> str:
        idle = " -I" if self.idle_states else ""
        options = f"-D {self.duration_s} -i {self.interval_us} -t {self.threshold_ns}{idle}"
        return f"{quote(program)} -o $OUT/{file_of(phase)} -c $OUT/{counts_of(phase)} {options}"


def file_of(phase: str) -> str:
    return f"steal-{phase}.txt"


def counts_of(phase: str) -> str:
    """The file with the counts of the hypervisor's steal time and of SMIs."""
    return f"outside-{phase}.txt"


def script(watch: Watch, meter: str, before: str = "") -> str:
    """A machine on which no CPU can be measured is not loaded in vain."""
    steps = [PROLOGUE, before, "phase idle", f"run {watch.meter(meter, 'idle')} 2>$OUT/meter.err"]
    if watch.load_command:
        steps += [
            f"if grep -q -e ' calls=' -e ' steal=known' -e ' smis=' $OUT/{file_of('idle')} $OUT/{counts_of('idle')}; then",
            f"setsid sh -c {quote(watch.load_command)} >/dev/null 2>$OUT/load.err &",
            "load=$!",
            f"sleep {SETTLE_S}",
            "phase load",
            f"run {watch.meter(meter, 'load')} 2>>$OUT/meter.err",
            "check_load",
            "stop_load",
            "fi",
        ]
    steps += [f"{HEAT_COMMAND} >$OUT/{HEAT}", "exit $status", ""]
    return "\n".join(steps)


def guest_script(watch: Watch, drivers: Drivers = USUAL_DRIVERS) -> str:
    """In the guest: on our own firmware the module is what the meter is calibrated by."""
    before = ["OUT=/out", "PHASE=/dev/console", INSERT_RINGS, *drivers.steps]
    return script(watch, "/bin/latlab-steal", "\n".join(before))
