# SPDX-License-Identifier: BSD-3-Clause
"""Only the tests that run the mutated line, the shortest first: a survivor then costs seconds instead of the whole suite.

`python tests/mutants/touching.py SOURCE TEST...` runs the tests once under coverage and keeps which of them runs which line of the folder
SOURCE. A line that runs when its file is loaded concerns every test that runs the file.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

KEPT = Path("build/touching.json")
QUIET = ["-x", "-q", "-p", "no:cacheprovider"]
Lines = dict[int, set[str]]


def statement_lines(text: str, line: int) -> range:
    """The lines of the innermost statement about `line`; of one that holds others, those of its head."""
    best = range(line, line + 1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            end = body[0].lineno - 1 if body and line < body[0].lineno else node.end_lineno or node.lineno
            if not body or line <= end:
                best = range(node.lineno, max(end, node.lineno) + 1)
    return best


def touching(lines: Lines, text: str, line: int) -> set[str]:
    """The tests that run the line; all that run its file where it runs as the file is loaded."""
    found = set().union(*(lines.get(number, set()) for number in statement_lines(text, line)))
    return set().union(*lines.values()) - {""} if "" in found else found


class _Contexts:
    """Tells coverage which test is running, and keeps how long each took."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        yield
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration


def make_map(source: str, tests: list[str]) -> int:
    from coverage import Coverage

    coverage = Coverage(data_file=None, source=[source])
    contexts = _Contexts(coverage)
    coverage.start()
    code = pytest.main([*QUIET, *tests], plugins=[contexts])
    coverage.stop()
    data = coverage.get_data()
    files = {
        Path(file).resolve().relative_to(Path.cwd()).as_posix(): {
            line: sorted(by.removesuffix("|run") for by in tests) for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"files": files, "seconds": contexts.seconds}))
    return int(code)


def run_touching(file: str, line: int) -> int:
    kept = json.loads(KEPT.read_text())
    lines = {int(number): set(tests) for number, tests in kept["files"].get(file, {}).items()}
    # The mutated file may not parse as the original did, and has the same lines.
    tests = touching(lines, Path(file).read_text(), line)
    if not tests:
        print("no test runs it")
        return 0
    ordered = sorted(tests, key=lambda test: kept["seconds"].get(test, 0.0))
    return int(pytest.main([*QUIET, *ordered]))


def main() -> int:
    return make_map(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
