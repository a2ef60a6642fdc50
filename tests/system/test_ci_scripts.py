# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of the action and of the GitLab template, with a baseline, a change that costs nothing and one that does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from support import preloaded
from support.places import ROOT

TIMEOUT_S = 600
RUN = "run psci --subject firmware.toml --iterations 2"


class Job:
    """A checkout whose firmware changes, and the file that a CI keeps from one job to the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "latlab-out"

    def build(self, variant: str) -> None:
        built = ROOT / "build" / variant
        told = f'name = "firmware"\nsymbols = ["{built}/firmware.elf"]\n[[image]]\nfile = "{built}/firmware.bin"\nflash = 0\n'
        (self.folder / "firmware.toml").write_text(told, "utf-8")

    def gate(self, branch: str, **more: str) -> subprocess.CompletedProcess[str]:
        path = f"{Path(preloaded.command()).parent}:{os.environ['PATH']}"
        variables = {**os.environ, "PATH": path, "LATLAB_RUN": RUN, "LATLAB_BRANCH": branch, "LATLAB_COMMIT": "0" * 40, **more}
        variables.pop("LATLAB_STORE", None)
        command = (preloaded.python(), str(ROOT / "ci" / "gate.py"))
        return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    @property
    def comment(self) -> str:
        return (self.out / "comment.md").read_text("utf-8")


@pytest.fixture(name="job", scope="module")
def fixture_job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """After the first job of main."""
    job = Job(tmp_path_factory.mktemp("checkout"))
    job.build("qemu_virt")
    done = job.gate("main")
    assert done.returncode == 0, done.stderr
    assert job.comment.startswith("No run of main to judge against yet.\n") and (job.out / "report.html").is_file()
    return job


def test_a_change_that_changes_no_instruction_passes_and_does_not_become_the_baseline(job: Job) -> None:
    job.build("qemu_virt")
    done = job.gate("feature")
    assert done.returncode == 0, done.stdout + done.stderr
    assert job.comment.startswith("# latlab gate passes")
    assert "labelled" not in done.stderr


def test_a_change_that_costs_instructions_fails_and_its_comment_names_the_function(job: Job) -> None:
    job.build("qemu_virt-debug")
    done = job.gate("feature", LATLAB_LINK="https://example.org/job/1")
    assert done.returncode == 1, done.stdout + done.stderr
    lines = job.comment.splitlines()
    assert lines[0].startswith("# latlab gate fails: ") and len(lines) <= 30
    assert re.search(r"- by function, .*\(firmware/el3/psci/\S+:\d+\) \+\d+", job.comment.replace("\\_", "_"))
    assert f"latlab {RUN}" in job.comment and lines[-1] == "[The whole report](<https://example.org/job/1>)"
    cases = [case for case in ET.parse(job.out / "junit.xml").getroot().iter("testcase") if case.find("failure") is not None]
    of_one_core = [case for case in cases if not case.attrib["name"].endswith(", sorted")]  # all cores by position have no functions
    assert of_one_core and all("by function, " in (case.findtext("failure") or "") for case in of_one_core)
    (told,) = json.loads((job.out / "latlab.sarif").read_text())["runs"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in told["results"]]
    assert any(place.startswith("firmware/el3/psci/") for place in places)
    assert (job.out / "report.html").is_file()


def test_what_cannot_be_measured_is_said_in_the_comment_with_the_commands_own_code(job: Job) -> None:
    (job.folder / "firmware.toml").unlink()
    done = job.gate("feature")
    assert done.returncode == 2 and "firmware.toml" in done.stderr
    assert "could not be measured: latlab ended with 2" in job.comment and f"latlab {RUN}" in job.comment


@pytest.mark.parametrize("name", ["action.yml", "ci/latlab.gitlab-ci.yml"])
def test_every_script_that_a_template_names_is_there_and_can_be_run(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert msgspec.yaml.decode(text.encode())
    named = set(re.findall(r"ci/\w+\.(?:sh|py)", text))
    assert {"ci/install.sh", "ci/gate.py"} <= named
    assert all(os.access(ROOT / script, os.X_OK) for script in named)


def test_the_workflow_that_a_user_writes_has_ten_lines() -> None:
    (block,) = re.findall(r"## GitHub\n\n((?:    .*\n)+)", (ROOT / "docs" / "howto" / "ci.md").read_text("utf-8"))
    assert len(block.splitlines()) == 10
    assert "run psci" in msgspec.yaml.decode(block.encode())["jobs"]["latency"]["steps"][2]["with"]["run"]
