# SPDX-License-Identifier: BSD-3-Clause
"""A package outside of latlab adds a kind of run and a format of files: import, list, show, compare and export work."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from latlab.core.cli import verbs
from latlab.core.kinds import registry
from support.command import latlab

PACKAGE = """
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from latlab.core.comparison.comparison import Compared
from latlab.core.comparison.decision import Claim, ClaimLevel
from latlab.core.statistics.statistics import Shift
from latlab.core.comparison.verdicts import Verdict
from latlab.core.kinds.file_format import FileFormat, ReadFile
from latlab.core.kinds.kind import Analysis, Codec, Forms, Pairs, RunKind
from latlab.core.model.enums import Clock
from latlab.core.model.run import Contents, Run, Tick, Topology
from latlab.core.report.page import Page, Paragraph, Section


@dataclass(frozen=True, slots=True)
class Bounces(Contents):
    kind: ClassVar[str] = "bounces"
    heights: tuple[int, ...] = ()


def _read(material):
    heights = tuple(map(int, material.logs["bounces"].split()[1:]))
    return replace(material.run, contents=Bounces(heights))


def _compare(a, b, limits, earlier):
    is_higher = max(b.contents.heights) > max(a.contents.heights)
    verdict = Verdict.REGRESSED if is_higher else Verdict.SAME
    heights = [float(max(run.contents.heights)) for run in (a, b)]
    shift = Shift(heights[1] - heights[0], heights[1] - heights[0], heights[1] - heights[0], 0.0)
    bounce = Claim(ClaimLevel.METRIC, "bounce", "", "highest", *heights, shift, 0.0, 0.0, verdict, is_frontier=True)
    return Compared(a=a, b=b, limits=limits, unit="ns", rows=(), claims=(bounce,), notes=(), gaps=())


def _page(material):
    highest = max(material.whole.contents.heights)
    return Page("Bounces", sections=(Section("", (Paragraph(f"The highest bounce is {highest} mm."),)),))


def _lines(run):
    return ("height",), iter((height,) for height in run.contents.heights)


KIND = RunKind(
    contents=Bounces,
    codec=Codec(
        keys={"heights": ()},
        to_json=lambda bounces: {"heights": bounces.heights},
        of_json=lambda document: Bounces(tuple(document["heights"])),
        read=_read,
    ),
    pairs=Pairs(
        compare=_compare,
        explain=lambda comparison: (),
        headline=lambda comparison: ("all bounces", "1 mm"),
        results=lambda comparison: Section("Results"),
    ),
    analysis=Analysis(without_figures="bounces have no figures to follow"),
    forms=Forms(screen=_page, document=_page, csv=lambda material: "", lines=_lines),
)


def _file(data, name):
    run = Run("bounce", "", "ball", Topology((1,)), Tick(Clock.TIME, 1.0), contents=Bounces())
    return ReadFile(run, {"bounces": data})



def bounce(height: int = 3) -> None:
    '''Drop the ball once more.'''
    print(f"it bounces {height} mm")


FORMAT = FileFormat("bouncer", lambda data: data.startswith(b"bouncer"), _file)
"""
POINTS = """[latlab.kinds]
bounces = bouncing:KIND

[latlab.formats]
bouncer = bouncing:FORMAT

[latlab.verbs]
bounce = bouncing:bounce
ls = bouncing:bounce
broken = bouncing:nothing
"""


def _forget() -> None:
    cached_names = (verbs._points_of_packages, verbs._loaded_verb, registry._points, registry._entry_points)
    for cached in (*cached_names, registry._plugin, registry.kind_named):
        cached.cache_clear()


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, points: str = POINTS, text: str = PACKAGE) -> None:
    (folder / "bouncing.py").write_text(text)
    metadata = folder / "bouncing-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: bouncing\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "bouncing", raising=False)
    _forget()


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    _forget()
    yield
    sys.modules.pop("bouncing", None)
    _forget()


@pytest.fixture(name="place")
def fixture_place(tmp_path: Path) -> Path:
    (tmp_path / "low.txt").write_text("bouncer 3 4 5\n")
    (tmp_path / "high.txt").write_text("bouncer 3 9\n")
    return tmp_path


def imported(place: Path, name: str) -> None:
    done = latlab("import", place / name, store=place / "store.sqlite")
    assert done.returncode == 0, done.stderr


def test_a_file_of_a_package_becomes_a_run_that_is_shown_compared_and_exported(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch)
    store = place / "store.sqlite"
    imported(place, "low.txt")
    imported(place, "high.txt")
    assert "The highest bounce is 9 mm." in latlab("show", "last", store=store).stdout
    assert latlab("ls", store=store).stdout.count("bounce-") == 2
    document = json.loads(latlab("export", "last", "--format", "json", store=store).stdout)
    assert (document["kind"], document["heights"], document["samples"]) == ("bounces", [3, 9], [])
    assert latlab("export", "last", "--format", "csv", store=store).stdout == "height\n3\n9\n"
    compared = latlab("compare", "last~1", "last", store=store)
    assert compared.returncode == 1 and "regressed" in compared.stdout
    assert latlab("compare", "last", "last", store=store).returncode == 0
    (place / "run.json").write_text(json.dumps(document))
    assert latlab("compare", "last", place / "run.json", store=store).returncode == 0


def test_a_user_names_the_tool_of_a_package(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch)
    (place / "other.txt").write_text("balls 1 2\n")
    done = latlab("import", place / "other.txt", "--as", "bouncer", "--platform", "rubber", store=place / "store.sqlite")
    assert done.returncode == 0 and "2 mm" in done.stdout


def test_without_the_package_its_runs_are_listed_and_named_when_they_are_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch)
    imported(place, "low.txt")
    (place / "bouncing-1.0.dist-info" / "entry_points.txt").unlink()
    _forget()
    assert "bounce-" in latlab("ls", store=place / "store.sqlite").stdout
    shown = latlab("show", "last", store=place / "store.sqlite")
    assert shown.returncode == 3
    assert "no installed package reads runs of the kind 'bounces'; install the one that made them" in shown.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "raise RuntimeError('no ball')",
            "'bouncer' in latlab.formats of bouncing cannot be loaded (no ball)",
        ),
        ("FORMAT = 1", "'bouncer' in latlab.formats of bouncing is no FileFormat of that name"),
    ],
)
def test_a_package_that_fails_is_named(place: Path, monkeypatch: pytest.MonkeyPatch, text: str, sentence: str) -> None:
    installed(place, monkeypatch, text=text)
    done = latlab("import", place / "low.txt", store=place / "store.sqlite")
    assert done.returncode == 3 and sentence in done.stderr


def test_a_kind_of_latlab_is_not_replaced(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch, points="[latlab.kinds]\nspans = bouncing:KIND\n")
    assert registry.kind_named("spans").contents.__name__ == "Spans"
    assert [kind.name for kind in registry.kinds()] == list(registry.BUILT_IN)


def test_a_verb_of_a_package_runs_stands_in_the_help_and_replaces_none(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert latlab("bounce").returncode == 2
    installed(place, monkeypatch)
    assert latlab("bounce", "--height", "7").stdout == "it bounces 7 mm\n"
    assert "Drop the ball once more." in latlab("bounce", "--help").stdout
    assert "Of installed packages" in latlab("--help").stdout
    assert "bounces" not in latlab("ls", store=place / "store.sqlite").stdout


def test_a_verb_that_cannot_be_loaded_names_its_package(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch)
    done = latlab("broken")
    assert done.returncode == 2 and "bouncing:nothing" in done.stderr
