# SPDX-License-Identifier: BSD-3-Clause
"""The forms in which other tools read a run. One more is a module beside this one and its line in `EXPORTERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from latlab.campaigns.material import RunArtifacts
    from latlab.model.run import Run


@dataclass(frozen=True, slots=True)
class Exporter:
    """`render` of this module takes a run, and by name these `options` of the command line, or `secrets`, which it is to hide; with `asks`
    also `material`, which gives what is kept of a stored run beside its figures. What it returns is text, or bytes for a file."""

    module: str
    options: tuple[str, ...] = ()
    asks: bool = False
    is_binary: bool = False

    def render(self, run: Run, material: Callable[[], RunArtifacts], options: Mapping[str, Any]) -> str | bytes:
        chosen = {name: options[name] for name in self.options} | ({"material": material} if self.asks else {})
        rendered: str | bytes = import_module(f"latlab.{self.module}").render(run, **chosen)
        return rendered


EXPORTERS: Mapping[str, Exporter] = {
    "json": Exporter("formats.run_json"),
    "csv": Exporter("report.exports.samples_csv"),
    "junit": Exporter("report.exports.junit"),
    "benchmark": Exporter("report.exports.benchmark_json"),
    "squad": Exporter("report.exports.squad"),
    "kcidb": Exporter("report.exports.kcidb", options=("origin", "build_id")),
    "chrome": Exporter("report.exports.trace_events", options=("test", "iteration"), asks=True),
    "bmf": Exporter("report.exports.bmf"),
    "lava": Exporter("report.exports.lava"),
    "openmetrics": Exporter("report.exports.openmetrics"),
    "hlog": Exporter("report.exports.hlog"),
    "perfetto": Exporter("report.exports.perfetto", options=("secrets",), asks=True, is_binary=True),
    "parquet": Exporter("report.exports.parquet", is_binary=True),
}
