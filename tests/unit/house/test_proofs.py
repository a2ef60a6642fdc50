# SPDX-License-Identifier: BSD-3-Clause
"""Each proof belongs to a part of `make prove`, and the table of results has a row for each part."""

from __future__ import annotations

import csv
import platform
import re
from dataclasses import fields
from pathlib import Path

import pytest

import proofs
from support.mutant_groups import groups
from support.places import ROOT
from support.repositories import commit, git, new_repository

PAGE = (ROOT / "docs" / "project" / "proofs.md").read_text("utf-8")
PARTS = proofs.read_parts(proofs.PROOFS / "parts.toml")
REPORT = b"""<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><properties><property name="mutants tried" value="700"/></properties></testcase>
<testcase name="c"><properties><property name="mutants tried" value="800"/></properties></testcase>
<testcase name="d"><failure message="no">assert</failure></testcase>
<testcase name="e"><error message="no set-up">assert</error></testcase>
<testcase name="f"><skipped message="no tmux is installed"/></testcase>
<testcase name="g"><skipped message="no tmux is installed"/></testcase>
</testsuite></testsuites>"""


def test_a_reason_has_no_folder_of_the_machine() -> None:
    report = REPORT.replace(b"no tmux is installed", f"{ROOT}/guest/debian_source.sh ended with status 1".encode())
    assert proofs.outcome_of(report).note.endswith("2 skipped: guest/debian_source.sh ended with status 1")
    assert f"{ROOT}/" not in proofs.TABLE.read_text("utf-8")


def test_each_file_of_proofs_belongs_to_one_part() -> None:
    folders = [path.relative_to(proofs.PROOFS).parts[0] for path in proofs.PROOFS.rglob("test_*.py")]
    assert len(folders) > 50
    assert set(folders) == {part.name for part in PARTS.values() if part.tests == (f"tests/prove/{part.name}",)}


def test_each_group_of_mutants_has_a_part() -> None:
    assert {f"mutants_{group}" for group in groups(of_python=True)} == {name for name in PARTS if name.startswith("mutants_")}


def test_what_make_test_leaves_out_has_a_part_of_its_own() -> None:
    assert "slow" in PARTS["matrices"].tests and dict(PARTS["properties"].variables) == {"LATLAB_EXAMPLES": "prove"}


def test_what_a_part_builds_is_a_target_of_the_makefile() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    images = set(re.findall(r"^EL3 := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[0].split())
    assert {target for part in PARTS.values() for target in part.make} <= targets | images


def test_the_table_has_a_row_for_each_part_and_the_page_says_what_each_proves() -> None:
    with proofs.TABLE.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert [row["part"] for row in reader] == list(PARTS)
        assert reader.fieldnames == [field.name for field in fields(proofs.Row)]
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(PARTS)
    assert f":file: {proofs.TABLE.name}" in PAGE


def test_a_row_that_says_passed_has_no_failure_and_names_its_commit() -> None:
    for row in proofs.read_rows(proofs.TABLE, PARTS).values():
        if row.result == proofs.NEVER:
            continue
        assert re.fullmatch(r"[0-9a-f]{8,}", row.commit) and row.date and row.processor and int(row.cpus) and row.system
        assert (row.result == "passed") == (row.failed == "0" and int(row.passed) > 0)


def test_a_report_is_counted_with_its_figures_and_its_reasons() -> None:
    found = proofs.outcome_of(REPORT)
    assert (found.passed, found.failed, found.skipped, found.result) == (3, 2, 2, "failed")
    assert found.note == "1,500 mutants tried; 2 skipped: no tmux is installed"


@pytest.mark.parametrize(("counts", "result"), [((3, 0, 1), "passed"), ((3, 1, 0), "failed"), ((0, 0, 4), proofs.NEVER)])
def test_proofs_that_all_were_skipped_prove_nothing(counts: tuple[int, int, int], result: str) -> None:
    assert proofs.Outcome(*counts, note="").result == result


def test_a_new_row_takes_the_place_of_the_older_one_and_parts_without_a_row_were_not_run(tmp_path) -> None:
    table = tmp_path / "proofs.csv"
    for tested in ("11111111", "22222222"):
        rows = proofs.read_rows(table, ["docs", "fuzz"])
        proofs.write_rows(table, {**rows, "fuzz": proofs.Row("fuzz", "passed", "2", commit=tested, note='of "both", and more')}.values())
    rows = proofs.read_rows(table, ["docs", "fuzz", "rt"])
    assert [(row.part, row.result, row.commit) for row in rows.values()] == [
        ("docs", proofs.NEVER, ""),
        ("fuzz", "passed", "22222222"),
        ("rt", proofs.NEVER, ""),
    ]
    assert rows["fuzz"].note == 'of "both", and more'


def test_a_processor_without_a_name_is_the_name_of_its_architecture() -> None:
    assert proofs.processor_of("processor : 0\nmodel name\t: A CPU @ 2 GHz\n") == "A CPU @ 2 GHz"
    assert proofs.processor_of("processor : 0\n") == platform.machine()


def test_a_part_that_nobody_knows_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        proofs.main(["statistic"])
    assert "there is no part statistic; the parts are statistics, first_screens, stores," in capsys.readouterr().err


@pytest.fixture(name="checkout")
def fixture_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one part, whose proofs pass and skip."""
    root = new_repository(tmp_path / "checkout")
    monkeypatch.setattr(proofs, "ROOT", root)
    monkeypatch.setattr(proofs, "PROOFS", root / "tests" / "prove")
    monkeypatch.setattr(proofs, "TABLE", root / "docs" / "proofs.csv")
    (root / "docs").mkdir()
    (root / "tests" / "prove" / "small").mkdir(parents=True)
    passes = "def test_a():\n    pass\n"
    skips = "import pytest\n\ndef test_b():\n    pytest.skip('no board')\n"
    files = {
        "tests/prove/parts.toml": "[small]\n[other]\n",
        "tests/prove/small/test_small.py": passes + skips,
        ".gitignore": "/build\n__pycache__\n",
    }
    commit(root, "a part", files)
    return root


def test_a_part_that_is_run_writes_its_row_with_the_commit_and_whether_files_differed_from_it(checkout: Path) -> None:
    assert proofs.main(["small"]) == 0
    row = proofs.read_rows(proofs.TABLE, ["small"])["small"]
    assert (row.result, row.passed, row.failed, row.skipped, row.changed) == ("passed", "1", "0", "1", "no")
    assert git(checkout, "rev-parse", "HEAD").startswith(row.commit) and "1 skipped: no board" in row.note
    (checkout / "tests/prove/small/test_small.py").write_text("def test_a():\n    assert False\n")
    assert proofs.main(["small", "--", "-k", "test_a"]) == 1
    assert proofs.read_rows(proofs.TABLE, ["small"])["small"] == row, "a part of a part keeps no result"
    assert proofs.main(["small"]) == 1
    newest = proofs.read_rows(proofs.TABLE, ["small", "other"])
    assert (newest["small"].result, newest["small"].failed, newest["small"].changed) == ("failed", "1", "yes")
    assert newest["other"].result == proofs.NEVER
