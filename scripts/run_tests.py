# SPDX-License-Identifier: BSD-3-Clause
"""What `make test` runs once everything is built: lint beside the tests, the unit tests in C, then pytest; and what each of them cost.

Usage: run_tests.py [--product NAME] [ARGUMENT OF PYTEST...]. With a product, its tests in Python alone. Ends with 1 if any step failed.
Leaves build/test-costs.json for `make test-times`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
COSTS = ROOT / "build" / "test-costs.json"
LINT = ("make", "--no-print-directory", "lint-now")
IN_C = ("ctest", "--preset", "host")
WORKERS = (f"--numprocesses={min((os.cpu_count() or 1) + 2, 6)}", "--dist=worksteal")
"""Two more than processors: many tests wait for a machine, a server or a second to pass."""
BEHIND = 5
"""Lint has no hurry: the tests take longer."""


@dataclass
class Step:
    """A command with what it cost: seconds of wall clock and of processor, its exit code, and its output unless it was shown."""

    name: str
    code: int
    wall_s: float
    cpu_s: float
    output: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--product", default="", help="the unit and system tests of one product")
    options, of_pytest = parser.parse_known_args()
    steps: list[Step] = []
    if options.product:
        steps.append(run("pytest", pytest_command(f"--product={options.product}", *of_pytest)))
    else:
        beside = threading.Thread(target=lambda: steps.append(run("lint", LINT, is_shown=False)))
        beside.start()
        steps.append(run("ctest", IN_C, is_shown=False))
        steps.append(run("pytest", pytest_command(*of_pytest)))
        beside.join()
    keep(steps)
    for step in steps:
        print(
            f"{step.name}: {'passed' if step.code == 0 else f'ended with {step.code}'} in {step.wall_s:.0f} s, processor {step.cpu_s:.0f} s"
        )
    for step in (step for step in steps if step.code):
        print(step.output, file=sys.stderr)
    return int(any(step.code for step in steps))


def pytest_command(*more: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "pytest", *WORKERS, "--listed-skips", f"--test-costs={COSTS}", *more)


def run(name: str, command: tuple[str, ...], is_shown: bool = True) -> Step:
    """Whether shown or not, the output of a step that runs beside another comes whole."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as kept:
        output = None if is_shown else kept
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=output, preexec_fn=None if is_shown else lambda: os.nice(BEHIND) and None
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        kept.seek(0)
        text = kept.read().decode("utf-8", "replace")
    return Step(name, process.returncode, time.monotonic() - begun, cpu_of(usage), text)


def cpu_of(usage: resource.struct_rusage) -> float:
    return usage.ru_utime + usage.ru_stime


def keep(steps: list[Step]) -> None:
    if COSTS.is_file():
        costs = json.loads(COSTS.read_text("utf-8"))
        COSTS.write_text(json.dumps(costs | {"steps": {step.name: [step.wall_s, step.cpu_s, 0] for step in steps}}), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
