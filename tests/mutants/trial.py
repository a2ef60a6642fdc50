# SPDX-License-Identifier: BSD-3-Clause
"""One mutant after another in the copy, until enough of them counted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from mutants.mutate import Mutant
from mutants.plan import Group
from mutants.results import Result, Results
from mutants.same import objects_digest, python_digest
from mutants.touching import run_touching
from mutants.tree import Copy
from mutants.warm import forked

# A mutant may loop for ever; a machine may be ten times slower than it was when the untouched tree was timed.
PATIENCE = 10
LEAST_S = 120.0
TOUCHING_LIMIT_S = 900.0


class Outcome(StrEnum):
    NOT_BUILT = "did not build"
    SAME_CODE = "same object code"
    NOTICED = "noticed"
    SURVIVED = "survived"

    @property
    def counts(self) -> bool:
        return self in (Outcome.NOTICED, Outcome.SURVIVED)


class Unfit(Exception):
    """The untouched copy does not build or pass, so no mutant would say anything."""


@dataclass(frozen=True)
class Baseline:
    """What the untouched copy gave: the loaded sections of its objects, and the seconds that each command may take."""

    objects: str
    limits_s: dict[str, float]


def baseline(group: Group, copy: Copy) -> Baseline:
    """Raises Unfit with the command that failed and its last lines."""
    limits = {}
    for command in (*group.prepare, *group.early_build, *group.early, *group.build, *group.commands):
        before = time.monotonic()
        failed = run(command, copy.path, None)
        if failed is not None:
            raise Unfit(f"the untouched tree fails {command!r}:\n{failed}")
        limits[command] = max(LEAST_S, PATIENCE * (time.monotonic() - before))
    return Baseline(_objects(group, copy), limits)


def try_all(
    group: Group, copy: Copy, mutants: Iterable[Mutant], found: Baseline, results: Results, say: Callable[[str], None]
) -> list[Result]:
    """Those that were looked at, up to the group's sample of counted ones; what the results know already is not tried again."""
    done: list[Result] = []
    counted = 0
    for mutant in mutants:
        if counted == group.sample:
            break
        text = copy.text(mutant.file)
        result = results.known(mutant, text, copy.digest)
        if result is None:
            outcome, by = _try(group, copy, mutant, found)
            result = results.keep(mutant, text, copy.digest, outcome, by)
        done.append(result)
        counted += Outcome(result.outcome).counts
        if Outcome(result.outcome).counts:
            say(f"{counted}/{group.sample} {mutant.file}:{mutant.line}: {result.outcome}{f' by {result.by}' if result.by else ''}")
    return done


def _try(group: Group, copy: Copy, mutant: Mutant, found: Baseline) -> tuple[Outcome, str]:
    if mutant.file.endswith(".py"):
        early = _python_code(copy.text(mutant.file), mutant)
        if early is not None:
            return early, ""
    with copy.changed(mutant.file, mutant.line, mutant.after):
        if not _builds(group.early_build, copy, found):
            return Outcome.NOT_BUILT, ""
        noticed = _noticed(group.early, copy, mutant, found)
        if noticed is not None:
            return Outcome.NOTICED, noticed
        if not _builds(group.build, copy, found):
            return Outcome.NOT_BUILT, ""
        if group.objects and _objects(group, copy) == found.objects:
            return Outcome.SAME_CODE, ""
        noticed = _noticed(group.commands, copy, mutant, found)
        if noticed is not None:
            return Outcome.NOTICED, noticed
        if group.warm and _touching(copy, mutant) is not None:
            return Outcome.NOTICED, "the tests that run it"
    return Outcome.SURVIVED, ""


def _builds(commands: Iterable[str], copy: Copy, found: Baseline) -> bool:
    return all(run(command, copy.path, found.limits_s[command]) is None for command in commands)


def _noticed(commands: Iterable[str], copy: Copy, mutant: Mutant, found: Baseline) -> str | None:
    """The first command that fails."""
    return next((one for one in commands if run(one, copy.path, found.limits_s[one], mutant) is not None), None)


def _touching(copy: Copy, mutant: Mutant) -> str | None:
    """A limit that a loop without an end reaches soon and no test does."""
    job = partial(run_touching, mutant.file, mutant.line)
    return forked(job, copy.path, TOUCHING_LIMIT_S, {"MUTANT": f"{mutant.file}:{mutant.line}", "PYTHONPATH": str(copy.path / "src")})


def _python_code(text: str, mutant: Mutant) -> Outcome | None:
    lines = text.splitlines(keepends=True)
    lines[mutant.line - 1] = mutant.after + "\n"
    digest = python_digest("".join(lines))
    if digest is None:
        return Outcome.NOT_BUILT
    return Outcome.SAME_CODE if digest == python_digest(text) else None


def _objects(group: Group, copy: Copy) -> str:
    files = [path for pattern in group.objects for path in copy.path.glob(pattern) if path.is_file()]
    if group.objects and not files:
        raise Unfit(f"no file matches {', '.join(group.objects)} once the group is built")
    return objects_digest(files)


def run(command: str, where: Path, limit_s: float | None, mutant: Mutant | None = None) -> str | None:
    """The last lines of a command that failed, or did not end in time; None where it passed. Whatever it started ends with it."""
    environment = {**os.environ, "PYTHONPATH": str(where / "src")}
    if mutant is not None:
        environment |= {"MUTANT": f"{mutant.file}:{mutant.line}", "PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen(
        command, shell=True, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        output = f"no end after {limit_s:.0f} s"
    finally:
        _end(process)
    return None if process.returncode == 0 else "\n".join(output.splitlines()[-15:]) or f"nothing said, exit code {process.returncode}"


def _end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
