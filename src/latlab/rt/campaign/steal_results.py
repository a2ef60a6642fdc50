# SPDX-License-Identifier: BSD-3-Clause
"""A run of the steal meter, read back from its raw files: a measurement for each phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from latlab.core.comparison.explanation import Explanation
from latlab.core.errors import DataError
from latlab.core.model.amounts import Amounts
from latlab.core.model.enums import Clock
from latlab.core.model.run import CallsOfKind, Run
from latlab.rt.analysis.by_whom import by_whom, slack, theft_sizes
from latlab.rt.analysis.outside_totals import totals_of, unknown_sentences
from latlab.rt.analysis.periodicity import Period, find_period
from latlab.rt.analysis.steal_coverage import blind_sentences
from latlab.rt.analysis.stolen import amounts_of, amounts_of_counts, by_size
from latlab.rt.model.outside_counts import OutsideCounts
from latlab.rt.model.stolen import Stolen
from latlab.rt.readers.outside_counts import read_outside_counts
from latlab.rt.readers.steal_meter import read_stolen
from latlab.rt.targets.steal_job import PHASES, counts_of, file_of

CAMPAIGN = "steal"
TOOL = "steal meter"


@dataclass(frozen=True, slots=True)
class Repeated:
    """Thefts of one size on a CPU, and the period that they keep."""

    cpu: int
    period: Period
    shortest_ns: int
    longest_ns: int


@dataclass(frozen=True, slots=True)
class StealPhase:
    """One measurement by its name; `periods` are those that the thefts of a CPU keep. `outside` are the counts of hypervisor and SMIs, None
    of an older run."""

    name: str
    measurement: Stolen
    periods: tuple[Repeated, ...]
    outside: OutsideCounts | None = None

    @property
    def is_measured(self) -> bool:
        """Whether anything shows what was taken of a CPU."""
        totals = totals_of(self.outside) if self.outside else ()
        return bool(self.measurement.seeing) or any(cpu.stolen_ns is not None or cpu.smis is not None for cpu in totals)


def phases_of(files: Mapping[str, bytes]) -> tuple[StealPhase, ...]:
    """Raises DataError where there is none."""
    by_phase = [(phase, read_stolen(files[file_of(phase)], file_of(phase))) for phase in PHASES if file_of(phase) in files]
    if not by_phase:
        raise DataError("no file of the steal meter came back; its messages and those of the job are kept (`latlab show --log meter.err`)")
    return tuple(StealPhase(name, steal, repeated(steal), _counts(files, counts_of(name))) for name, steal in by_phase)


def _counts(files: Mapping[str, bytes], name: str) -> OutsideCounts | None:
    return read_outside_counts(files[name], name) if files.get(name) else None


def problems_of(files: Mapping[str, bytes]) -> list[str]:
    """What is wrong with the files of a run, and a machine on which nothing could be measured."""
    phases = phases_of(files)
    problems = [problem for phase in phases for problem in phase.measurement.problems]
    problems += [problem for phase in phases if phase.outside for problem in phase.outside.problems]
    if not any(phase.is_measured for phase in phases):
        problems += blind_sentences(phases[0].measurement.cpus)
        problems += unknown_sentences(phases[0].outside) if phases[0].outside else ()
    return problems


def with_stolen(run: Run, files: Mapping[str, bytes]) -> Run:
    """The run with its amounts."""
    phases = phases_of(files)
    amounts = [amount for phase in phases for amount in amounts_of(phase.name, phase.measurement)]
    amounts += [amount for phase in phases if phase.outside for amount in amounts_of_counts(phase.name, phase.outside)]
    return replace(run, contents=Amounts(tuple(amounts), TOOL))


def thefts_by_caller(run: Run, files: Mapping[str, bytes], kinds: Sequence[CallsOfKind]) -> tuple[Explanation, ...]:
    """By size, which calls of a watch of the same firmware the thefts may have been. Raises DataError where sizes cannot be compared."""
    if run.campaign != CAMPAIGN:
        raise DataError(f"{run.id} is no run of the steal meter, so it has no steal time", "`latlab run steal` makes one")
    if run.tick.clock is not Clock.INSTRUCTIONS:
        raise DataError(
            f"{run.id} was measured in time and the probe counts instructions: the time of a call there is unknown. Measure with "
            "`latlab run steal --target guest`, or print the calls alone with `latlab show`"
        )
    if not kinds:
        raise DataError("the run with the calls has none", "make it with `latlab watch` and the same firmware")
    a_ns = run.tick.value
    explanations: list[Explanation] = []
    for phase in phases_of(files):
        calibrations = [cpu.calibration for cpu in phase.measurement.seeing if cpu.calibration]
        explanations += by_whom(
            phase.name, theft_sizes(phase.measurement, a_ns), kinds, slack(calibrations, phase.measurement.counter_hz, a_ns)
        )
    return tuple(explanations)


def repeated(steal: Stolen) -> tuple[Repeated, ...]:
    """What comes again and again on a CPU, by how much it takes."""
    return tuple(_repeated(steal))


def _repeated(steal: Stolen) -> Iterator[Repeated]:
    for cpu in steal.seeing:
        for thefts in by_size(cpu.thefts):
            if period := find_period([round(steal.ns_of(theft.begin_ticks - steal.start_ticks)) for theft in thefts], steal.interval_ns):
                yield Repeated(cpu.cpu, period, min(theft.stolen_ns for theft in thefts), max(theft.stolen_ns for theft in thefts))
