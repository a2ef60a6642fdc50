# SPDX-License-Identifier: BSD-3-Clause
"""Whether two runs of wake-ups may be compared: under the same conditions, with what is not known said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from latlab.analysis.base.identity import NotComparable, check_same, partial_runs
from latlab.model.enums import Metric
from latlab.model.run import CoreId, Distribution, Run

EMULATION = "multi-threaded emulation: shows that it works, its latencies are not to be published"
VIRTUAL_MACHINE = "virtual machine: not an RT figure"
UNKNOWN_MODE = "imported"
SAME = ("mode", "interval", "priority", "load", "idle states")
NOTED = ("kernel", "version", "kernel-stack randomisation", "hwrng driver", "firmware")
SUMMARY_TESTS = ("cyclictest_min", "cyclictest_avg", "cyclictest_max")
TOOLS = ("recorder", "cyclictest", "jitterdebugger", "rtla-timerlat-Thr", "rtla-timerlat-Usr", "rtla-timerlat-IRQ")
_SECONDS_OF = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LARGEST_RATIO = 300.0


@dataclass(frozen=True)
class WakeupPair:
    """Two runs that may be compared; `joined` holds the distributions of one CPU by one tool in both."""

    a: Run
    b: Run
    joined: tuple[tuple[Distribution, Distribution], ...]
    notes: tuple[str, ...]
    gaps: tuple[str, ...]


def pair_wakeups(a: Run, b: Run) -> WakeupPair:
    """Raises NotComparable with one sentence where the two do not belong together."""
    for run in (a, b):
        check_latencies(run)
    notes: list[str] = []
    check_same(a, b, notes)
    _check_conditions(a, b, notes)
    gaps = partial_runs(a, b)
    joined = _joined(a, b, notes, gaps)
    _refuse_unit_slip(a, b, joined)
    notes += [_problems_note(run) for run in (a, b) if run.problems]
    return WakeupPair(a, b, joined, tuple(notes), tuple(gaps))


def check_latencies(run: Run) -> None:
    """Refuse what must not be mistaken for a latency."""
    if mode_of(run) == EMULATION:
        raise NotComparable(
            f"{run.id} ran in multi-threaded emulation, so its figures are the host's scheduling and no latencies; "
            "run it with --cores 1 --mode deterministic, or on a board"
        )


def mode_of(run: Run) -> str | None:
    """None where the source does not say it."""
    mode = dict(run.facts).get("mode")
    return None if mode is None or mode.startswith(UNKNOWN_MODE) else mode


def caveat_of(*runs: Run) -> str:
    """What must be said with every verdict on these runs."""
    return VIRTUAL_MACHINE if any(mode_of(run) == VIRTUAL_MACHINE for run in runs) else ""


def interval_ns(run: Run) -> int | None:
    said = conditions_of(run).get("interval")
    return int(float(said.removesuffix(" us")) * 1000) if said else None


def conditions_of(run: Run) -> dict[str, str]:
    """What a run was measured under, by name, as far as it says so itself or in the command that measured."""
    facts = dict(run.facts)
    command = facts.get("command") or facts.get("cyclictest command") or ""
    load = facts.get("load command") or facts.get("load")
    found = {
        "mode": mode_of(run),
        "interval": _microseconds(facts.get("interval_us") or _option(command, "i")),
        "priority": facts.get("priority") or _option(command, "p"),
        "load": load.removesuffix(" &") if load else None,
        "idle states": facts.get("idle states"),
        "firmware": None if run.build.firmware == "unknown" else run.build.firmware,
        **{name: facts.get(name) for name in NOTED if name in facts},
    }
    return {name: value for name, value in found.items() if value}


def distributions_of(run: Run) -> tuple[Distribution, ...]:
    """What was counted, or what a published table says of it: minimum, average and maximum of each CPU."""
    if run.distributions:
        return run.distributions
    figures: dict[CoreId, dict[str, int]] = {}
    for sample in run.samples:
        if sample.metric is Metric.TASK_WAKEUP and sample.test in SUMMARY_TESTS:
            figures.setdefault(sample.core, {})[sample.test] = sample.value_ticks
    due = _due(run)
    return tuple(
        Distribution(
            test="cyclictest",
            metric=Metric.TASK_WAKEUP,
            core=core,
            counts=(),
            beyond=0,
            got=due or 0,
            expected=due,
            missed=None,
            minimum_ticks=found["cyclictest_min"],
            maximum_ticks=found["cyclictest_max"],
            average_ticks=float(found["cyclictest_avg"]),
        )
        for core, found in sorted(figures.items())
        if set(found) == set(SUMMARY_TESTS)
    )


def _due(run: Run) -> int | None:
    """How many wake-ups the command of a published run asked for on each CPU."""
    command, interval = dict(run.facts).get("command", ""), interval_ns(run)
    duration = re.search(r"(?:^|\s)-D\s*(\d+)([smhd]?)\b", command)
    if not duration or not interval:
        return None
    return int(duration[1]) * _SECONDS_OF[duration[2]] * 1_000_000_000 // interval


def _option(command: str, letter: str) -> str | None:
    """The number of a short option of cyclictest, which may end a group: -i200, -Sp80."""
    found = re.search(rf"(?:^|\s)-[a-zA-Z]*{letter}\s*(\d+)", command)
    return found[1] if found else None


def _microseconds(text: str | None) -> str | None:
    return f"{text} us" if text else None


def _check_conditions(a: Run, b: Run, notes: list[str]) -> None:
    ours, theirs = conditions_of(a), conditions_of(b)
    for name in SAME:
        if name in ours and name in theirs and ours[name] != theirs[name]:
            raise NotComparable(
                f"the {name} differs, {ours[name]} in {a.id} and {theirs[name]} in {b.id}; compare runs under the same conditions"
            )
    for run, known, other in ((a, ours, theirs), (b, theirs, ours)):
        missing = [name for name in SAME if name not in known and name in other]
        if missing:
            notes.append(f"{run.id} does not say its {', '.join(missing)}; taken to be the other's")
    notes += _differences(ours, theirs)


def _differences(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    return [
        f"the {name} differs, {ours[name]} and {theirs[name]}: a difference may be its doing"
        for name in NOTED
        if name in ours and name in theirs and ours[name] != theirs[name]
    ]


def _joined(a: Run, b: Run, notes: list[str], gaps: list[str]) -> tuple[tuple[Distribution, Distribution], ...]:
    ours, theirs = _by_test(a), _by_test(b)
    tests = [(test, test) for test in ours if test in theirs]
    if not tests:
        one, other = _preferred(ours), _preferred(theirs)
        if one is None or other is None:
            raise NotComparable(f"{a.id} has {_named(ours)} and {b.id} has {_named(theirs)}; compare runs of one tool and condition")
        notes.append(f"the tool differs, {one} and {other}: what they add to a wake-up themselves is part of every difference")
        tests = [(one, other)]
    used = {name for pair in tests for name in pair}
    for run, found in ((a, ours), (b, theirs)):
        left = [test for test in found if test not in used]
        if left:
            notes.append(f"{', '.join(left)} stands only in {run.id}")
            gaps += notes[-1:] if run is a else []
    joined = []
    for one, other in tests:
        odd = sorted(set(ours[one]) ^ set(theirs[other]))
        if odd:
            notes.append(f"{one}: CPU {', '.join(str(core.core) for core in odd)} is left out: it is missing in one of the runs")
            gaps += notes[-1:] if set(ours[one]) - set(theirs[other]) else []
        joined += [(ours[one][core], theirs[other][core]) for core in sorted(set(ours[one]) & set(theirs[other]))]
    if not joined:
        raise NotComparable(f"{a.id} and {b.id} measured different CPUs; compare runs of the same CPUs")
    return tuple(joined)


def _by_test(run: Run) -> dict[str, dict[CoreId, Distribution]]:
    found: dict[str, dict[CoreId, Distribution]] = {}
    for one in distributions_of(run):
        found.setdefault(one.test, {})[one.core] = one
    if not found:
        raise NotComparable(f"{run.id} holds no wake-ups; name a run of `latlab run rt` or of `latlab import-rt`")
    return found


def _preferred(found: Mapping[str, object]) -> str | None:
    return next((tool for tool in TOOLS if tool in found), None)


def _named(found: Mapping[str, object]) -> str:
    return ", ".join(found)


def _refuse_unit_slip(a: Run, b: Run, joined: tuple[tuple[Distribution, Distribution], ...]) -> None:
    for one, other in joined:
        ours, theirs = one.average_ticks * a.tick.value, other.average_ticks * b.tick.value
        if ours > 0 and theirs > 0 and not 1 / _LARGEST_RATIO <= theirs / ours <= _LARGEST_RATIO:
            larger, factor = (b, theirs / ours) if theirs > ours else (a, ours / theirs)
            raise NotComparable(
                f"unit suspect: figures of {larger.id} are {factor:.0f} times the other's; check its unit (ns labelled as us?)"
            )


def _problems_note(run: Run) -> str:
    more = f" and {len(run.problems) - 1} more" if len(run.problems) > 1 else ""
    return f"{run.id} met a problem{more}: {run.problems[0].message}"
