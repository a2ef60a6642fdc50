# SPDX-License-Identifier: BSD-3-Clause
"""The place of each core when a machine was stopped without an end: its world, its function, what it waited for, the call it was in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from latlab.calls.analysis.calls import StoppedCore, is_normal
from latlab.calls.analysis.paths import runs_of, turning
from latlab.calls.analysis.span_functions import SpanReader
from latlab.calls.model.crossings import LOOP, Arch, Sleep, Stopped, Stretch, world_name
from latlab.core.model.run import CoreId, Problem

PARKED_INSTRUCTIONS = 64
"""A core that looks at something between two sleeps at one address executes no more than that."""
LONG_INSTRUCTIONS = 100_000
"""A core that has been busy for less may be at the beginning of a call."""
AWAY = ("CPU_OFF",)
"""Calls in which a core may sleep for good."""
MOST_CORES = 8
STOOD = "where the cores stood"
"""The name of the fact of a run."""


class Doing(StrEnum):
    REPEATS = "repeats"
    WAITS = "waits"
    RUNS = "runs"
    SLEEPS = "sleeps"


@dataclass(frozen=True, slots=True)
class Standing:
    """One core. `functions` are those of the code it repeats, or the one in which it stood; empty if the probe did not record them.

    `address` is that of the sleep, or of the code that ran last, None if not recorded. `instructions` are its own since its last world
    switch, `asleep` those of all cores since it fell asleep. `turn` are the instructions of one repetition, `times` how often it ran, or
    how often the core woke up for nothing. `call` and its `caller` are empty outside a call.
    """

    core: CoreId
    world: str
    instructions: int
    doing: Doing = Doing.RUNS
    functions: tuple[str, ...] = ()
    place: str = ""
    address: int | None = None
    asleep: int = 0
    wait: str = ""
    turn: int = 0
    times: int = 0
    call: str = ""
    caller: str = ""


def standings(stopped: Iterable[StoppedCore], arch: Arch, cores: Mapping[int, CoreId], reader: SpanReader) -> tuple[Standing, ...]:
    """One for each core that ran, in the order of their numbers."""
    standings_of_cores = (_standing(core, arch, cores.get(core.record.core, CoreId(0, core.record.core)), reader) for core in stopped)
    return tuple(sorted(standings_of_cores, key=lambda standing: (standing.core.cluster, standing.core.core)))


def _standing(stopped: StoppedCore, arch: Arch, core: CoreId, reader: SpanReader) -> Standing:
    record = stopped.record
    call, caller = (stopped.call.entry.name, world_name(arch, stopped.call.caller)) if stopped.call else ("", "")
    standing = Standing(core, world_name(arch, record.world), stopped.since, call=call, caller=caller)
    is_parked = record.sleeps > 1 and record.awake <= PARKED_INSTRUCTIONS
    if stopped.sleep and (record.is_asleep or is_parked):
        name = "" if is_normal(arch, record.world) else _function_at(stopped.sleep.address, reader)
        return _asleep(standing, record, stopped.sleep, name, reader)
    return _awake(standing, stopped.ran, reader)


def _asleep(standing: Standing, record: Stopped, sleep: Sleep, name: str, reader: SpanReader) -> Standing:
    woken = record.sleeps - 1
    return replace(
        standing,
        doing=Doing.WAITS if woken else Doing.SLEEPS,
        functions=(name,) if name else (),
        place=reader.by_instruction.place(name),
        address=sleep.address,
        asleep=record.machine - sleep.machine,
        wait=sleep.wait.name,
        times=woken,
    )


def _awake(standing: Standing, ran: Stretch, reader: SpanReader) -> Standing:
    body, turns = turning(ran.steps)
    numbers = [number for number in body[::2] if number < LOOP]
    if ran.runs:  # the path had no room for what ran last
        numbers, turns = [max(ran.runs, key=lambda run: run[1] * reader.fragments[run[0]].instructions)[0]], 1
    if not numbers:
        return standing
    names = [name for number in numbers for name in reader.by_instruction.names(number)]
    functions = tuple(dict.fromkeys(names)) if turns > 1 else (names[-1],)
    at_its_code = replace(
        standing, functions=functions, place=reader.by_instruction.place(functions[0]), address=reader.fragments[numbers[-1]].address
    )
    if turns == 1:
        return at_its_code
    runs = runs_of((Stretch(body),))
    turn = sum(reader.fragments[number].instructions * times for number, times in runs.items())
    return replace(at_its_code, doing=Doing.REPEATS, turn=turn, times=turns)


def _function_at(address: int, reader: SpanReader) -> str:
    """The function of code that ran in a measured world; empty elsewhere, where an image of another world may have other code."""
    numbers = (number for number, code in reader.fragments.items() if code.address <= address < code.address + max(len(code.code), 1))
    return next((reader.by_instruction.names(number)[-1] for number in numbers), "")


def with_standing(problems: Sequence[Problem], cores_stood: Sequence[Standing]) -> list[Problem]:
    """The first problem, why there was no end, also names the core that explains that best."""
    telling = most_telling(cores_stood)
    if not problems or telling is None:
        return list(problems)
    first, *others = problems
    return [replace(first, message=f"{first.message}; core {standing_words(telling)}"), *others]


def stood_facts(cores_stood: Sequence[Standing]) -> tuple[tuple[str, str], ...]:
    """The fact of a run that has its cores, those first that explain a hang best."""
    words = [standing_words(standing) for standing in sorted(cores_stood, key=_order)[:MOST_CORES]]
    more = len(cores_stood) - len(words)
    return ((STOOD, "; ".join((*words, *((f"{more} more",) if more else ())))),) if words else ()


def standing_words(standing: Standing) -> str:
    """`0.1 repeats 6 instructions 84,210 times in spin_lock, EL3, in CPU_ON from EL1`."""
    where = f" in {' and '.join(standing.functions[:2])}" if standing.functions else ""
    inside = f", in {standing.call} from {standing.caller}" if standing.call else ""
    return f"{standing.core} {doing_words(standing)}{where}, {standing.world}{inside}"


def doing_words(standing: Standing) -> str:
    """What it does, without where."""
    match standing.doing:
        case Doing.REPEATS:
            return f"repeats {standing.turn:,} instruction{'s' * (standing.turn != 1)} {standing.times:,} times"
        case Doing.WAITS:
            return f"waits in {standing.wait}, woken {standing.times:,} time{'s' * (standing.times != 1)}"
        case Doing.SLEEPS:
            return f"sleeps in {standing.wait}"
        case _:
            return "runs"


def most_telling(cores_stood: Iterable[Standing]) -> Standing | None:
    """The core that explains a hang best."""
    return min(cores_stood, key=_order, default=None)


def _order(standing: Standing) -> tuple[int, int]:
    return _rank(standing), -standing.instructions


def _rank(standing: Standing) -> int:
    """First who has been busy for long inside a call, then who waits inside one, then who is busy in a measured world without a call, as in
    a boot or while it waits to be started."""
    is_busy = standing.doing in (Doing.REPEATS, Doing.RUNS)
    is_inside = bool(standing.call) and standing.call not in AWAY
    is_long = standing.instructions >= LONG_INSTRUCTIONS
    if is_inside and (is_long or not is_busy):
        return 0 if is_busy else 1
    if not is_busy:
        return 4
    return 2 if is_long and standing.functions else 3
