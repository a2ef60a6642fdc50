# SPDX-License-Identifier: BSD-3-Clause
"""One command names the boards of a fleet that regressed, and no other."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from latlab.core.cli.app import main
from latlab.core.comparison.verdicts import Limits, Verdict
from latlab.core.model.life import Head
from latlab.core.store.choice import ALL
from latlab.core.store.comparisons import StoredComparison, stored_comparisons
from latlab.core.store.store import open_store
from latlab.site.campaign import regressions
from latlab.site.campaign.measured import MeasuredThing, measured
from latlab.site.pages.regressions import page
from support.fleets import Fleet, write

FLEET = Fleet(12, 4, frozenset({5}))
LAST_NIGHT = FLEET.last.strftime("%Y-%m-%d")


@pytest.fixture(name="place", scope="module")
def fixture_place(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("fleet") / "store.sqlite")
    write(FLEET, place).close()
    return place


def asked(place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    monkeypatch.setattr("sys.argv", ["latlab", "regressions", "--store", place, "--jobs", "1", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    said = capsys.readouterr()
    return said.out, said.err


def test_a_planted_regression_is_named_alone_with_its_two_runs(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, _ = asked(place, monkeypatch, capsys, "--since", LAST_NIGHT, "--format", "json")
    found = msgspec.json.decode(text)
    assert [row["measured"] for row in found if row["verdict"] == "regressed"] == ["psci on n1sdp 005, cores 2,4"]
    assert len(found) == 12 and {row["run"][:9] for row in found} == {"psci-0003"}
    assert all(row["base"][:9] in ("psci-0002", "psci-0001") for row in found)


def test_a_comparison_is_made_once(place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    first = asked(place, monkeypatch, capsys, "--since", LAST_NIGHT)
    made = stored_comparisons(open_store(place), version("latlab"))
    monkeypatch.setattr(regressions, "in_processes", None)
    assert asked(place, monkeypatch, capsys, "--since", LAST_NIGHT) == first and len(made) >= 12
    assert "regressed since" in first[0] and "latlab compare" in first[0]


def test_what_another_version_compared_is_compared_again(place: str) -> None:
    assert stored_comparisons(open_store(place), "another") == {}


def test_a_fleet_without_new_runs_is_no_fleet_without_regressions(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = asked(place, monkeypatch, capsys, "--since", "2030-01-01")
    assert out == "" and "no complete run since 2030-01-01" in err


@pytest.mark.parametrize("comparisons", [1, 10, 199, 200, 500, 5000])
def test_a_large_fleet_is_told_how_many_changes_are_by_chance(place: str, comparisons: int) -> None:
    thing = next(iter(measured(open_store(place))))
    change = changed(thing, thing.whole[-2], thing.whole[-1])
    lead = " ".join(map(str, page([change] * comparisons, "7d").lead))
    expected = comparisons * Limits().alpha
    assert (f"up to {expected:.1f} of {comparisons} comparisons" in lead) == (expected >= 0.5), lead


def changed(thing: MeasuredThing, base: Head, last: Head) -> regressions.Change:
    return regressions.Change(thing, base, last, StoredComparison(base.id, last.id, Verdict.SAME.value, "", ""))


def test_progress_has_the_number_the_count_and_the_time_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(tmp_path / "store.sqlite")
    store = write(FLEET, place)
    monkeypatch.setattr(regressions, "in_processes", lambda work, jobs, processes: map(work, jobs))
    reports: list[tuple[int, int, float]] = []
    list(regressions.changes_since(store, LAST_NIGHT, ALL, 1, lambda *report: reports.append(report)))
    assert [(number, count) for number, count, _ in reports] == [(number, 12) for number in range(1, 13)]
    assert all(left_s > 0 for *_, left_s in reports[:-1]) and reports[-1][2] == 0
