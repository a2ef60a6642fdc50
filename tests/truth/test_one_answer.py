# SPDX-License-Identifier: BSD-3-Clause
"""Every output says one thing of a pair, whatever the pair is; and what is the same data gives the same answer."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from support.command import latlab
from truth.asked_gate import Asked
from truth.draw import SpanCase, case_of
from truth.exported import Document
from truth.machines import JUNO, N1SDP, Machine
from truth.mutated_kinds import PAIRS, DocumentPair, board, imported, pair_of_kind
from truth.parts import part_case_of, part_pair, rt_part_case_of, rt_part_pair
from truth.spans import pair_of
from truth.verdict_cases import documents, two_parts_of_one_run
from truth.wakeups import Tool, WakeupPair, printed, wakeup_pair

WAKEUPS = 20_000
SEEDS = range(70_000, 70_016)
TITLES = {0: "passes", 1: "fails", 3: "is inconclusive"}
CHANGED = ("regressed", "improved")
PARTS = [((20, 3), (1, 1)), ((3, 20), (1, 1)), ((20, 5), (1, 1)), ((100, 10), (1, 1)), ((5, 5), (4, 4)), ((1, 1), (4, 4)),
         ((20, 3), (4, 4)), ((3, 20), (1, 4)), ((1, 1), (20, 1)), ((1, 1), (100, 1)), ((1, 1), (1, 100))]  # fmt: skip


@pytest.fixture(name="asked")
def fixture_asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


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


@pytest.mark.parametrize("seed", SEEDS)
def test_every_output_of_a_pair_says_one_thing(asked: Asked, seed: int):
    pair, folder = drawn_pair(seed), asked.folder
    files = {kind: folder / f"gate.{kind}" for kind in ("junit", "sarif", "comment")}
    gate = asked.gate(*pair, *(word for kind, path in files.items() for word in (f"--{kind}", path)))
    screen = asked.compare(*pair)
    document = json.loads(asked.compare(*pair, "--format", "json").stdout or "null")
    code = gate.returncode
    assert screen.returncode == code, gate.stdout + screen.stdout
    assert code in TITLES
    if document is not None:
        assert {"regressed": 1, "cannot tell": 3, "inconclusive": 3}.get(document["verdict"], 0) == code
    _holds_junit(files["junit"].read_text(), code)
    _holds_sarif(json.loads(files["sarif"].read_text()), code)
    assert TITLES[code] in files["comment"].read_text().splitlines()[0] or document is None
    if document is not None:
        _holds_pages(asked, pair, screen.stdout)


def _holds_junit(text: str, code: int) -> None:
    suite = ET.fromstring(text).find("testsuite")
    assert suite is not None
    failures, errors, skipped = (int(suite.get(name, "0")) for name in ("failures", "errors", "skipped"))
    assert (failures > 0) is (code == 1), text
    if code == 3:
        assert errors + skipped, text
    if code == 0:
        assert not errors, text


def _holds_sarif(document: dict, code: int) -> None:
    run = document["runs"][0]
    succeeded = [invocation["executionSuccessful"] for invocation in run.get("invocations", ())]
    assert all(succeeded) is (code != 3) if succeeded else code != 3, document
    assert code == 1 or not run["results"]


def _holds_pages(asked: Asked, pair: DocumentPair, screen: str) -> None:
    """The verdict's words of the screen's first line are those of the documents' first sentence."""
    word = screen.partition("\n")[0].rpartition("candidate.json: ")[2].partition(" (")[0]
    assert word
    for form in ("md", "html"):
        page = asked.compare(*pair, "--format", form).stdout
        assert word in page, f"{word!r} is not in {page[:2000]}"


@pytest.mark.parametrize("machine", [JUNO, N1SDP], ids=["juno", "n1sdp"])
@pytest.mark.parametrize(("iterations", "boots"), PARTS)
def test_two_parts_of_one_run_are_never_called_changed(asked: Asked, iterations: tuple[int, int], boots: tuple[int, int], machine: Machine):
    done = asked.compare(*two_parts_of_one_run(iterations, boots, 7, machine), "--format", "json")
    comparison = json.loads(done.stdout)
    changed = [(row["test"], row["metric"], row["name"]) for row in comparison["rows"] if row["verdict"] in CHANGED]
    assert comparison["verdict"] not in CHANGED and not changed, changed


@pytest.mark.parametrize("kind", PAIRS)
def test_a_run_is_not_changed_from_itself(asked: Asked, kind: str):
    base, _ = pair_of_kind(kind)
    assert asked.gate(base, base).returncode == asked.compare(base, base).returncode == 0


@pytest.mark.parametrize("kind", ["psci, counts", "Juno, 4 boots of 5", "calls of a trace", "cyclictest, drawn", "benchmark, drawn"])
def test_the_order_of_lines_in_a_file_does_not_matter(asked: Asked, kind: str):
    base, candidate = pair_of_kind(kind)
    assert _answer(asked, (base, candidate)) == _answer(asked, (_shuffled(base, 1), _shuffled(candidate, 2)))


def _shuffled(document: Document, seed: int) -> Document:
    rng = np.random.default_rng(seed)
    out = dict(document)
    for key in ("samples", "distributions", "amounts"):
        rows = document.get(key, [])
        out[key] = [rows[at] for at in rng.permutation(len(rows))]
    return out


def _answer(asked: Asked, pair: DocumentPair) -> tuple[int, str, list[tuple[str, ...]]]:
    comparison = json.loads(asked.compare(*pair, "--format", "json").stdout)
    rows = sorted((row["test"], row["metric"], row["name"], row["verdict"], f"{row['shift']:.6g}") for row in comparison["rows"])
    return asked.gate(*pair).returncode, comparison["verdict"], rows


def test_the_order_in_which_boots_are_named_does_not_matter(tmp_path: Path):
    base, candidate = board(JUNO, 4, 5)
    answers = []
    for order in ((0, 1, 2, 3), (2, 0, 3, 1)):
        names = ["+".join(str(_boot(tmp_path, document, boot)) for boot in order) for document in (base, candidate)]
        done = latlab("compare", *names, "--format", "json", store=tmp_path / "store.sqlite")
        rows = json.loads(done.stdout)["rows"]
        answers.append((done.returncode, sorted((row["test"], row["metric"], row["name"], row["verdict"]) for row in rows)))
    assert answers[0] == answers[1]


def _boot(folder: Path, document: Document, boot: int) -> Path:
    """A file of one boot alone."""
    path = folder / f"{document['id']}-{boot}.json"
    samples = [[test, metric, core, 0, iteration, value] for test, metric, core, of, iteration, value in document["samples"] if of == boot]
    path.write_text(json.dumps({**document, "id": path.stem, "samples": samples}), encoding="utf-8")
    return path
