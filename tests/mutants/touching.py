# SPDX-License-Identifier: BSD-3-Clause
"""Only the tests that run the mutated line, the shortest first: a survivor then costs seconds instead of the whole suite.

`python tests/mutants/touching.py SOURCE TEST...` runs the tests once under coverage and keeps which of them runs which line of the folder
SOURCE, also in the processes that a test starts. A line that runs when its file is loaded concerns every test that runs the file; a file
that holds nothing but declarations concerns the tests of the files that import it. While SOURCE and what tests share stay as they are, only
files of tests that changed are run for the map again.
"""

from __future__ import annotations

import ast
import faulthandler
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

KEPT = Path("build/touching.json")
CHILDREN = Path("build/touching-children")
TEST = "LATLAB_TEST"
# The tests of a line that take no longer together: a survivor of a line that all run would cost the whole suite.
MOST_S = 90.0
# A test that a mutant keeps from ending is told by this much more time than it took untouched.
PATIENCE = 10
LEAST_S = 60.0
QUIET = ["-q", "-p", "no:cacheprovider"]
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


def importers(file: str, texts: dict[str, str]) -> set[str]:
    """Those of the files that import this one by its name."""
    package, _, name = file.removeprefix("src/").removesuffix(".py").replace("/", ".").rpartition(".")
    says = re.compile(rf"^\s*(from {re.escape(package)}\.{name} import|from {re.escape(package)} import .*\b{name}\b)", re.MULTILINE)
    return {other for other, text in texts.items() if says.search(text)}


def affordable(tests: Iterable[str], seconds: dict[str, float], most_s: float = MOST_S) -> list[str]:
    """The shortest first, and no more than take `most_s` together, but one in any case."""
    ordered = sorted(tests, key=lambda test: (seconds.get(test, 0.0), test))
    spent = 0.0
    taken: list[str] = []
    for test in ordered:
        spent += seconds.get(test, 0.0)
        if taken and spent > most_s:
            break
        taken.append(test)
    return taken


class _Contexts:
    """Tells coverage which test is running, and keeps how long each took and which failed."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        self.blinds = ""

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        os.environ[TEST] = item.nodeid
        self.coverage.switch_context(item.nodeid)
        yield
        self.coverage.switch_context("")
        if sys.gettrace() is None:
            self.blinds = self.blinds or item.nodeid

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[None]:
        """What tests share is made in the first of them and concerns them all."""
        if fixturedef.scope != "function":
            self.coverage.switch_context(request.node.nodeid.partition("::")[0] if fixturedef.scope in ("module", "class") else "")
        yield
        self.coverage.switch_context(os.environ[TEST])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)


class _Patience:
    """Ends the process, as failed, at a test that does not end."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        faulthandler.dump_traceback_later(max(LEAST_S, PATIENCE * self.seconds.get(item.nodeid, 0.0)), exit=True)
        yield
        faulthandler.cancel_dump_traceback_later()


def _follow_children(source: str) -> None:
    """From here on each process of Python that a test starts leaves a file of its own in CHILDREN."""
    shutil.rmtree(CHILDREN, ignore_errors=True)
    CHILDREN.mkdir(parents=True)
    folder = CHILDREN.resolve()
    (folder / "sitecustomize.py").write_text("import coverage\n\ncoverage.process_startup()\n")
    settings = {"source": Path(source).resolve(), "data_file": folder / "data", "parallel": "true", "context": f"${{{TEST}}}"}
    (folder / "settings").write_text("\n".join(["[run]", *(f"{key} = {value}" for key, value in settings.items())]) + "\n")
    os.environ["COVERAGE_PROCESS_START"] = str(folder / "settings")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def _lines_of(data: Any) -> dict[str, Lines]:
    return {
        Path(file).resolve().relative_to(Path.cwd()).as_posix(): {
            line: {by.removesuffix("|run") for by in tests} for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def _add_children(files: dict[str, Lines]) -> None:
    """What a process runs as it loads a file says nothing of its test: such lines stay as they are."""
    from coverage import CoverageData
    from coverage.exceptions import CoverageException

    for path in sorted(CHILDREN.glob("data.*")):
        data = CoverageData(str(path))
        try:
            data.read()
        except CoverageException:
            continue  # of a process that was killed
        for file, lines in _lines_of(data).items():
            known = files.setdefault(file, {})
            for line, tests in lines.items():
                if "" not in known.get(line, ()):
                    known.setdefault(line, set()).update(tests)


@dataclass(frozen=True)
class Map:
    """`files` has the tests of each line, `digests` those of all files that it rests on."""

    files: dict[str, Lines]
    seconds: dict[str, float]
    failed: set[str]
    digests: dict[str, str]

    def of(self, tests: set[str]) -> Map:
        """What it says of these files of tests."""

        def holds(test: str) -> bool:
            return not test or test.partition("::")[0] in tests

        files = {file: {line: set(filter(holds, by)) for line, by in lines.items()} for file, lines in self.files.items()}
        seconds = {test: one for test, one in self.seconds.items() if holds(test)}
        return Map(files, seconds, set(filter(holds, self.failed)), self.digests)

    def joined(self, other: Map) -> Map:
        files = {
            file: {
                line: self.files.get(file, {}).get(line, set()) | other.files.get(file, {}).get(line, set())
                for line in self.files.get(file, {}).keys() | other.files.get(file, {}).keys()
            }
            for file in self.files.keys() | other.files.keys()
        }
        return Map(files, self.seconds | other.seconds, self.failed | other.failed, self.digests | other.digests)


def read_map() -> Map:
    kept = json.loads(KEPT.read_text())
    files = {name: {int(number): set(tests) for number, tests in lines.items()} for name, lines in kept["files"].items()}
    return Map(files, kept["seconds"], set(kept.get("failed", ())), kept.get("digests", {}))


def make_map(source: str, tests: list[str]) -> int:
    """A test that fails untouched could notice nothing: the map leaves it out and names it."""
    shared, wanted = _digests(_shared(source, tests)), _digests(_test_files(tests))
    known = read_map() if KEPT.exists() else Map({}, {}, set(), {})
    if any(shared.get(file) != digest for file, digest in known.digests.items() if not _is_test(file)):
        known = Map({}, {}, set(), {})
    again = [file for file, digest in wanted.items() if known.digests.get(file) != digest]
    found = known.of(wanted.keys() - set(again))
    if again:
        found = found.joined(_measured(source, again))
    kept = {file: {line: sorted(by - found.failed) for line, by in lines.items()} for file, lines in found.files.items()}
    KEPT.parent.mkdir(exist_ok=True)
    told = {"files": kept, "seconds": found.seconds, "failed": sorted(found.failed), "digests": shared | wanted}
    KEPT.write_text(json.dumps(told))
    return 0 if any(found.seconds.keys() - found.failed) else 1


def _measured(source: str, tests: list[str]) -> Map:
    from coverage import Coverage

    os.environ["COVERAGE_CORE"] = "ctrace"  # the other cores report a line once, and not again for the next test
    _follow_children(source)
    coverage = Coverage(data_file=None, source=[source])
    contexts = _Contexts(coverage)
    coverage.start()
    pytest.main([*QUIET, *tests], plugins=[contexts])
    coverage.stop()
    if contexts.blinds:
        raise SystemExit(f"{contexts.blinds} ended the trace of lines: no later test has any")
    files = _lines_of(coverage.get_data())
    _add_children(files)
    return Map(
        {file: {line: _each(by, contexts.seconds) for line, by in lines.items()} for file, lines in files.items()},
        contexts.seconds,
        contexts.failed,
        {},
    )


def _each(by: set[str], tests: Iterable[str]) -> set[str]:
    """A file in place of a test stands for all of its tests."""
    files = {one for one in by if one and "::" not in one}
    return (by - files) | {test for test in tests if test.partition("::")[0] in files} if files else by


def _test_files(tests: list[str]) -> list[Path]:
    return [file for one in map(Path, tests) for file in (sorted(one.rglob("test_*.py")) if one.is_dir() else [one])]


def _is_test(file: str) -> bool:
    return Path(file).name.startswith("test_")


def _shared(source: str, tests: list[str]) -> list[Path]:
    """What more than one file of tests may run."""
    beside = [path for top in sorted({Path(one).parts[0] for one in tests}) for path in sorted(Path(top).rglob("*.py"))]
    return [*sorted(Path(source).rglob("*.py")), *(path for path in beside if path.name == "conftest.py" or path.parent.name == "support")]


def _digests(files: Iterable[Path]) -> dict[str, str]:
    return {path.as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in files}


def tests_of(file: str, line: int, files: dict[str, Lines]) -> set[str]:
    # The mutated file may not parse as the original did, and has the same lines.
    tests = touching(files.get(file, {}), Path(file).read_text(), line)
    if tests:
        return tests
    by = importers(file, {other: Path(other).read_text() for other in files})
    return set().union(*(found for other in by for found in files[other].values())) - {""} if _only_declares(files.get(file, {})) else set()


def _only_declares(lines: Lines) -> bool:
    return bool(lines) and set().union(*lines.values()) == {""}


def run_touching(file: str, line: int) -> int:
    kept = read_map()
    tests = tests_of(file, line, kept.files)
    if not tests:
        print("no test runs it")
        return 0
    return int(pytest.main(["-x", *QUIET, *affordable(tests, kept.seconds)], plugins=[_Patience(kept.seconds)]))


def main() -> int:
    return make_map(sys.argv[1], sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
