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
from latlab.model.conditions import UNSAID, Conditions, Dose, Mode
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


def lifted(version: int, campaign: str, target: str, facts: Facts, command: Sequence[str], has_trace: bool, known: Conditions) -> Lifted:
    """`known` are the conditions that were typed already, of what is not of version 1; `has_trace`: the run knows the event table of its
    firmware. Raises ValueError where a fact is not what was written."""
    found = _first(campaign, target, facts) if version == 1 else Lifted(known, facts)
    return _with_machine(found, campaign, command, has_trace)


def upgraded(d: Mapping[str, Any]) -> dict[str, Any]:
    """A document of an older version in the form of this one. Raises KeyError, TypeError or ValueError where it is damaged."""
    is_first = d["version"] == 1
    facts = tuple((str(key), str(value)) for key, value in d["facts"])
    known = UNSAID if is_first else msgspec.convert(d["conditions"], Conditions)
    events = d["events_hash"] if is_first else d["build"]["events_hash"]
    command = [str(word) for word in d["command"]]
    old = lifted(d["version"], d["campaign"], d["target"], facts, command, events is not None, known)
    document = {**d, "version": 3, "conditions": msgspec.to_builtins(old.conditions), "facts": [list(fact) for fact in old.kept]}
    if not is_first:
        return document
    document |= {
        "kind": old.kind.value,
        "build": {"firmware": d["firmware"], "events_hash": events, "options": d["build_options"], "code_bytes": old.code_bytes},
        "source": old.source,
        "printed_deltas": [msgspec.to_builtins(one) | {"core": str(one.core)} for one in old.printed_deltas],
        "resolutions": [[metric.value, ns] for metric, ns in old.resolutions],
        "problems": [[line, "input", message] for line, message in d["problems"]],
    }
    if old.kind is Kind.WAKEUPS:
        document |= {"distributions": _distributions(d, old.conditions), "samples": []}
    return document


def _first(campaign: str, target: str, facts: Facts) -> Lifted:
    said = dict(facts)
    deltas = tuple(_delta(key.removeprefix(DELTA), value) for key, value in facts if key.startswith(DELTA))
    resolutions = tuple((Metric(k.removeprefix(RESOLUTION)), float(v)) for k, v in facts if k.startswith(RESOLUTION))
    of_document = target == "published"
    kept = tuple(
        (key, value)
        for key, value in facts
        if not key.startswith((DELTA, RESOLUTION)) and (key not in TYPED or (of_document and key == "source"))
    )
    return Lifted(
        _conditions(said),
        kept,
        KINDS.get(campaign, Kind.SPANS),
        "" if of_document else said.get("source", ""),
        int(said["code_bytes"]) if "code_bytes" in said else None,
        deltas,
        resolutions,
    )


def _with_machine(found: Lifted, campaign: str, command: Sequence[str], has_trace: bool) -> Lifted:
    said = dict(found.kept)
    on_linux = campaign in ON_LINUX
    of_facts = Conditions(
        processor=said.get("CPU" if on_linux else "cpu"),
        interrupt_controller=f"GICv{said['gic']}" if int(said.get("gic", "0")) else None,
        exception_level=int(said.get("el", "0")) or None,
        iterations=int(said["iterations"]) if "iterations" in said else None,
        interrupt_priority=int(said["interrupt_priority"], 16) if "interrupt_priority" in said else None,
        basepri=int(said["basepri"], 16) if "basepri" in said else None,
        instrument=None if on_linux else said.get("instrument", "trace" if has_trace else None),
        kernel_command_line=said.get("kernel command line") if on_linux else None,
    )
    known = found.conditions.completed(of_facts)
    if command and EMULATOR in command[0]:
        known = with_machine(known, command)
    moved = MACHINE if on_linux else (*MACHINE, "instrument")
    return replace(found, conditions=known, kept=tuple(fact for fact in found.kept if fact[0] not in moved))


def _delta(key: str, percent: str) -> PrintedDelta:
    test, metric, core = key.split()
    return PrintedDelta(test, Metric(metric), parse_core(core), float(percent))


def _conditions(said: Mapping[str, str]) -> Conditions:
    commands = tuple(said[name] for name in ("load command", "cyclictest command", "recorder command") if said.get(name, "none") != "none")
    command = said.get("cyclictest command", said.get("command", ""))
    from_command = conditions_of(command if command != "none" else "")
    interval_us, priority = said.get("interval_us"), said.get("priority")
    return Conditions(
        mode=MODES.get(said.get("mode", "")),
        duration_s=float(said["duration_s"]) if "duration_s" in said else _duration_s(command),
        interval_ns=from_command.interval_ns if interval_us is None else int(float(interval_us) * 1000),
        priority=from_command.priority if priority is None else int(priority),
        load=_load(said),
        idle_states=said["idle states"] == "allowed" if "idle states" in said else None,
        kernel=said.get("kernel"),
        kernel_version=said.get("version"),
        kstack_randomised=_switch(said, "kernel-stack randomisation", "on"),
        hwrng_driver=_switch(said, "hwrng driver", "loaded"),
        commands=commands,
        doses=_doses(said.get("doses_us", "")),
        hotplug_cycles=int(said["cycles"]) if "cycles" in said else None,
        suspends=int(said["suspends"]) if "suspends" in said else None,
    )


def _duration_s(command: str) -> float | None:
    found = re.search(r"(?:^|\s)-D\s*(\d{1,9})([smhd]?)\b", command)
    return float(int(found[1]) * SECONDS[found[2]]) if found else None


def _load(said: Mapping[str, str]) -> str | None:
    load = said.get("load command") or said.get("load")
    if load is None:
        return None
    return "" if load == "none" else load.removesuffix(" &")


def _switch(said: Mapping[str, str], name: str, on: str) -> bool | None:
    return said[name] == on if name in said else None


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
        return [one | {"late": [_late(late) for late in one["late"]]} for one in d["distributions"]]
    samples = [Sample(test, Metric(metric), parse_core(core), boot, i, value) for test, metric, core, boot, i, value in d["samples"]]
    return [msgspec.to_builtins(one) | {"core": str(one.core)} for one in summed_up(samples, conditions)]


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
