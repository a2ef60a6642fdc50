# SPDX-License-Identifier: BSD-3-Clause
"""Whether every output of `gate` and `compare` says one thing of a pair: exit codes, JSON, JUnit, SARIF, comment, documents."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from truth.asked_gate import Asked
from truth.draw import SpanCase, case_of
from truth.mutated_kinds import DocumentPair, imported
from truth.parts import part_case_of, part_pair, rt_part_case_of, rt_part_pair
from truth.spans import pair_of
from truth.verdict_cases import documents
from truth.wakeups import Tool, WakeupPair, printed, wakeup_pair

WAKEUPS = 20_000
TITLES = {0: "passes", 1: "fails", 3: "is inconclusive"}
EXIT_CODES = {"regressed": 1, "inconclusive": 3}
"""By the verdict in the JSON; every other one ends with 0."""


def drawn_pair(seed: int) -> DocumentPair:
    """The benches' pair of this seed: whole boards and parts of them in turn, and wake-ups."""
    if seed % 3 == 1:
        return documents(part_pair(part_case_of(seed)).pair)
    if seed % 6 == 5:
        rt = rt_part_case_of(seed)
        return _imported(rt_part_pair(rt, WAKEUPS), rt.tool)
    case = case_of(seed)
    if isinstance(case, SpanCase):
        return documents(pair_of(case.machine, case.planted, case.noise, (case.boots, case.boots), case.iterations, case.seed))
    return _imported(wakeup_pair(case.planted, case.size, case.cpus, WAKEUPS, case.between, case.seed), case.tool)


def _imported(pair: WakeupPair, tool: Tool) -> DocumentPair:
    name = "samples.raw" if tool is Tool.SAMPLES else "wakeups.txt"
    return imported(printed(tool, pair.before), name), imported(printed(tool, pair.after), name)


def contradictions(asked: Asked, pair: DocumentPair) -> Iterator[str]:
    """A sentence for each output that says another thing than the exit code of `gate`."""
    files = {kind: asked.folder / f"gate.{kind}" for kind in ("junit", "sarif", "comment")}
    gate = asked.gate(*pair, *(word for kind, path in files.items() for word in (f"--{kind}", path)))
    screen, code = asked.compare(*pair), gate.returncode
    if code not in TITLES:
        yield f"gate ends with {code}"
    if screen.returncode != code:
        yield f"gate ends with {code} and compare with {screen.returncode}"
    yield from _of_junit(files["junit"].read_text(), code)
    yield from _of_sarif(json.loads(files["sarif"].read_text()), code)
    if not screen.stdout:
        return
    verdict = json.loads(asked.compare(*pair, "--format", "json").stdout)["verdict"]
    if EXIT_CODES.get(verdict, 0) != code:
        yield f"gate ends with {code} and the JSON's verdict is {verdict}"
    if TITLES.get(code, "") not in files["comment"].read_text().partition("\n")[0]:
        yield f"gate ends with {code} and the comment's title is another"
    word = screen.stdout.partition("\n")[0].rpartition("candidate.json: ")[2].partition(" (")[0]
    for form in ("md", "html"):
        if not word or word not in asked.compare(*pair, "--format", form).stdout:
            yield f"the screen's verdict {word!r} is not in the {form} page"


def _of_junit(text: str, code: int) -> Iterator[str]:
    suite = ET.fromstring(text).find("testsuite")
    assert suite is not None
    failures, errors, skipped = (int(suite.get(name, "0")) for name in ("failures", "errors", "skipped"))
    if (failures > 0) is not (code == 1):
        yield f"gate ends with {code} and JUnit has {failures} failures"
    if code == 3 and not errors + skipped:
        yield "gate ends with 3 and JUnit has neither an error nor a skipped case"
    if code == 0 and errors:
        yield f"gate ends with 0 and JUnit has {errors} errors"


def _of_sarif(document: dict, code: int) -> Iterator[str]:
    run = document["runs"][0]
    has_failed = any(not invocation["executionSuccessful"] for invocation in run.get("invocations", ()))
    if has_failed is not (code == 3):
        yield f"gate ends with {code} and SARIF says that the tool {'failed' if has_failed else 'succeeded'}"
    if run["results"] and code != 1:
        yield f"gate ends with {code} and SARIF has {len(run['results'])} results"
