# SPDX-License-Identifier: BSD-3-Clause
"""A store and files that version 1 made, with runs of every campaign: they open, and say what they said then."""

import gzip
import hashlib
import shutil
import sqlite3
import tomllib
from pathlib import Path

import pytest

from latlab.analysis.compare import compare
from latlab.campaigns.material import load_run
from latlab.errors import DataError
from latlab.formats import run_json
from latlab.model.blame import BlameKind
from latlab.model.conditions import Mode
from latlab.model.enums import Kind, Metric
from latlab.report.exports import samples_csv
from latlab.store.store import open_store
from support.command import latlab
from support.places import TESTS

DATA = TESTS / "data" / "version1"
DIGESTS = tomllib.loads((DATA / "samples.toml").read_text())["sha256"]
DOSES = [("0", True, False), ("50", True, False), ("200", True, False), ("200", False, False), ("200", False, True)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    path.write_bytes(gzip.decompress((DATA / "store.sqlite.gz").read_bytes()))
    return path


def exported(name: str):
    return run_json.parse(gzip.decompress((DATA / f"{name}.json.gz").read_bytes()).decode(), name)


def in_the_words_of_version_1(text: str) -> str:
    clock = "deterministic: the instruction clock of an emulator"
    return text.replace("simulated ns", "ns").replace(f"{clock}\n", f'"{clock}, one vCPU"\n')


@pytest.mark.parametrize("run_id", DIGESTS)
def test_every_run_exports_the_samples_that_it_exported(place: Path, run_id: str) -> None:
    text = in_the_words_of_version_1(samples_csv.render(load_run(open_store(str(place)), run_id)))
    assert hashlib.sha256(text.encode()).hexdigest() == DIGESTS[run_id]


def test_what_stood_in_the_facts_is_typed_and_what_is_for_the_reader_stays(place: Path) -> None:
    runs = {run.id: run for run in open_store(str(place)).runs()}
    assert {run.kind for run in runs.values()} == set(Kind) - {Kind.AMOUNTS, Kind.ATTACKS, Kind.DESIGN}
    psci, psa, rt, trng, power = (runs[name] for name in ("psci-0660", "psa-8692", "rt-3473", "rt-trng-9a58", "rt-power-0ee2"))
    assert (psci.conditions.mode, runs["psci-b1b7"].conditions.mode) == (Mode.DETERMINISTIC, Mode.MULTI_THREAD)
    assert dict(psci.facts) == {"clock_hz": "62500000"}
    m = psci.conditions
    assert (m.processor, m.interrupt_controller, m.exception_level, m.iterations, m.instrument) == ("cortex-a57", "GICv3", 1, 2, "trace")
    assert (psa.conditions.processor, psa.conditions.interrupt_controller, psa.conditions.exception_level) == ("cortex-m33", None, None)
    assert psa.build.code_bytes == 11360
    c = rt.conditions
    assert (c.mode, c.duration_s, c.interval_ns, c.priority, c.idle_states) == (Mode.DETERMINISTIC, 2, 200_000, 80, False)
    assert (c.load, c.kstack_randomised, c.hwrng_driver) == ("stress-ng --cpu-method=all -c 4", True, True)
    assert c.commands[0] == "stress-ng --cpu-method=all -c 4 &" and c.commands[1].startswith("cyclictest -m -Sp80 -D2")
    assert [(f"{d.dose_us}", d.kstack_randomised, d.hwrng_driver) for d in trng.conditions.doses] == DOSES
    assert (power.conditions.hotplug_cycles, power.conditions.suspends, power.conditions.mode) == (3, 1, Mode.MULTI_THREAD)
    assert (runs["rt-d6bb"].source, runs["rt-d6bb"].conditions.mode) == ("cyclictest.json", None)


@pytest.mark.parametrize("run_id", [*DIGESTS, "rt-power-0ee2"])
def test_every_run_is_shown(place: Path, run_id: str) -> None:
    done = latlab("show", run_id, store=place)
    assert done.returncode == 0 and run_id in done.stdout


@pytest.mark.parametrize("format", ["html", "md", "rst"])
def test_a_run_of_power_boundaries_is_a_page_with_its_table(place: Path, tmp_path: Path, format: str) -> None:
    page = tmp_path / f"page.{format}"
    done = latlab("report", "rt-power-0ee2", "--format", format, "-o", str(page), store=place)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "CPU_OFF: entry to low power" in text.replace("\\", "") and "1192.6" in text


def test_the_experiment_finds_its_boots_by_their_names(place: Path) -> None:
    said = latlab("show", "rt-trng-9a58", store=place).stdout
    assert "Injected delay and latency" in said and "1 of 1 are attributed to TRNG_RND" in said


@pytest.mark.parametrize("name", ["psci-0660", "rt-3473", "rt-2c06"])
def test_a_file_of_version_1_is_the_run_of_its_store(place: Path, name: str) -> None:
    comparison = compare(load_run(open_store(str(place)), name), exported(name))
    assert comparison.verdict.value == "same" and not comparison.gaps


def test_a_file_of_version_1_keeps_who_was_to_blame() -> None:
    late = [entry.blame for one in exported("rt-3473").distributions for entry in one.late]
    assert {blame.kind for blame in late} <= set(BlameKind)


def test_published_figures_of_version_1_keep_deltas_and_resolutions() -> None:
    juno, am62l = exported("published-v2.10"), exported("published-am62l")
    assert len(juno.printed_deltas) == 7 and juno.resolutions == ()
    assert [(one.minimum_ticks, one.maximum_ticks) for one in am62l.distributions] != []
    assert am62l.distributions[0].metric is Metric.TASK_WAKEUP and am62l.conditions.interval_ns == 200_000


def test_a_migration_that_fails_leaves_the_old_store_and_its_copy(place: Path) -> None:
    with sqlite3.connect(place) as damaged:
        damaged.execute("UPDATE runs SET facts = '[[\"duration_s\", \"soon\"]]' WHERE id = 'rt-3473'")
    before = sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall()
    with pytest.raises(DataError, match="damaged"):
        open_store(str(place))
    assert sqlite3.connect(place).execute("SELECT sql FROM sqlite_master").fetchall() == before
    assert Path(f"{place}.version-1").exists()


def test_a_migration_that_succeeds_leaves_no_copy_and_is_not_done_twice(place: Path, tmp_path: Path) -> None:
    open_store(str(place)).close()
    assert list(tmp_path.iterdir()) == [place]
    kept = tmp_path / "again.sqlite"
    shutil.copy(place, kept)
    assert [run.id for run in open_store(str(kept)).runs()] == [run.id for run in open_store(str(place)).runs()]


def test_a_store_of_a_newer_version_is_refused_with_its_version(place: Path) -> None:
    open_store(str(place)).close()
    with sqlite3.connect(place) as newer:
        newer.execute("UPDATE latlab_schema SET version = 6")
    with pytest.raises(DataError, match="has schema 6, this latlab knows schema 5"):
        open_store(str(place))
