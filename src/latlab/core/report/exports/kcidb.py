# SPDX-License-Identifier: BSD-3-Clause
"""KCIDB test results, schema 5.3: each figure is a test that is DONE, with its number. Rules that must hold are PASS or FAIL."""

from __future__ import annotations

import re
from typing import Any

from latlab.core.comparison.by_kind import check_invariants, figures_of
from latlab.core.comparison.conditions import caveat_of
from latlab.core.comparison.wording import COUNTED, EVENTS_PER_MILLION, PER_MILLION
from latlab.core.errors import UsageError
from latlab.core.model.run import Run
from latlab.core.report.renderers import json

VERSION = {"major": 5, "minor": 3}
ORIGIN = "latlab"
_SECONDS_PER_NS = 1e-9


def render(run: Run, origin: str = ORIGIN, build_id: str = "") -> str:
    """`build_id` names the build as KCIDB knows it; without one it is made of the firmware's name."""
    if not re.fullmatch(r"[a-z0-9_]+", origin):
        raise UsageError(f"--origin {origin!r}: KCIDB takes small letters, digits and _ only", value=origin)
    build = build_id or f"{origin}:{run.build.firmware}"
    if not re.fullmatch(r"[a-z0-9_]+:.*", build):
        raise UsageError(f"--build-id {build!r}: KCIDB wants ORIGIN:NAME, such as {origin}:{build}", value=build)
    started = {"start_time": run.started_utc} if re.match(r"\d{4}-\d\d-\d\dT", run.started_utc) else {}
    details = (run.platform, f"{run.topology} cores", f"{run.tick.clock} clock", run.target, caveat_of(run))
    environment = {"comment": ", ".join(filter(None, details))}

    def test(path: str, status: str, **more: Any) -> dict[str, Any]:
        identity = f"{origin}:{run.id}/{path}"
        return {
            "build_id": build,
            "id": identity,
            "origin": origin,
            "path": path,
            "status": status,
            "environment": environment,
            **started,
            **more,
        }

    tests = []
    for figure in figures_of(run):
        if figure.unit in COUNTED:
            number: dict[str, Any] = {"value": figure.value, "unit": COUNTED[figure.unit][1]}
        elif figure.unit in (PER_MILLION, EVENTS_PER_MILLION):
            number = {"value": figure.value, "unit": PER_MILLION}
        else:
            number = {"value": figure.value * _SECONDS_PER_NS, "unit": "s", "prefix": "metric"}
        tests.append(test(_path(figure.path), "DONE", number=number))
    for check in check_invariants(run):
        more = {"comment": check.sentence} if check.sentence else {}
        tests.append(test(_path(f"{check.test}/rules/{check.name}"), "PASS" if check.holds else "FAIL", **more))
    return json.document({"version": VERSION, "tests": tests})


def _path(text: str) -> str:
    """KCIDB's paths are dot-separated and take no other punctuation: a core 1.0 becomes 1-0."""
    return "latlab." + ".".join(re.sub(r"[^a-zA-Z0-9_-]+", "-", part) for part in text.split("/"))
