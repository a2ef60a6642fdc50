# SPDX-License-Identifier: BSD-3-Clause
"""What comes from elsewhere as a run: what its file says, what the user says beside it, and what of both cannot be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.amounts import amounts_of
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import Run, Topology
from latlab.core.readers.dump.frames import VIRTUAL_PLATFORM
from latlab.core.store.store import Store, open_store
from latlab.core.targets.qemu.images import PLATFORM
from latlab.runs.campaign.importing_amounts import import_amounts, with_amounts
from latlab.runs.campaign.importing_file import import_measured, import_wakeups
from latlab.runs.campaign.importing_log import import_log
from support.command import latlab as here
from support.console_lines import format_frame
from support.refusals import refused
from support.synthetic import Model, log
from support.tool_texts import RTEVAL_XML, SCHBENCH

ROUND_TRIPS = "> Executing 'PSCI_VERSION latency'\n10 cycles\t160 ns\n20 cycles\t320 ns\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store.sqlite"))


def booted(firmware: str) -> bytes:
    """A whole log whose first line says this firmware."""
    boot = replace(Model(Topology((1, 1))).header, firmware=firmware)
    return "\n".join([format_frame(boot), *log(Topology((1, 1)), 2)[1:]]).encode()


def imported(store: Store, data: bytes, **options: object) -> Run:
    return store.load(import_log(store, data, "x.log", **options).run_id)  # type: ignore[arg-type]


def test_a_log_of_a_board_is_a_run_in_time_on_a_machine_that_nobody_named(store: Store) -> None:
    run = imported(store, booted("fw-1.0"))
    assert (run.target, run.platform, run.source, run.campaign) == ("import", "unknown", "x.log", "psci")
    assert (run.tick.clock, run.conditions.mode, str(run.topology)) == (Clock.TIME, None, "1,1")
    assert store.logs(run.id)["console"] == booted("fw-1.0")
    named = imported(store, booted("fw-1.0"), platform="board", firmware="fw 2.0")
    assert (named.platform, named.build.firmware) == ("board", "fw-1.0"), "what the log calls its firmware stands"


@pytest.mark.parametrize(("clock", "mode"), [(Clock.INSTRUCTIONS, Mode.DETERMINISTIC), (Clock.TIME, Mode.MULTI_THREAD)])
def test_a_log_of_the_emulator_is_of_the_clock_that_the_user_names(store: Store, clock: Clock, mode: Mode) -> None:
    run = imported(store, booted(f"1.0;{PLATFORM}"), clock=clock)
    assert (run.tick.clock, run.conditions.mode, run.platform) == (clock, mode, PLATFORM)
    with pytest.raises(UsageError, match=r"does not state what its clock counts\. Give --clock instructions"):
        imported(store, booted(f"1.0;{PLATFORM}"))


def test_a_log_of_virtual_time_has_no_other_clock(store: Store) -> None:
    assert imported(store, booted(f"1.0;{VIRTUAL_PLATFORM}")).tick.clock is Clock.VIRTUAL
    assert imported(store, booted(f"1.0;{VIRTUAL_PLATFORM}"), clock=Clock.VIRTUAL).tick.clock is Clock.VIRTUAL
    with pytest.raises(UsageError, match="was simulated in virtual time"):
        imported(store, booted(f"1.0;{VIRTUAL_PLATFORM}"), clock=Clock.TIME)


def test_what_the_user_says_may_repeat_the_log_and_not_contradict_it(store: Store) -> None:
    assert str(imported(store, booted("fw"), topology=Topology((1, 1))).topology) == "1,1"
    with pytest.raises(UsageError, check=refused(value="2,4")):
        imported(store, booted("fw"), topology=Topology((2, 4)))
    figures = "\n".join(line for line in log(Topology((1, 1)), 2) if "RT_INSTR" in line).encode()
    with pytest.raises(UsageError, match="has figures in ns only, which are no instructions"):
        imported(store, figures, topology=Topology((1, 1)), clock=Clock.INSTRUCTIONS)
    run = imported(store, figures, topology=Topology((1, 1)))
    assert (run.tick.clock, run.tick.value, run.status, store.logs(run.id)) == (Clock.TIME, 1.0, RunStatus.COMPLETE, {"console": figures})


def test_figures_of_a_known_platform_need_no_topology(store: Store) -> None:
    figures = "\n".join(line for line in log(Topology((2, 4)), 2) if "RT_INSTR" in line).encode()
    run = imported(store, figures, platform="juno")
    assert (str(run.topology), run.status) == ("2,4", RunStatus.COMPLETE)
    with pytest.raises(UsageError, match="does not state its topology"):
        imported(store, figures, platform="a board of mine")


def test_round_trips_of_the_test_framework_are_a_run_without_a_topology(store: Store) -> None:
    run = imported(store, ROUND_TRIPS.encode(), firmware="fw 1")
    assert [(sample.test, sample.value_ticks) for sample in run.samples] == [("PSCI_VERSION-latency", 160), ("PSCI_VERSION-latency", 320)]
    assert (run.target, run.source, run.build.firmware, run.status) == ("import", "x.log", "fw 1", RunStatus.COMPLETE)
    assert store.logs(run.id) == {"console": ROUND_TRIPS.encode()} and run.started_utc
    assert imported(store, ROUND_TRIPS.encode(), platform="board").platform == "board"
    torn = imported(store, ROUND_TRIPS.encode() + b"30 cycles\n")
    assert torn.status is RunStatus.PARTIAL and torn.problems[0].line == 4
    with pytest.raises(DataError, check=refused(place="x.log:1")):
        imported(store, b"30 cycles\t\n")


def test_wake_ups_of_a_tool_are_a_run_of_as_many_cpus(store: Store) -> None:
    run = load_run(store, import_measured(store, RTEVAL_XML.encode(), "rteval.xml", "board", None, None, "fw 1"))
    assert (run.kind, run.campaign, run.target, str(run.topology)) == ("wakeups", "rt", "import", "2")
    assert (run.platform, run.source, run.build.firmware, run.status) == ("board", "rteval.xml", "fw 1", RunStatus.COMPLETE)
    assert store.logs(run.id) == {"imported": RTEVAL_XML.encode()}


def test_what_was_due_is_known_by_duration_and_interval_together(store: Store) -> None:
    due = store.load(import_wakeups(store, RTEVAL_XML.encode(), "x", "board", "2m", 200))
    assert (due.conditions.duration_s, due.conditions.interval_ns) == (120, 200_000)
    with pytest.raises(UsageError, check=refused(value="1")):
        import_wakeups(store, RTEVAL_XML.encode(), "x", "board", "1s", 1)
    for duration, interval_us in (("2m", None), (None, 200)):
        with pytest.raises(UsageError, match="--duration and --interval belong together"):
            import_wakeups(store, RTEVAL_XML.encode(), "x", "board", duration, interval_us)
    with pytest.raises(UsageError, check=refused(value="0")):
        import_wakeups(store, RTEVAL_XML.encode(), "x", "board", "2m", 0)


def test_amounts_of_a_benchmark_are_a_run_that_nothing_was_due_in(store: Store) -> None:
    run = load_run(store, import_measured(store, SCHBENCH.encode(), "schbench.txt", "board", None, None, "fw 1"))
    assert (run.kind, run.campaign, run.target, run.build.firmware) == ("amounts", "bench", "import", "fw 1")
    assert (run.tick.clock, run.tick.value, str(run.topology), dict(run.facts)["tool"]) == (Clock.TIME, 1.0, "1", "schbench")
    assert (run.source, run.status, run.platform) == ("schbench.txt", RunStatus.COMPLETE, "board") and amounts_of(run)
    for duration, interval_us in (("2m", None), (None, 200)):
        with pytest.raises(UsageError, match=r"schbench\.txt has no due wake-ups"):
            import_amounts(store, SCHBENCH.encode(), "schbench.txt", "board", duration, interval_us)
    with pytest.raises(DataError, match="the file of the benchmark metrics is missing"):
        with_amounts(run, {})


DOCUMENT = """Performance
===========

.. table:: ``CPU_SUSPEND`` latencies (µs) to deepest power level in serial ({0})

    +---------+------+-----------+--------+-------------+
    | Cluster | Core | Powerdown | Wakeup | Cache Flush |
    +=========+======+===========+========+=============+
    |    0    |  0   |   {1}.04  |  22.10 |    3.20     |
    +---------+------+-----------+--------+-------------+

"""


def test_a_document_is_a_run_of_each_of_its_releases(tmp_path: Path) -> None:
    path, at = tmp_path / "board.rst", tmp_path / "s.db"
    path.write_text(DOCUMENT.format("v2.9", 241) + DOCUMENT.format("v2.10", 262).partition("\n\n")[2], encoding="utf-8")
    done = here("import", path, "--unit", "us", store=at)
    assert done.returncode == 0, done.stderr
    assert sorted(run.build.firmware for run in open_store(str(at)).runs()) == ["v2.10", "v2.9"]
    assert here("import", f"{path}#v2.9", "published:tf-a/juno/v2.10", store=at).returncode == 0
    assert len(open_store(str(at)).runs()) == 4
    assert here("import", f"{path}#v9.9", store=at).returncode == 2
    assert here("import", path, "--as", "cyclictest", store=at).returncode == 2


def test_several_files_are_several_runs(tmp_path: Path) -> None:
    first, second, at = tmp_path / "a.txt", tmp_path / "b.xml", tmp_path / "s.db"
    first.write_text(SCHBENCH)
    second.write_text(RTEVAL_XML)
    assert here("import", first, second, store=at).returncode == 0
    assert sorted(run.source for run in open_store(str(at)).runs()) == ["a.txt", "b.xml"]
