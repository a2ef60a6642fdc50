# SPDX-License-Identifier: BSD-3-Clause
"""The conditions that must agree before two runs are compared: one rule for each condition, the same for every campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from latlab.core.comparison.identity import NotComparable, check_same, refusing_parts
from latlab.core.comparison.wording import MODES
from latlab.core.errors import UsageError
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock
from latlab.core.model.run import OF_A_COMMIT, Run
from latlab.core.shown import significant

Identity = tuple[tuple[str, str | None], ...]
"""(name, value) of each part; None if the run does not state it."""
CHOSEN_FIRMWARE = ("qemu", "trace")
"""Targets that are given the firmware: an emulator, and what made a trace."""
OWN_PARTS = ("platform", "topology", "build type")
"""Behind the name and version of latlab's own firmware, before its compiler."""
SIMULATED = "simulated: virtual time on a model of the board, no measurement"


class ConditionRule(StrEnum):
    """The effect on a comparison if both runs state a condition and differ in it."""

    VOID = "void"
    """Two things are compared: refused, or wanted and titled so."""
    NAMED = "named"
    """A difference may be its doing: named in the first line."""
    NOTE = "note"
    """It is no cause of a difference, but its reader should know."""


@dataclass(frozen=True, slots=True)
class Condition:
    """`of` is the value of a run, None if the run does not state it. `between` describes a difference if the two values alone do not.
    `where` says for which pairs of runs the condition applies; None is every pair. `is_choice`: who measures chooses it, so that runs which
    differ in it have histories of their own, though two of them may be compared."""

    name: str
    rule: ConditionRule
    of: Callable[[Run], Any]
    format: Callable[[Any], str] = str
    between: Callable[[Any, Any], str] | None = None
    where: Callable[[Run, Run], bool] | None = None
    is_choice: bool = False

    @property
    def option(self) -> str:
        """The name of the condition as `--allow-different` accepts it."""
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
    """`across` are differences that would refuse the comparison and were allowed by the user. `notes` are sentences for differences that
    are only reported."""

    across: tuple[Difference, ...] = ()
    named: tuple[Difference, ...] = ()
    noted: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The text that is printed with every verdict; empty if there is none."""
        ignored = f"across {'; '.join(f'{difference.name}: {difference.between}' for difference in self.across)}" if self.across else ""
        named = f"differs: {'; '.join(f'{difference.name} {difference.between}' for difference in self.named)}" if self.named else ""
        return "; ".join(filter(None, (ignored, named)))

    @property
    def all(self) -> tuple[Difference, ...]:
        return (*self.across, *self.named, *self.noted)


ALIKE = Differences()


def differences(a: Run, b: Run, across: Iterable[str] = ()) -> Differences:
    """The differing conditions of two runs. Raises NotComparable if such a condition refuses the comparison and is not in `across`, or
    if the runs differ in platform, clock, topology or campaign."""
    check_same(a, b, [])
    ignored, differing = set(across), [_difference(condition, a, b) for condition in CONDITIONS if _differ(condition, a, b)]
    void = [difference for difference in differing if difference.rule is ConditionRule.VOID]
    unwanted = [difference for difference in void if difference.name.replace(" ", "-") not in ignored]
    if unwanted:
        raise NotComparable(_refusal(unwanted, a, b))
    named, noted = (
        [difference for difference in differing if difference.rule is rule] for rule in (ConditionRule.NAMED, ConditionRule.NOTE)
    )
    notes = [_named(difference, a, b) for difference in noted]
    notes += filter(None, (_unsaid(a, b), _unsaid(b, a)))
    return Differences(tuple(void), tuple(named), tuple(noted), tuple(notes))


def identity_of(run: Run) -> Identity:
    """The parts by which `differences` refuses to compare two runs, and what who measures chooses beside them: runs with one identity are
    one series, in which each is judged against one before it."""
    return identity_with(run, build_of(run.build.firmware, run.target))


def identity_with(run: Run, build: str | None) -> Identity:
    """The identity of a run that measured this `build_of`. Nothing else of the identity depends on the firmware's name."""
    chosen = [condition for condition in CONDITIONS if condition.rule is ConditionRule.VOID or condition.is_choice]
    values = ((condition, condition.of(run)) for condition in chosen)
    stated = [(condition.name, None if value is None else condition.format(value)) for condition, value in values]
    return (*refusing_parts(run), ("target", run.target), ("build", build), *stated)


def distinguished(identities: Sequence[Identity]) -> dict[Identity, str]:
    """What tells each identity from the others, in words; empty if nothing does. There may be thousands, as of builds."""
    differing = {parts[0][0] for parts in zip(*identities, strict=True) if len(set(parts)) > 1}
    return {
        identity: ", ".join(f"{name} {value or 'not stated'}" for name, value in identity if name in differing) for identity in identities
    }


def build_of(firmware: str, target: str) -> str | None:
    """Which firmware was measured where a user chooses it: the name of a build or a subject, without version and compiler. A board runs
    what it has, and there the name of the firmware is its release."""
    name, *parts = firmware.split(";")
    if parts:
        return ";".join((name.rpartition("-")[0], *parts[: len(OWN_PARTS)]))
    return firmware if target in CHOSEN_FIRMWARE else None


def differing_conditions(run: Run, other: Run) -> tuple[Condition, ...]:
    """The conditions in which two runs are not known to agree: those that one of them does not state, and those that differ."""
    return tuple(
        condition for condition in CONDITIONS if condition.rule is not ConditionRule.NOTE and condition.of(run) != condition.of(other)
    )


def check_across(names: Sequence[str]) -> frozenset[str]:
    """The names of `--allow-different`. Raises UsageError for a name that is no condition that refuses a comparison."""
    options = [condition.option for condition in CONDITIONS if condition.rule is ConditionRule.VOID]
    unknown = next((name for name in names if name not in options), None)
    if unknown is not None:
        raise UsageError(
            f"--allow-different {unknown!r} is no condition that prevents a comparison", f"use {', '.join(options)}", value=unknown
        )
    return frozenset(names)


def unreliable_mode(*runs: Run) -> Mode | None:
    """The mode of these runs that must be printed with every verdict, None if there is none."""
    return Mode.VIRTUAL_MACHINE if any(run.conditions.mode is Mode.VIRTUAL_MACHINE for run in runs) else None


def caveat_of(*runs: Run) -> str:
    """The limit of the figures of these runs, printed with all of them; empty if there is none."""
    mode = unreliable_mode(*runs)
    simulated = SIMULATED if any(run.is_simulated for run in runs) else ""
    return "; ".join(filter(None, (simulated, MODES[mode] if mode else "")))


def label_of(run: Run) -> str:
    """The caveat in one word, for names of figures and files; empty if there is none."""
    if run.is_simulated:
        return "simulated"
    return "virtual-machine" if unreliable_mode(run) else ""


def stated_conditions(run: Run) -> list[tuple[str, str]]:
    """The stated conditions of a run, as (name, value) for a reader."""
    return [
        (condition.name, condition.format(value))
        for condition in CONDITIONS
        if condition not in OF_THE_RUN and (value := condition.of(run)) is not None
    ]


def stated_by_rule(run: Run, rule: ConditionRule) -> dict[str, str]:
    """The stated conditions of a run with this rule, by name, if the rule holds for every pair of runs."""
    conditions = (condition for condition in CONDITIONS if condition.rule is rule and condition.where is None)
    return {condition.name: condition.format(value) for condition in conditions if (value := condition.of(run)) is not None}


def _differ(condition: Condition, a: Run, b: Run) -> bool:
    ours, theirs = condition.of(a), condition.of(b)
    return ours is not None and theirs is not None and ours != theirs and (condition.where is None or condition.where(a, b))


def _difference(condition: Condition, a: Run, b: Run) -> Difference:
    ours, theirs = condition.of(a), condition.of(b)
    before, after = condition.format(ours), condition.format(theirs)
    return Difference(
        condition.name, condition.rule, before, after, condition.between(ours, theirs) if condition.between else _both(before, after)
    )


def _refusal(void: Sequence[Difference], a: Run, b: Run) -> str:
    explanation = ", and ".join(_named(difference, a, b) for difference in void)
    options = " ".join(f"--allow-different {difference.name.replace(' ', '-')}" for difference in void)
    return f"{explanation}; compare runs under the same conditions, or allow the difference with {options}"


def _named(difference: Difference, a: Run, b: Run) -> str:
    """The difference in words. Names of several things, such as `iterations`, are plural. Two lists are told by their differing words."""
    begin = f"the {difference.name} differ{'' if difference.name.endswith('s') else 's'}"
    if difference.between != _both(difference.before, difference.after):
        return f"{begin}, {difference.between} in {b.id}"
    return f"{begin}, {difference.before} in {a.id} and {difference.after} in {b.id}"


def _both(before: str, after: str) -> str:
    return f"{before} to {after}"


def _unsaid(run: Run, other: Run) -> str:
    weighty = (
        condition
        for condition in CONDITIONS
        if condition.rule is not ConditionRule.NOTE and (condition.where is None or condition.where(run, other))
    )
    names = [condition.name for condition in weighty if condition.of(run) is None and condition.of(other) is not None]
    return f"{run.id} does not state its {', '.join(names)}; latlab assumes those of the other run" if names else ""


def _words(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """The words that occur in only one of two lists."""
    before, after = (dict.fromkeys(word for line in lines for word in line.split()) for lines in (ours, theirs))
    gone, new = ([word for word in words if word not in other] for words, other in ((before, after), (after, before)))
    if not gone and not new:
        return "of single files"
    if not gone or not new:
        return f"with {' '.join(new)}" if new else f"without {' '.join(gone)}"
    return f"{' '.join(gone)} to {' '.join(new)}"


def _said_flags(lines: Sequence[str]) -> str:
    """The flags that all files were compiled with, then the additional flags of single files."""
    sets = [line.split() for line in lines]
    common = dict.fromkeys(word for word in sets[0] if all(word in other for other in sets))
    beside = dict.fromkeys(word for words in sets for word in words if word not in common)
    return " ".join(common) + (f"; single files {' '.join(beside)}" if beside else "")


def _options(ours: tuple[tuple[str, str], ...], theirs: tuple[tuple[str, str], ...]) -> str:
    before, after = dict(ours), dict(theirs)
    keys = [key for key in dict.fromkeys((*before, *after)) if before.get(key) != after.get(key)]
    return ", ".join(f"{key} {before.get(key) or 'unset'} to {after.get(key) or 'unset'}" for key in keys)


def _build_options(run: Run) -> tuple[tuple[str, str], ...] | None:
    """The options of a build. The commit it was built from names the firmware and is not a condition."""
    return tuple(option for option in run.build.options if option[0] not in OF_A_COMMIT) or None


def _has_one_name(a: Run, b: Run) -> bool:
    """Whether both firmwares have the same name. Two names state themselves that two firmwares are compared."""
    return a.build.firmware == b.build.firmware


def _has_other_image(a: Run, b: Run) -> bool:
    """Whether the images differ. If the images are the same, different source trees do not matter."""
    return a.conditions.image != b.conditions.image


def _trees(run: Run) -> tuple[str, ...] | None:
    return tuple(map(str, run.provenance.trees)) or None


def _of(field: str) -> Callable[[Run], Any]:
    return lambda run: getattr(run.conditions, field)


def _switch(on: str, off: str) -> Callable[[bool], str]:
    return lambda value: on if value else off


def _tick(run: Run) -> float | None:
    """The tick, None under the instruction clock: there a different tick is another shift of the same clock."""
    return None if run.tick.clock is Clock.INSTRUCTIONS else run.tick.value


CONDITIONS = (
    Condition("mode", ConditionRule.VOID, _of("mode"), MODES.__getitem__),
    Condition("processor", ConditionRule.VOID, _of("processor")),
    Condition("interrupt controller", ConditionRule.VOID, _of("interrupt_controller")),
    Condition("exception level", ConditionRule.VOID, _of("exception_level"), lambda level: f"EL{level}"),
    Condition("instrument", ConditionRule.VOID, _of("instrument")),
    Condition("trace events", ConditionRule.VOID, _of("trace_events"), ", ".join, _words),
    Condition("interrupt priority", ConditionRule.VOID, _of("interrupt_priority"), lambda priority: f"{priority:#04x}"),
    Condition("basepri", ConditionRule.VOID, _of("basepri"), lambda mask: f"{mask:#04x}"),
    Condition("interval", ConditionRule.VOID, _of("interval_ns"), lambda ns: f"{significant(ns / 1000)} µs"),
    Condition("priority", ConditionRule.VOID, _of("priority")),
    Condition("load", ConditionRule.VOID, _of("load"), lambda command: command or "none"),
    Condition("idle states", ConditionRule.VOID, _of("idle_states"), _switch("allowed", "forbidden by /dev/cpu_dma_latency")),
    Condition("emulator", ConditionRule.NAMED, lambda run: run.emulator or None),
    Condition("emulator options", ConditionRule.NAMED, _of("emulator_options"), ", ".join, _words, is_choice=True),
    Condition("board model", ConditionRule.NAMED, _of("board_model")),
    Condition("firmware image", ConditionRule.NAMED, _of("image"), where=_has_one_name),
    Condition("compiler", ConditionRule.NAMED, _of("compiler")),
    Condition("compiler flags", ConditionRule.NAMED, _of("compiler_flags"), _said_flags, _words),
    Condition(
        "build options", ConditionRule.NAMED, _build_options, lambda options: ", ".join(map("=".join, options)), _options, is_choice=True
    ),
    Condition("kernel", ConditionRule.NAMED, _of("kernel")),
    Condition("kernel version", ConditionRule.NAMED, _of("kernel_version")),
    Condition("kernel command line", ConditionRule.NAMED, _of("kernel_command_line"), str, lambda ours, theirs: _words([ours], [theirs])),
    Condition("preemption model", ConditionRule.NAMED, _of("preemption")),
    Condition("kernel-stack randomisation", ConditionRule.NAMED, _of("kstack_randomised"), _switch("on", "off")),
    Condition("hwrng driver", ConditionRule.NAMED, _of("hwrng_driver"), _switch("loaded", "not loaded"), is_choice=True),
    Condition("hwrng node", ConditionRule.NAMED, _of("hwrng_node"), is_choice=True),
    Condition("hwrng quality", ConditionRule.NAMED, _of("hwrng_quality"), lambda quality: f"{quality}/1024"),
    Condition("hold of TRNG_RND", ConditionRule.NAMED, _of("trng_hold_us"), lambda us: f"{us} µs", is_choice=True),
    Condition("tick", ConditionRule.NAMED, _tick, lambda ns: f"{significant(ns)} ns"),
    Condition("source tree", ConditionRule.NOTE, _trees, ", ".join, where=_has_other_image),
    Condition("duration", ConditionRule.NOTE, _of("duration_s"), lambda s: f"{significant(s)} s"),
    Condition("iterations", ConditionRule.NOTE, _of("iterations")),
    Condition("hotplug cycles", ConditionRule.NOTE, _of("hotplug_cycles")),
    Condition("suspends", ConditionRule.NOTE, _of("suspends")),
    Condition("tool", ConditionRule.NOTE, _of("tool"), is_choice=True),
)
WITHOUT_RULE: Mapping[str, str] = {
    "affinity": "each row of a run names its CPU, so that a CPU without a row is missing data",
    "commands": "the conditions that they set are fields of their own",
}
"""Fields of the conditions without a rule, and why two runs that differ there are still alike."""
OF_THE_RUN = tuple(condition for condition in CONDITIONS if condition.name in ("mode", "emulator", "build options", "tick"))
"""What a reader finds elsewhere in the head of a run."""
