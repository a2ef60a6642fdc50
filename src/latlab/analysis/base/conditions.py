# SPDX-License-Identifier: BSD-3-Clause
"""What has to be alike before two runs are compared: one rule for each condition, the same for every campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from latlab.analysis.base.identity import NotComparable, check_same
from latlab.analysis.base.wording import MODES
from latlab.errors import UsageError
from latlab.model.conditions import Mode
from latlab.model.enums import Clock
from latlab.model.run import OF_A_COMMIT, Run

SIMULATED = "simulated: virtual time on a model of the board, no measurement"


class ConditionRule(StrEnum):
    """What a condition does to a comparison where both runs state it and differ."""

    VOID = "void"
    """Two things are compared: refused, or wanted and titled so."""
    NAMED = "named"
    """A difference may be its doing: named in the first line."""
    NOTE = "note"
    """It is no cause of a difference, but its reader should know."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`of` is None where a run does not state it. `between` says how two differ where the two values side by side would not. `where`
    are pairs of runs that it is a condition of; None is every pair."""

    name: str
    rule: ConditionRule
    of: Callable[[Run], Any]
    said: Callable[[Any], str] = str
    between: Callable[[Any, Any], str] | None = None
    where: Callable[[Run, Run], bool] | None = None

    @property
    def option(self) -> str:
        """As `--allow-different` takes it."""
        return self.name.replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Difference:
    """A condition that two runs state differently, in words."""

    name: str
    rule: ConditionRule
    before: str
    after: str
    between: str


@dataclass(frozen=True, slots=True)
class Differences:
    """`across` are void ones that were wanted on purpose. `notes` are sentences, of those that only have to be known too."""

    across: tuple[Difference, ...] = ()
    named: tuple[Difference, ...] = ()
    noted: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What stands with every verdict; empty where nothing has to."""
        wanted = f"across {'; '.join(f'{one.name}: {one.between}' for one in self.across)}" if self.across else ""
        named = f"differs: {'; '.join(f'{one.name} {one.between}' for one in self.named)}" if self.named else ""
        return "; ".join(filter(None, (wanted, named)))

    @property
    def all(self) -> tuple[Difference, ...]:
        return (*self.across, *self.named, *self.noted)


ALIKE = Differences()


def differences(a: Run, b: Run, across: Iterable[str] = ()) -> Differences:
    """How the conditions of two runs differ. Raises NotComparable where one that makes a comparison void does and `across` does not name
    it, or where the two are not of one platform, clock, topology and campaign."""
    check_same(a, b, [])
    wanted, found = set(across), [_difference(one, a, b) for one in CONDITIONS if _differ(one, a, b)]
    void = [one for one in found if one.rule is ConditionRule.VOID]
    unwanted = [one for one in void if one.name.replace(" ", "-") not in wanted]
    if unwanted:
        raise NotComparable(_refusal(unwanted, a, b))
    named, noted = ([one for one in found if one.rule is rule] for rule in (ConditionRule.NAMED, ConditionRule.NOTE))
    notes = [_named(one, a, b) for one in noted]
    notes += filter(None, (_unsaid(a, b), _unsaid(b, a)))
    return Differences(tuple(void), tuple(named), tuple(noted), tuple(notes))


def unlike(run: Run, other: Run) -> tuple[Condition, ...]:
    """What keeps two runs from being of one thing: conditions that one states and the other does not, or not so."""
    return tuple(one for one in CONDITIONS if one.rule is not ConditionRule.NOTE and one.of(run) != one.of(other))


def check_across(names: Sequence[str]) -> frozenset[str]:
    """What `--allow-different` names. Raises UsageError where one is no condition that makes a comparison void."""
    known = [one.option for one in CONDITIONS if one.rule is ConditionRule.VOID]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise UsageError(f"--allow-different {unknown!r} is no condition that prevents a comparison; use {', '.join(known)}")
    return frozenset(names)


def doubtful_mode(*runs: Run) -> Mode | None:
    """The mode that must be said with every verdict on these runs."""
    return Mode.VIRTUAL_MACHINE if any(run.conditions.mode is Mode.VIRTUAL_MACHINE for run in runs) else None


def caveat_of(*runs: Run) -> str:
    """What takes something from the figures of these runs, and is said with all of them; else empty."""
    mode = doubtful_mode(*runs)
    simulated = SIMULATED if any(run.is_simulated for run in runs) else ""
    return "; ".join(filter(None, (simulated, MODES[mode] if mode else "")))


def label_of(run: Run) -> str:
    """The same in one word, for names of figures and files; empty where nothing is taken from them."""
    if run.is_simulated:
        return "simulated"
    return "virtual-machine" if doubtful_mode(run) else ""


def said_conditions(run: Run) -> list[tuple[str, str]]:
    """What is known of a run's own conditions, by the reader's names."""
    return [(one.name, one.said(value)) for one in CONDITIONS if one not in OF_THE_RUN and (value := one.of(run)) is not None]


def _differ(one: Condition, a: Run, b: Run) -> bool:
    ours, theirs = one.of(a), one.of(b)
    return ours is not None and theirs is not None and ours != theirs and (one.where is None or one.where(a, b))


def _difference(one: Condition, a: Run, b: Run) -> Difference:
    ours, theirs = one.of(a), one.of(b)
    before, after = one.said(ours), one.said(theirs)
    return Difference(one.name, one.rule, before, after, one.between(ours, theirs) if one.between else f"{before} to {after}")


def _refusal(void: Sequence[Difference], a: Run, b: Run) -> str:
    told = ", and ".join(_named(one, a, b) for one in void)
    options = " ".join(f"--allow-different {one.name.replace(' ', '-')}" for one in void)
    return f"{told}; compare runs under the same conditions, or allow the difference with {options}"


def _named(one: Difference, a: Run, b: Run) -> str:
    """Names of several things, such as `iterations`, are plural."""
    return f"the {one.name} differ{'' if one.name.endswith('s') else 's'}, {one.before} in {a.id} and {one.after} in {b.id}"


def _unsaid(run: Run, other: Run) -> str:
    weighty = (one for one in CONDITIONS if one.rule is not ConditionRule.NOTE and (one.where is None or one.where(run, other)))
    names = [one.name for one in weighty if one.of(run) is None and one.of(other) is not None]
    return f"{run.id} does not say its {', '.join(names)}; taken to be the other's" if names else ""


def _words(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """The words of two lists that only one of them has."""
    before, after = (dict.fromkeys(word for line in lines for word in line.split()) for lines in (ours, theirs))
    gone, new = ([word for word in one if word not in other] for one, other in ((before, after), (after, before)))
    if not gone and not new:
        return "of single files"
    if not gone or not new:
        return f"with {' '.join(new)}" if new else f"without {' '.join(gone)}"
    return f"{' '.join(gone)} to {' '.join(new)}"


def _said_flags(lines: Sequence[str]) -> str:
    """What all files were compiled with, then what single ones have beside it."""
    sets = [line.split() for line in lines]
    common = dict.fromkeys(word for word in sets[0] if all(word in other for other in sets))
    beside = dict.fromkeys(word for words in sets for word in words if word not in common)
    return " ".join(common) + (f"; single files {' '.join(beside)}" if beside else "")


def _options(ours: tuple[tuple[str, str], ...], theirs: tuple[tuple[str, str], ...]) -> str:
    before, after = dict(ours), dict(theirs)
    keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    return ", ".join(f"{key} {before.get(key) or 'unset'} to {after.get(key) or 'unset'}" for key in keys)


def _build_options(run: Run) -> tuple[tuple[str, str], ...] | None:
    """What a build was made with; which commit it was made of names the firmware and is no condition."""
    return tuple(one for one in run.build.options if one[0] not in OF_A_COMMIT) or None


def _has_one_name(a: Run, b: Run) -> bool:
    """Two names say themselves that two firmwares are compared."""
    return a.build.firmware == b.build.firmware


def _has_other_image(a: Run, b: Run) -> bool:
    """Of one image two trees tell nothing."""
    return a.conditions.image != b.conditions.image


def _trees(run: Run) -> tuple[str, ...] | None:
    return tuple(map(str, run.provenance.trees)) or None


def _of(field: str) -> Callable[[Run], Any]:
    return lambda run: getattr(run.conditions, field)


def _switch(on: str, off: str) -> Callable[[bool], str]:
    return lambda value: on if value else off


def _tick(run: Run) -> float | None:
    """Under the instruction clock two ticks are no two clocks but two shifts, which are never compared."""
    return None if run.tick.clock is Clock.INSTRUCTIONS else run.tick.value


CONDITIONS = (
    Condition("mode", ConditionRule.VOID, _of("mode"), MODES.__getitem__),
    Condition("processor", ConditionRule.VOID, _of("processor")),
    Condition("interrupt controller", ConditionRule.VOID, _of("interrupt_controller")),
    Condition("exception level", ConditionRule.VOID, _of("exception_level"), lambda level: f"EL{level}"),
    Condition("instrument", ConditionRule.VOID, _of("instrument")),
    Condition("interrupt priority", ConditionRule.VOID, _of("interrupt_priority"), lambda priority: f"{priority:#04x}"),
    Condition("basepri", ConditionRule.VOID, _of("basepri"), lambda mask: f"{mask:#04x}"),
    Condition("interval", ConditionRule.VOID, _of("interval_ns"), lambda ns: f"{ns / 1000:g} µs"),
    Condition("priority", ConditionRule.VOID, _of("priority")),
    Condition("load", ConditionRule.VOID, _of("load"), lambda command: command or "none"),
    Condition("idle states", ConditionRule.VOID, _of("idle_states"), _switch("allowed", "forbidden by /dev/cpu_dma_latency")),
    Condition("emulator", ConditionRule.NAMED, lambda run: run.emulator or None),
    Condition("emulator options", ConditionRule.NAMED, _of("emulator_options"), ", ".join, _words),
    Condition("board model", ConditionRule.NAMED, _of("board_model")),
    Condition("firmware image", ConditionRule.NAMED, _of("image"), where=_has_one_name),
    Condition("compiler", ConditionRule.NAMED, _of("compiler")),
    Condition("compiler flags", ConditionRule.NAMED, _of("compiler_flags"), _said_flags, _words),
    Condition("build options", ConditionRule.NAMED, _build_options, lambda options: ", ".join(map("=".join, options)), _options),
    Condition("kernel", ConditionRule.NAMED, _of("kernel")),
    Condition("kernel version", ConditionRule.NAMED, _of("kernel_version")),
    Condition("kernel command line", ConditionRule.NAMED, _of("kernel_command_line"), str, lambda ours, theirs: _words([ours], [theirs])),
    Condition("kernel-stack randomisation", ConditionRule.NAMED, _of("kstack_randomised"), _switch("on", "off")),
    Condition("hwrng driver", ConditionRule.NAMED, _of("hwrng_driver"), _switch("loaded", "not loaded")),
    Condition("hwrng node", ConditionRule.NAMED, _of("hwrng_node")),
    Condition("hwrng quality", ConditionRule.NAMED, _of("hwrng_quality"), lambda quality: f"{quality}/1024"),
    Condition("hold of TRNG_RND", ConditionRule.NAMED, _of("trng_hold_us"), lambda us: f"{us} µs"),
    Condition("tick", ConditionRule.NAMED, _tick, lambda ns: f"{ns:g} ns"),
    Condition("source tree", ConditionRule.NOTE, _trees, ", ".join, where=_has_other_image),
    Condition("duration", ConditionRule.NOTE, _of("duration_s"), lambda s: f"{s:g} s"),
    Condition("iterations", ConditionRule.NOTE, _of("iterations")),
    Condition("hotplug cycles", ConditionRule.NOTE, _of("hotplug_cycles")),
    Condition("suspends", ConditionRule.NOTE, _of("suspends")),
)
OF_THE_RUN = tuple(one for one in CONDITIONS if one.name in ("mode", "emulator", "build options", "tick"))
"""What a reader finds elsewhere in the head of a run."""
