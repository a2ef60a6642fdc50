# SPDX-License-Identifier: BSD-3-Clause
"""Runs of older versions, of files and of stores, lifted to this one: what they kept as text among a run's facts becomes typed.

Version 1 kept nearly all there; files of version 2 and stores of up to version 3 kept the machine there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from latlab.formats.dump.frames import parse_core
from latlab.formats.published.runs import summed_up
from latlab.formats.qemu_command import with_machine
from latlab.formats.wakeups.cyclictest_command import conditions_of
from latlab.model.blame import UNEXPLAINED, UNTRACED, Blame, BlameKind, Caller, CallerKind
from latlab.model.conditions import NO_CONDITIONS, Conditions, Dose, Mode
from latlab.model.enums import Kind, Metric
from latlab.model.run import PrintedDelta, Sample

Facts = tuple[tuple[str, str], ...]

MODES = {
    "deterministic": Mode.DETERMINISTIC,
    "multi-thread": Mode.MULTI_THREAD,
    "deterministic: the instruction clock of an emulator, one vCPU": Mode.DETERMINISTIC,
    "multi-threaded emulation: shows that it works, its latencies are not to be published": Mode.MULTI_THREAD,
    "virtual machine: not an RT figure": Mode.VIRTUAL_MACHINE,
    "real target": Mode.REAL,
}
KINDS = {"rt": Kind.WAKEUPS, "rt-trng": Kind.WAKEUPS, "rt-power": Kind.POWER}
SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
RESOLUTION, DELTA = "resolution_ns ", "printed_delta_percent "
TYPED = (
    "mode",
    "duration_s",
    "interval_us",
    "priority",
    "idle states",
    "load",
    "load command",
    "cyclictest command",
    "recorder command",
    "kernel",
    "version",
    "kernel-stack randomisation",
    "hwrng driver",
    "cycles",
    "suspends",
    "source",
    "code_bytes",
)


EMULATOR = "qemu-system-"
ON_LINUX = ("rt", "rt-trng", "rt-power")
"""Campaigns whose fact `instrument` is which tools ran, each a test of its own."""
MACHINE = ("cpu", "gic", "el", "iterations", "interrupt_priority", "basepri")


@dataclass(frozen=True, slots=True)
class Lifted:
    """What was said of a run in its facts; `kept` are those that stay for the reader."""

    conditions: Conditions
    kept: Facts
    kind: Kind = Kind.SPANS
    source: str = ""
    code_bytes: int | None = None
    printed_deltas: tuple[PrintedDelta, ...] = ()
    resolutions: tuple[tuple[Metric, float], ...] = ()


def lifted(
    version: int, campaign: str, target: str, facts: Facts, command: Sequence[str], has_trace: bool, conditions: Conditions
) -> Lifted:
    """`conditions` are the conditions that were typed already, of what is not of version 1; `has_trace`: the run knows the event table
    of its firmware. Raises ValueError where a fact is not what was written."""
    lifted_run = _first(campaign, target, facts) if version == 1 else Lifted(conditions, facts)
    return _with_machine(lifted_run, campaign, command, has_trace)


def upgraded(d: Mapping[str, Any]) -> dict[str, Any]:
    """A document of an older version in the form of this one. Raises KeyError, TypeError or ValueError where it is damaged."""
    is_first = d["version"] == 1
    facts = tuple((str(key), str(value)) for key, value in d["facts"])
    conditions = NO_CONDITIONS if is_first else msgspec.convert(d["conditions"], Conditions)
    events = d["events_hash"] if is_first else d["build"]["events_hash"]
    command = [str(word) for word in d["command"]]
    old = lifted(d["version"], d["campaign"], d["target"], facts, command, events is not None, conditions)
    document = {**d, "version": 3, "conditions": msgspec.to_builtins(old.conditions), "facts": [list(fact) for fact in old.kept]}
    if not is_first:
        return document
    document |= {
        "kind": old.kind.value,
        "build": {"firmware": d["firmware"], "events_hash": events, "options": d["build_options"], "code_bytes": old.code_bytes},
        "source": old.source,
        "printed_deltas": [msgspec.to_builtins(delta) | {"core": str(delta.core)} for delta in old.printed_deltas],
        "resolutions": [[metric.value, ns] for metric, ns in old.resolutions],
        "problems": [[line, "input", message] for line, message in d["problems"]],
    }
    if old.kind is Kind.WAKEUPS:
        document |= {"distributions": _distributions(d, old.conditions), "samples": []}
    return document


def _first(campaign: str, target: str, facts: Facts) -> Lifted:
    fact_values = dict(facts)
    deltas = tuple(_delta(key.removeprefix(DELTA), value) for key, value in facts if key.startswith(DELTA))
    resolutions = tuple((Metric(k.removeprefix(RESOLUTION)), float(v)) for k, v in facts if k.startswith(RESOLUTION))
    of_document = target == "published"
    facts_kept = tuple(
        (key, value)
        for key, value in facts
        if not key.startswith((DELTA, RESOLUTION)) and (key not in TYPED or (of_document and key == "source"))
    )
    return Lifted(
        _conditions(fact_values),
        facts_kept,
        KINDS.get(campaign, Kind.SPANS),
        "" if of_document else fact_values.get("source", ""),
        int(fact_values["code_bytes"]) if "code_bytes" in fact_values else None,
        deltas,
        resolutions,
    )


def _with_machine(lifted_run: Lifted, campaign: str, command: Sequence[str], has_trace: bool) -> Lifted:
    fact_values = dict(lifted_run.kept)
    on_linux = campaign in ON_LINUX
    of_facts = Conditions(
        processor=fact_values.get("CPU" if on_linux else "cpu"),
        interrupt_controller=f"GICv{fact_values['gic']}" if int(fact_values.get("gic", "0")) else None,
        exception_level=int(fact_values.get("el", "0")) or None,
        iterations=int(fact_values["iterations"]) if "iterations" in fact_values else None,
        interrupt_priority=int(fact_values["interrupt_priority"], 16) if "interrupt_priority" in fact_values else None,
        basepri=int(fact_values["basepri"], 16) if "basepri" in fact_values else None,
        instrument=None if on_linux else fact_values.get("instrument", "trace" if has_trace else None),
        kernel_command_line=fact_values.get("kernel command line") if on_linux else None,
    )
    conditions = lifted_run.conditions.completed(of_facts)
    if command and EMULATOR in command[0]:
        conditions = with_machine(conditions, command)
    moved = MACHINE if on_linux else (*MACHINE, "instrument")
    return replace(lifted_run, conditions=conditions, kept=tuple(fact for fact in lifted_run.kept if fact[0] not in moved))


def _delta(key: str, percent: str) -> PrintedDelta:
    test, metric, core = key.split()
    return PrintedDelta(test, Metric(metric), parse_core(core), float(percent))


def _conditions(fact_values: Mapping[str, str]) -> Conditions:
    commands = tuple(
        fact_values[name] for name in ("load command", "cyclictest command", "recorder command") if fact_values.get(name, "none") != "none"
    )
    command = fact_values.get("cyclictest command", fact_values.get("command", ""))
    from_command = conditions_of(command if command != "none" else "")
    interval_us, priority = fact_values.get("interval_us"), fact_values.get("priority")
    return Conditions(
        mode=MODES.get(fact_values.get("mode", "")),
        duration_s=float(fact_values["duration_s"]) if "duration_s" in fact_values else _duration_s(command),
        interval_ns=from_command.interval_ns if interval_us is None else int(float(interval_us) * 1000),
        priority=from_command.priority if priority is None else int(priority),
        load=_load(fact_values),
        idle_states=fact_values["idle states"] == "allowed" if "idle states" in fact_values else None,
        kernel=fact_values.get("kernel"),
        kernel_version=fact_values.get("version"),
        kstack_randomised=_switch(fact_values, "kernel-stack randomisation", "on"),
        hwrng_driver=_switch(fact_values, "hwrng driver", "loaded"),
        commands=commands,
        doses=_doses(fact_values.get("doses_us", "")),
        hotplug_cycles=int(fact_values["cycles"]) if "cycles" in fact_values else None,
        suspends=int(fact_values["suspends"]) if "suspends" in fact_values else None,
    )


def _duration_s(command: str) -> float | None:
    match = re.search(r"(?:^|\s)-D\s*(\d{1,9})([smhd]?)\b", command)
    return float(int(match[1]) * SECONDS[match[2]]) if match else None


def _load(fact_values: Mapping[str, str]) -> str | None:
    load = fact_values.get("load command") or fact_values.get("load")
    if load is None:
        return None
    return "" if load == "none" else load.removesuffix(" &")


def _switch(fact_values: Mapping[str, str], name: str, on: str) -> bool | None:
    return fact_values[name] == on if name in fact_values else None


def _doses(doses_us: str) -> tuple[Dose, ...]:
    """The boots of the experiment as version 1 made them: each dose, then the highest without the one caller and with the other."""
    if not doses_us:
        return ()
    listed = [int(us) for us in doses_us.split(",")]
    boots = [*((us, True, False) for us in listed), (max(listed), False, False), (max(listed), False, True)]
    return tuple(Dose(f"{us}-us-kstack-{_on(kstack)}-hwrng-{_on(hwrng)}", us, kstack, hwrng) for us, kstack, hwrng in boots)


def _on(value: bool) -> str:
    return "on" if value else "off"


def _distributions(d: Mapping[str, Any], conditions: Conditions) -> list[dict[str, Any]]:
    if d.get("distributions"):
        return [distribution | {"late": [_late(late) for late in distribution["late"]]} for distribution in d["distributions"]]
    samples = [Sample(test, Metric(metric), parse_core(core), boot, i, value) for test, metric, core, boot, i, value in d["samples"]]
    return [msgspec.to_builtins(distribution) | {"core": str(distribution.core)} for distribution in summed_up(samples, conditions)]


def _late(late: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in late.items() if key != "cause"} | {"blame": msgspec.to_builtins(_blame(late["cause"]))}


def _blame(cause: str | None) -> Blame:
    """Version 1 kept the sentence."""
    if not cause:
        return UNTRACED if cause is None else UNEXPLAINED
    name, _, caller = cause.partition(", called by ")
    kind = BlameKind.KERNEL if name.startswith("kernel: ") else BlameKind.FIRMWARE
    return Blame(kind, name.removeprefix("kernel: "), _caller(caller) if caller else None)


def _caller(text: str) -> Caller:
    if text == "the hwrng thread":
        return Caller(CallerKind.HWRNG_THREAD, "hwrng")
    for start, kind in (
        ("kernel-stack randomisation in a system call of ", CallerKind.KSTACK),
        ("the hwrng driver in ", CallerKind.HWRNG_DRIVER),
    ):
        if text.startswith(start):
            return Caller(kind, text.removeprefix(start))
    function, _, task = text.partition(" in ")
    return Caller(CallerKind.FUNCTION, task, function)
