# SPDX-License-Identifier: BSD-3-Clause
"""What a CI finds in the folder of a job, however `latlab gate` ended."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from conftest import Latlab

JUNO = "published:tf-a/juno"
LINK = "https://example.org/job/1"


@pytest.mark.parametrize(
    ("base", "candidate", "code"),
    [
        (f"{JUNO}/v2.9", f"{JUNO}/v2.10", 0),
        (f"{JUNO}/v2.12", f"{JUNO}/v2.11", 1),
        (f"{JUNO}/v2.11", "latest:main", 2),
        (f"{JUNO}/v2.11", "published:ti/am62l/factors-2026", 3),
    ],
)
def test_every_end_of_a_gate_leaves_a_comment_test_results_and_sarif(
    latlab: Latlab, tmp_path: Path, base: str, candidate: str, code: int
) -> None:
    comment, junit, sarif = (tmp_path / name for name in ("comment.md", "junit.xml", "latlab.sarif"))
    fails_on = () if code else ("--fail-on", "improved")
    done = latlab("gate", base, candidate, "--comment", comment, "--junit", junit, "--sarif", sarif, "--link", LINK, *fails_on)
    assert done.returncode == code, done.stdout + done.stderr
    assert comment.read_text("utf-8").startswith("# latlab") and comment.read_text("utf-8").rstrip().endswith(f"(<{LINK}>)")
    suite = ET.parse(junit).getroot().find("testsuite")
    assert suite is not None and int(suite.get("tests", "0")) > 0
    assert (int(suite.get("failures", "0")) > 0) == (code == 1)
    (run,) = json.loads(sarif.read_text("utf-8"))["runs"]
    assert isinstance(run["results"], list)
    if code in (2, 3):
        (error,) = suite.findall(".//error")
        (invocation,) = run["invocations"]
        said = done.stderr.removeprefix("latlab: ").strip()
        assert error.get("message") == said
        assert invocation["toolExecutionNotifications"][0]["message"]["text"] == said and not invocation["executionSuccessful"]
        assert "# latlab gate is inconclusive" in comment.read_text("utf-8")
