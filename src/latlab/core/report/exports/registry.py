# SPDX-License-Identifier: BSD-3-Clause
"""The forms in which other tools read a run. One more is a module beside this one, a function here that calls it, and its line in
`EXPORTERS`. A function imports its module when it is called, so that a command loads one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from latlab.core.lifecycle.material import RunArtifacts
    from latlab.core.model.run import Run
    from latlab.core.report.redaction import Secrets


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What the command line says of an export. An exporter reads those that it names in its `options`, and hides `secrets` itself if
    its text is made of more than the run."""

    test: str | None = None
    iteration: int | None = None
    origin: str = "latlab"
    build_id: str = ""
    secrets: Secrets | None = None


Material = Callable[[], "RunArtifacts"]
"""What a store has of the run beside its figures, read if it is asked for."""
Render = Callable[["Run", Material, ExportOptions], str | bytes]


@dataclass(frozen=True, slots=True)
class Exporter:
    """`options` are those of the command line that it takes. `reads_material`: it shows more than the run itself. `is_binary`: it returns
    bytes for a file."""

    render: Render
    options: tuple[str, ...] = ()
    reads_material: bool = False
    is_binary: bool = False


def _json(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.store.run_json import render

    return render(run)


def _csv(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.samples_csv import render

    return render(run)


def _junit(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.junit import render

    return render(run)


def _benchmark(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.benchmark_json import render

    return render(run)


def _squad(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.squad import render

    return render(run)


def _bmf(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.bmf import render

    return render(run)


def _lava(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.lava import render

    return render(run)


def _openmetrics(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.openmetrics import render

    return render(run)


def _hlog(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.hlog import render

    return render(run)


def _parquet(run: Run, material: Material, options: ExportOptions) -> bytes:
    from latlab.core.report.exports.parquet import render

    return render(run)


def _kcidb(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.core.report.exports.kcidb import render

    return render(run, options.origin, options.build_id)


def _chrome(run: Run, material: Material, options: ExportOptions) -> str:
    from latlab.runs.pages.trace_events import render

    return render(run, options.test, options.iteration, material)


def _perfetto(run: Run, material: Material, options: ExportOptions) -> bytes:
    from latlab.core.report.exports.perfetto import render

    return render(run, material, options.secrets)


EXPORTERS: Mapping[str, Exporter] = {
    "json": Exporter(_json),
    "csv": Exporter(_csv),
    "junit": Exporter(_junit),
    "benchmark": Exporter(_benchmark),
    "squad": Exporter(_squad),
    "kcidb": Exporter(_kcidb, options=("origin", "build_id")),
    "chrome": Exporter(_chrome, options=("test", "iteration"), reads_material=True),
    "bmf": Exporter(_bmf),
    "lava": Exporter(_lava),
    "openmetrics": Exporter(_openmetrics),
    "hlog": Exporter(_hlog),
    "perfetto": Exporter(_perfetto, reads_material=True, is_binary=True),
    "parquet": Exporter(_parquet, is_binary=True),
}
