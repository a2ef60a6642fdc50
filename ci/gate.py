#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures once, judges it against the newest run of the baseline, and writes what a reviewer needs to see, whichever way it ends.

Usage: ci/gate.py [ARGUMENT...], the arguments of the latlab command that measures. It needs the Python that latlab is installed in.

  LATLAB_RUN       the arguments where none are given: as a shell would split them, quotes and all, or a JSON list; nothing is expanded
  LATLAB_BRANCH    the branch whose own commit is measured, empty for a change; where it is the baseline, its run is the next baseline
  LATLAB_COMMIT    the commit that is measured; a baseline needs it
  LATLAB_BASELINE  the branch to judge against (main)
  LATLAB_JOB       the name of this job where several share a store: runs of others are not judged against (none)
  LATLAB_STORE     where runs are kept from one job to the next (.latlab/store.sqlite)
  LATLAB_OUT       the folder for comment.md, junit.xml, latlab.sarif, report.html, run.id and run.env (latlab-out)
  LATLAB_LINK      where the report will be, for the comment (none)

Exits as `latlab gate` does: 0 passed, or the first run of a baseline; 1 failed; 3 inconclusive. A command that fails keeps its own code.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TWO_WORDS = ("run", "design")
SAID = "latlab: "


@dataclass(frozen=True)
class Job:
    """What the variables say. `branch` is empty for a change; `out` is where files go."""

    arguments: tuple[str, ...]
    branch: str
    commit: str
    baseline: str
    name: str
    out: Path
    link: str

    @property
    def is_baseline(self) -> bool:
        return self.branch == self.baseline


def main(words: Sequence[str]) -> int:
    try:
        job = job_of(words, os.environ)
    except ValueError as error:
        print(f"gate.py: {error}", file=sys.stderr)
        return 2
    store = os.environ.setdefault("LATLAB_STORE", ".latlab/store.sqlite")
    if "://" not in store:
        Path(store).parent.mkdir(parents=True, exist_ok=True)
    job.out.mkdir(parents=True, exist_ok=True)
    for name in ("comment.md", "junit.xml", "latlab.sarif", "report.html", "run.id", "run.env"):
        (job.out / name).unlink(missing_ok=True)
    code, said = measured(job)
    run = newest_id(job.out / "run.id")
    hand_on(job, run)
    if code:
        not_measured(job, code, said)
        return code
    base, passed_over = newest_baseline(job, run)
    code = judged(job, base, run) if base else first_of_baseline(job, run, passed_over)
    if job.is_baseline:
        label(job, run)
    return code


def job_of(words: Sequence[str], variables: Mapping[str, str]) -> Job:
    """Raises ValueError where there is no command, or it is no list of words."""
    arguments = tuple(words) or arguments_of(variables.get("LATLAB_RUN", ""))
    if not arguments:
        raise ValueError("no command that measures; give its arguments, or set LATLAB_RUN, such as `run psci --subject firmware.toml`")
    return Job(
        arguments,
        variables.get("LATLAB_BRANCH", ""),
        variables.get("LATLAB_COMMIT", ""),
        variables.get("LATLAB_BASELINE") or "main",
        variables.get("LATLAB_JOB", ""),
        Path(variables.get("LATLAB_OUT") or "latlab-out"),
        variables.get("LATLAB_LINK", ""),
    )


def arguments_of(text: str) -> tuple[str, ...]:
    """A JSON list of strings, or words with quotes. No sign in them means a file, a variable or a command."""
    if not text.lstrip().startswith("["):
        try:
            return tuple(shlex.split(text))
        except ValueError as error:
            raise ValueError(f"LATLAB_RUN {text!r}: {error}") from None
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"LATLAB_RUN {text!r} is no JSON list: {error}") from None
    if not all(isinstance(word, str) for word in found):
        raise ValueError(f"LATLAB_RUN {text!r}: every argument is a string, in quotes")
    return tuple(found)


def measured(job: Job) -> tuple[int, str]:
    """The exit code of the command, and the last sentence that it said, which is shown as it comes."""
    at = 2 if job.arguments[0] in TWO_WORDS else 1
    id_file = ("--id-file", str(job.out / "run.id"))
    with subprocess.Popen(
        ("latlab", *job.arguments[:at], *id_file, *job.arguments[at:]), stderr=subprocess.PIPE, text=True, errors="backslashreplace"
    ) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            sys.stderr.write(line)
            sys.stderr.flush()
            said = line.removeprefix(SAID).strip() if line.startswith(SAID) else said
    return process.returncode if process.returncode >= 0 else 128 - process.returncode, said


def newest_id(file: Path) -> str:
    """Of a command that makes several runs the last one; empty where none was begun."""
    ids = file.read_text("utf-8").split() if file.exists() else []
    return ids[-1] if ids else ""


def hand_on(job: Job, run: str) -> None:
    """The id as a variable of later steps and jobs."""
    (job.out / "run.env").write_text(f"LATLAB_RUN_ID={run}\n", "utf-8")
    if output := os.environ.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            file.write(f"run={run}\n")


def not_measured(job: Job, code: int, said: str) -> None:
    from latlab.core.errors import LatlabError
    from latlab.core.report.comparison import comment
    from latlab.core.report.exports import junit, sarif

    error = LatlabError(f"it could not be measured: latlab ended with {code}: {said or 'the log of the job says why'}")
    command = shlex.join(("latlab", *job.arguments))
    write(job, "comment.md", comment.not_measured(command, str(error), job.link))
    write(job, "junit.xml", junit.refused_junit(job.baseline, "this change", error))
    write(job, "latlab.sarif", sarif.refused(error))


def newest_baseline(job: Job, run: str) -> tuple[str, tuple[str, ...]]:
    """The newest complete run of the baseline that the same job made with the same latlab and emulator; and with what others were made."""
    listed = json.loads(latlab("ls", "--label", job.baseline, "--status", "complete", "--format", "json"))
    mine = next(one for one in json.loads(latlab("ls", "--format", "json")) if one["id"] == run)
    same_job = [one for one in listed if one["id"] != run and one["provenance"].get("job", "") in ("", job.name)]
    same = [one for one in same_job if versions(one) == versions(mine)]
    return (same[-1]["id"] if same else ""), tuple(dict.fromkeys(versions(one) for one in same_job if one not in same))


def versions(run: Mapping[str, Any]) -> str:
    return f"latlab {run['provenance'].get('latlab_version') or 'of an unknown version'}, {run['emulator'] or 'no emulator'}"


def judged(job: Job, base: str, run: str) -> int:
    files = [word for name in ("comment.md", "junit.xml") for word in (f"--{name.partition('.')[0]}", str(job.out / name))]
    link = ("--link", job.link) if job.link else ()
    code = subprocess.run(("latlab", "gate", base, run, *files, "--sarif", str(job.out / "latlab.sarif"), *link), check=False).returncode
    subprocess.run(("latlab", "compare", base, run, "--format", "html", "-o", str(job.out / "report.html")), check=False)
    return code


def first_of_baseline(job: Job, run: str, passed_over: tuple[str, ...]) -> int:
    from latlab.core.report.exports import sarif

    others = f" Its runs with {'; '.join(passed_over)} are not judged against." if passed_over else ""
    sentence = f"No run of {job.baseline} to judge against yet.{others}\n"
    print(sentence, end="")
    write(job, "comment.md", sentence)
    write(job, "latlab.sarif", sarif.nothing())
    subprocess.run(("latlab", "export", run, "--format", "junit", "-o", str(job.out / "junit.xml")), check=True)
    subprocess.run(("latlab", "report", run, "--format", "html", "-o", str(job.out / "report.html")), check=True)
    return 0


def label(job: Job, run: str) -> None:
    """The next baseline, if it is of the branch's commit; else a warning, since the change that was measured did nothing wrong."""
    why = unlike_head(job.commit)
    if not why:
        done = subprocess.run(
            ("latlab", "runs", "label", run, job.baseline, "--measured-from", job.commit), stderr=subprocess.PIPE, text=True, check=False
        )
        sys.stderr.write(done.stderr)
        why = "" if done.returncode == 0 else done.stderr.removeprefix(SAID).strip()
    if why:
        print(f"warning: this run is not the next baseline: {why}", file=sys.stderr)
        with (job.out / "comment.md").open("a", encoding="utf-8") as file:
            file.write("\nThis run is not the next baseline; the log of the job says why.\n")


def unlike_head(commit: str) -> str:
    """Why the checkout is not of this commit; empty where it is, or nobody can say."""
    if not commit:
        return "LATLAB_COMMIT does not say from which commit it was measured"
    if not shutil.which("git"):
        return ""
    asked = subprocess.run(("git", "-c", "safe.directory=*", "rev-parse", "HEAD"), capture_output=True, text=True, check=False)
    head = asked.stdout.strip() if asked.returncode == 0 else ""
    return f"the checkout is at {head[:12]}, and the job is for {commit[:12]}" if head and not head.startswith(commit) else ""


def latlab(*words: str) -> str:
    return subprocess.run(("latlab", *words), stdout=subprocess.PIPE, text=True, check=True).stdout


def write(job: Job, name: str, text: str) -> None:
    (job.out / name).write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
