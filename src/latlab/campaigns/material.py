# SPDX-License-Identifier: BSD-3-Clause
"""What a store has of a run beside its head, each read when it is asked for. Heavy imports wait until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from latlab.errors import DataError
from latlab.formats.probe.functions import KINDS_LOG, MASKED_LOG, TIMELINES_LOG, parse_kinds, parse_masked, parse_timelines
from latlab.model.enums import Kind
from latlab.model.run import CallsOfKind, MaskedAtlas, Run, SpanTimeline

if TYPE_CHECKING:
    from latlab.analysis.design.response import Response
    from latlab.analysis.design.result import Analysis
    from latlab.analysis.spans.psa_builds import BuildResult
    from latlab.analysis.wakeups.result import RtResult
    from latlab.campaigns.power_results import PowerResult
    from latlab.campaigns.steal_results import StealPhase
    from latlab.model.symbols import Symbols
    from latlab.model.time_line import TimeLine
    from latlab.store.store import Store

T = TypeVar("T")


def load_run(store: Store, reference: str) -> Run:
    """The whole run. Raises DataError where its kind has no figures."""
    run = store.load(reference)
    if run.kind is Kind.POWER:
        raise DataError(f"{run.id} has power-state transitions and no wake-ups; `latlab show {run.id}` prints them")
    return RunArtifacts(store, run).whole


class RunArtifacts:
    """`every_build` puts the newest run of every other build beside one of the psa campaign that was measured alike."""

    def __init__(self, store: Store, run: Run, every_build: bool = False) -> None:
        self._store, self.run, self._every_build = store, run, every_build

    @cached_property
    def logs(self) -> Mapping[str, bytes]:
        return self._store.logs(self.run.id)

    @cached_property
    def whole(self) -> Run:
        """The run with the figures that are made of its logs, or of the runs that it consists of."""
        if self.run.kind is not Kind.SPANS and self.is_exported:
            from latlab.campaigns.exported import with_export

            return self._named(lambda files: with_export(self.run, files))
        match self.run.kind:
            case Kind.WAKEUPS:
                from latlab.campaigns.rt_samples import with_distributions

                return self._named(lambda files: with_distributions(self.run, files))
            case Kind.AMOUNTS:
                from latlab.campaigns.benchmarks import with_amounts

                return self._named(lambda files: with_amounts(self.run, files))
            case Kind.ATTACKS:
                from latlab.campaigns.attack import with_attacks

                return with_attacks(self._store, self.run)
            case Kind.DESIGN:
                from latlab.campaigns.design_results import with_experiment

                return with_experiment(self._store, self.run, load_run)
            case _:
                return self.run

    @property
    def is_exported(self) -> bool:
        """Whether an export is all that is left of the run: what a campaign draws of its other files is not there."""
        from latlab.campaigns.exported import EXPORT_LOG

        return EXPORT_LOG in self.logs

    @cached_property
    def wakeups(self) -> list[tuple[str, RtResult]]:
        from latlab.campaigns.rt_results import results_of

        return self._named(lambda files: results_of(self.run, files))

    @cached_property
    def power(self) -> PowerResult:
        from latlab.campaigns.power_results import power_result

        return self._named(power_result)

    @cached_property
    def stolen(self) -> tuple[StealPhase, ...]:
        from latlab.campaigns.steal_results import phases_of

        return self._named(phases_of)

    @property
    def calls(self) -> tuple[CallsOfKind, ...]:
        """Those that a watch saw, by kind; none of another run, and of a watch of an older latlab."""
        return self._read(parse_kinds, KINDS_LOG)

    @property
    def masked(self) -> MaskedAtlas | None:
        """Where interrupts were masked; None where the run did not look."""
        return self._read(parse_masked, MASKED_LOG)

    @property
    def timelines(self) -> tuple[SpanTimeline, ...]:
        """The calls of functions in one iteration of each span; none where the probe kept none, or of a run that is not in the store."""
        return self._read(parse_timelines, TIMELINES_LOG) if self._is_stored else ()

    @property
    def symbols(self) -> Symbols:
        from latlab.campaigns.psa import load_symbols

        return load_symbols(self._store, self.run.id)

    @property
    def time_line(self) -> TimeLine:
        """Everything of the run that has a time. Raises DataError where nothing of it has one."""
        from latlab.campaigns.time_lines import time_line_of

        try:
            return time_line_of(self.run, self.logs if self._is_stored else {}, lambda: self.symbols)
        except DataError as error:
            raise DataError(f"{self.run.id}: {error}") from error

    @property
    def builds(self) -> list[BuildResult]:
        from latlab.campaigns.psa import build_results

        return build_results(self._store, self.run, self._every_build)

    @property
    def effects(self) -> Analysis:
        """What the factors of an experiment do."""
        return self._analysed[0]

    @property
    def response(self) -> Response:
        return self._analysed[1]

    @cached_property
    def _analysed(self) -> tuple[Analysis, Response]:
        from latlab.analysis.design.effects import analysis_of

        assert self.whole.experiment is not None
        return analysis_of(self.whole, self.whole.experiment)

    @property
    def _is_stored(self) -> bool:
        return self.run.id in {stored.id for stored in self._store.runs()}

    def _named(self, read: Callable[[Mapping[str, bytes]], T]) -> T:
        """What is wrong with the logs, with whose they are."""
        files = self.logs
        try:
            return read(files)
        except DataError as error:
            raise DataError(f"{self.run.id}: {error}") from error

    def _read(self, parse: Callable[[bytes], T], name: str) -> T:
        try:
            return parse(self._store.log(self.run.id, name))
        except ValueError as error:
            raise DataError(f"{self.run.id}: its log {name} is damaged ({error}); run it again") from error
