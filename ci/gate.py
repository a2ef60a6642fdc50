#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures once, judges it against the nearest measured commit of the baseline, and writes what a reviewer needs, whichever way it ends.

Usage: ci/gate.py [ARGUMENT...], the arguments of the latlab command that measures. It needs the Python that latlab is installed in.

  LATLAB_RUN       the arguments where none are given: as a shell would split them, quotes and all, or a JSON list; nothing is expanded
  LATLAB_BRANCH    the branch whose own commit is measured, empty for a change; where it is the baseline, its run is the next baseline
  LATLAB_COMMIT    the commit that is measured; a baseline needs it
  LATLAB_BASELINE  the branch to judge against (main)
  LATLAB_JOB       the name of this job where several share a store: runs of others are not judged against (none)
  LATLAB_STORE     where runs are kept from one job to the next (.latlab/store.sqlite)
  LATLAB_OUT       the folder for comment.md, junit.xml, latlab.sarif, report.html, runs.sqlite with both runs, gate.json, run.id and
                   run.env (latlab-out)
  LATLAB_LINK      where the report will be, for the comment (none)
  LATLAB_DOWNLOAD  the command that downloads that folder, for the comment (none)

Exits as `latlab gate` does: 0 passed, or the first run of a baseline; 1 failed; 3 inconclusive. A command that fails keeps its own code.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lineage import Unknown, lineage

if TYPE_CHECKING:
    from latlab.core.model.run import Run

TWO_WORDS = ("run", "design")
SHORT = 12
STORE, RUNS, DECISION = ".latlab/store.sqlite", "runs.sqlite", "gate.json"
SAID = "latlab: "


@dataclass(frozen=True)
class Job:
    """What the variables say. `branch` is empty for a change; `out` is where files go. `store` is empty for a job that may not have it."""

    arguments: tuple[str, ...]
    branch: str
    commit: str
    baseline: str
    name: str
    out: Path
    link: str
    download: str = ""
    store: str = STORE

    @property
    def is_baseline(self) -> bool:
        return self.branch == self.baseline


@dataclass(frozen=True)
class Baseline:
    """The run to judge against, empty for none, and why it was taken. `passed_over` are the versions of runs of others, `unrelated` is how
    many commits have runs from which this one does not descend."""

    run: str
    reason: str
    passed_over: tuple[str, ...]
    unrelated: int = 0


def main(words: Sequence[str]) -> int:
    try:
        job = job_of(words, os.environ)
    except ValueError as error:
        print(f"gate.py: {error}", file=sys.stderr)
        return 2
    if is_second_use(job, os.environ):
        refuse_second_use(job, os.environ)
        return 2
    store = os.environ["LATLAB_STORE"] = job.store or STORE
    if "://" not in store:
        Path(store).parent.mkdir(parents=True, exist_ok=True)
    job.out.mkdir(parents=True, exist_ok=True)
    for name in ("comment.md", "junit.xml", "latlab.sarif", "report.html", "run.id", "run.env", RUNS, DECISION):
        (job.out / name).unlink(missing_ok=True)
    code, said = measured(job)
    run = newest_id(job.out / "run.id")
    hand_on(job, run)
    if code:
        not_measured(job, code, said)
        return code
    base = baseline_of(job, run)
    code = judged(job, base, run) if base.run else first_of_baseline(job, run, base)
    if job.is_baseline:
        label(job, run)
    return code


def is_second_use(job: Job, variables: Mapping[str, str]) -> bool:
    """Whether an earlier step of the same job of GitHub had this name: both would write the same files, baseline and comment."""
    if not variables.get("GITHUB_ENV"):
        return False
    mark = f"LATLAB_USED_{hashlib.sha256(job.name.encode()).hexdigest()[:12]}"
    with open(variables["GITHUB_ENV"], "a", encoding="utf-8") as file:
        file.write(f"{mark}=1\n")
    return bool(variables.get(mark))


def refuse_second_use(job: Job, variables: Mapping[str, str]) -> None:
    """What lies in `out` is of the first use: no later step shows it again."""
    sentence = f"this job has used latlab before as {job.name!r}; give each use a `name` of its own"
    print(f"gate.py: {sentence}", file=sys.stderr)
    print(f"::error::{sentence}")
    if output := variables.get("GITHUB_OUTPUT"):
        with open(output, "a", encoding="utf-8") as file:
            file.write("refused=true\n")


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
        variables.get("LATLAB_JOB", "").strip(),  # as a run keeps it
        Path(variables.get("LATLAB_OUT") or "latlab-out"),
        variables.get("LATLAB_LINK", ""),
        variables.get("LATLAB_DOWNLOAD", ""),
        variables.get("LATLAB_STORE", STORE),
    )


def arguments_of(text: str) -> tuple[str, ...]:
    """A JSON list of strings, or words with quotes. No sign in them means a file, a variable or a command."""
    try:
        words = json.loads(text) if text.lstrip().startswith("[") else shlex.split(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"LATLAB_RUN is no JSON list: {error}") from None
    except ValueError as error:
        raise ValueError(f"LATLAB_RUN is no command line: {error}") from None
    if not all(isinstance(word, str) for word in words):
        raise ValueError("LATLAB_RUN: every argument is a string, in quotes")
    return tuple(words)


def measured(job: Job) -> tuple[int, str]:
    """The exit code of the command, and the last sentence that it said, which is shown as it comes."""
    from latlab.core.targets.process.children import dies_with_parent

    at = 2 if job.arguments[0] in TWO_WORDS else 1
    id_file = ("--id-file", str(job.out / "run.id"))
    command = ("latlab", *job.arguments[:at], *id_file, *job.arguments[at:])
    ends = dies_with_parent(signal.SIGTERM)  # a job that is aborted leaves no emulator beside the next one
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, errors="backslashreplace", preexec_fn=ends) as process:
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
    from latlab.core.passwords import shown_words
    from latlab.core.report.comparison import comment
    from latlab.core.report.exports import junit, sarif

    error = LatlabError(f"it could not be measured: latlab ended with {code}: {said or 'the log of the job says why'}")
    command = shlex.join(shown_words(("latlab", *job.arguments)))
    write(job, "comment.md", comment.not_measured(command, str(error), job.link))
    write(job, "junit.xml", junit.refused_junit(job.baseline, "this change", error))
    write(job, "latlab.sarif", sarif.refused(error))


def baseline_of(job: Job, run: str) -> Baseline:
    """The baseline's complete run of the nearest commit from which this one descends, made by the same job with the same latlab and
    emulator. A run that measured the same comes first. Without a history it is the newest in time."""
    from latlab.core.comparison.conditions import identity_of
    from latlab.core.store.choice import Filter
    from latlab.core.store.store import open_store

    store = open_store()
    (mine,) = store.runs(Filter(ids=(run,)))
    labelled = store.runs(Filter(label=job.baseline, status="complete"))
    same_job = [stored for stored in labelled if stored.id != run and stored.provenance.job in ("", job.name)]
    others = tuple(dict.fromkeys(versions(stored) for stored in same_job if versions(stored) != versions(mine)))
    # An earlier try of the same job of the baseline says nothing of its commit.
    same = [s for s in same_job if versions(s) == versions(mine) and not (job.is_baseline and s.provenance.commit == job.commit)]

    def nearest(runs: Sequence[Run]) -> Run | None:
        return next((stored for stored in reversed(runs) if identity_of(stored) == identity_of(mine)), runs[-1] if runs else None)

    commits, unknown = known_lineage(job.commit) if same else ([], "")
    distances = {commit: distance for distance, commit in reversed(list(enumerate(commits)))}
    ancestors = [stored for stored in same if stored.provenance.commit in distances]
    ancestors.sort(key=lambda stored: distances[stored.provenance.commit], reverse=True)  # of one commit the newest stays last
    if base := nearest(ancestors):
        return Baseline(base.id, reason_of(base.provenance.commit, distances[base.provenance.commit], job.baseline), others)
    if unknown and (base := nearest(same)):
        return Baseline(base.id, f"It is the newest run of {job.baseline} in time, because {unknown}.", others)
    return Baseline("", "", others, len({stored.provenance.commit for stored in same}))


def known_lineage(commit: str) -> tuple[list[str], str]:
    """The commit and its ancestors, the nearest first, and why more of them are not known."""
    commits: list[str] = []
    try:
        commits.extend(lineage(commit, os.environ))
    except Unknown as error:
        return commits, str(error)
    return commits, ""


def reason_of(commit: str, distance: int, baseline: str) -> str:
    if distance == 0:
        return f"It is the newest run of {baseline} of the same commit."
    between = {1: "no commit lies", 2: "one commit lies"}.get(distance, f"{distance - 1} commits lie")
    return f"Commit {commit[:SHORT]} is the nearest measured one of {baseline} from which this one descends; {between} between them."


def versions(run: Run) -> str:
    return f"latlab {run.provenance.latlab_version or 'of an unknown version'}, {run.emulator or 'no emulator'}"


def judged(job: Job, base: Baseline, run: str) -> int:
    files = [word for name in ("comment.md", "junit.xml") for word in (f"--{name.partition('.')[0]}", str(job.out / name))]
    files += ["--sarif", str(job.out / "latlab.sarif"), "--runs", str(job.out / RUNS)]
    told = [
        word
        for option, text in (("--link", job.link), ("--download", job.download), ("--base-reason", base.reason))
        if text
        for word in (option, text)
    ]
    code = subprocess.run(("latlab", "gate", base.run, run, *files, *told), check=False).returncode
    subprocess.run(("latlab", "compare", base.run, run, "--format", "html", "-o", str(job.out / "report.html")), check=False)
    data = subprocess.run(("latlab", "compare", base.run, run, "--format", "json"), stdout=subprocess.PIPE, text=True, check=False).stdout
    verdict = json.loads(data).get("verdict", "") if data else ""
    write(job, DECISION, json.dumps({"exit_code": code, "verdict": verdict, "base": base.run, "run": run}) + "\n")
    return code


def first_of_baseline(job: Job, run: str, base: Baseline) -> int:
    from latlab.core.report.exports import sarif
    from latlab.core.store.copying import copy_runs
    from latlab.core.store.store import open_store

    others = f" Its runs with {'; '.join(base.passed_over)} are not judged against." if base.passed_over else ""
    if base.unrelated:
        commits = f"{base.unrelated} other commit{'s' * (base.unrelated != 1)}"
        others += f" It has runs of {commits}, and this one descends from none of them."
    if not job.store:
        others += f" LATLAB_STORE is empty, as in a job of a fork; the runs of {job.baseline} are in the store of the other jobs."
    sentence = f"No run of {job.baseline} to judge against yet.{others}\n"
    copy_runs(open_store(), [run], open_store(str(job.out / RUNS)))
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
