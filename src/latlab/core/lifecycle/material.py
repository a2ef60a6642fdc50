# SPDX-License-Identifier: BSD-3-Clause
"""What a store has of a run beside its head, each read when it is asked for. Heavy imports wait until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from latlab.core.errors import DataError
from latlab.core.kinds.registry import kind_of, row_of
from latlab.core.model.run import Run

if TYPE_CHECKING:
    from latlab.core.kinds.kind import Forms
    from latlab.core.model.time_line import TimeLine
    from latlab.core.store.store import Store

T = TypeVar("T")
EXPORT_LOG = "export.json"
"""The log of a run that was imported from an export."""
WITHOUT_TIMES = (
    "none of its data have a time; a time line needs traces of latlab's own firmware, the probe's stream, or late wake-ups of a recorder"
)


def load_run(store: Store, reference: str) -> Run:
    """The whole run. Raises DataError if its kind has no figures."""
    run = store.load(reference)
    if reason := kind_of(run).codec.unreadable:
        raise DataError(reason.format(id=run.id))
    return RunArtifacts(store, run).whole


class RunArtifacts:
    """`every_build` puts the newest run of every other build beside one of the psa campaign that was measured alike."""

    def __init__(self, store: Store, run: Run, every_build: bool = False) -> None:
        self.store, self.run, self.every_build = store, run, every_build

    @cached_property
    def logs(self) -> Mapping[str, bytes]:
        return self.store.logs(self.run.id)

    @cached_property
    def whole(self) -> Run:
        """The run with the figures that are made of its logs, or of the runs that it consists of."""
        read = row_of(self.run).codec.read
        if read is None:
            return self.run
        if self.is_exported:
            from latlab.core.lifecycle.exported import with_export

            return self.named(lambda files: with_export(self.run, files))
        return read(self)

    @property
    def forms(self) -> Forms:
        """The forms of the run's campaign; those of its kind if only its export is left."""
        return (kind_of if self.is_exported else row_of)(self.run).forms

    @property
    def is_exported(self) -> bool:
        """Whether an export is all that is left of the run: what a campaign draws of its other files is not there."""
        return EXPORT_LOG in self.logs

    @property
    def is_stored(self) -> bool:
        return self.store.has(self.run.id)

    @property
    def stored_logs(self) -> Mapping[str, bytes]:
        """The logs of a run that is in the store; none of another."""
        return self.logs if self.is_stored else {}

    @property
    def time_line(self) -> TimeLine:
        """Everything of the run that has a time. Raises DataError if nothing has one."""
        read = kind_of(self.run).analysis.time_line
        if read is None:
            raise DataError(str(WITHOUT_TIMES), place=self.run.id)
        try:
            return read(self)
        except DataError as error:
            raise DataError(str(error), place=self.run.id) from error

    def named(self, read: Callable[[Mapping[str, bytes]], T]) -> T:
        """What is read from the logs; a fault in them names the run."""
        files = self.logs
        try:
            return read(files)
        except DataError as error:
            raise DataError(str(error), place=self.run.id) from error

    def parsed(self, parse: Callable[[bytes], T], name: str) -> T:
        """One log, which is empty if the run has none. Raises DataError if it is damaged."""
        try:
            return parse(self.store.log(self.run.id, name))
        except ValueError as error:
            raise DataError(f"its log {name} is damaged ({error})", "run it again", place=self.run.id) from error
