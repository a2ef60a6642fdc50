# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the campaigns that were stored once: each is shown, exported and read back."""

from pathlib import Path

import pytest

from latlab.core.model.conditions import Mode
from latlab.core.store import run_json
from latlab.core.store.store import open_store
from support.command import latlab
from support.stored_campaigns import unpack_campaigns

RUNS = (
    "psci-0660", "psci-3a91", "psci-3288", "psa-8692", "rt-3473", "rt-2c06", "rt-d6bb", "rt-trng-9a58", "rt-power-0ee2", "psci-b1b7",
    "psci-1cb6", "rt-6a30",
)  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "store.sqlite"
    unpack_campaigns(path)
    return path


@pytest.mark.parametrize("run_id", RUNS)
def test_every_run_is_shown(place: Path, run_id: str) -> None:
    done = latlab("show", run_id, store=place)
    assert done.returncode == 0 and run_id in done.stdout


def test_every_run_becomes_a_file_and_is_read_back(place: Path) -> None:
    store = open_store(str(place))
    runs = [store.load(run.id) for run in store.runs()]
    assert tuple(run.id for run in runs) == RUNS
    for run in runs:
        assert run_json.parse(run_json.render(run), run.id) == run


def test_conditions_of_each_campaign_are_typed(place: Path) -> None:
    conditions = {run.id: run.conditions for run in open_store(str(place)).runs()}
    psci, rt, power = (conditions[name] for name in ("psci-0660", "rt-3473", "rt-power-0ee2"))
    assert (psci.mode, conditions["psci-b1b7"].mode) == (Mode.DETERMINISTIC, Mode.MULTI_THREAD)
    assert (psci.processor, psci.interrupt_controller, psci.exception_level, psci.iterations) == ("cortex-a57", "GICv3", 1, 2)
    assert (rt.mode, rt.duration_s, rt.interval_ns, rt.priority, rt.idle_states) == (Mode.DETERMINISTIC, 2, 200_000, 80, False)
    assert (power.hotplug_cycles, power.suspends, power.mode) == (3, 1, Mode.MULTI_THREAD)


@pytest.mark.parametrize("format", ["html", "md", "rst"])
def test_a_run_of_power_boundaries_is_a_page_with_its_table(place: Path, tmp_path: Path, format: str) -> None:
    page = tmp_path / f"page.{format}"
    done = latlab("report", "rt-power-0ee2", "--format", format, "-o", str(page), store=place)
    assert done.returncode == 0, done.stderr
    text = page.read_text()
    assert "CPU_OFF: entry to low power" in text.replace("\\", "") and "1,192.6" in text


def test_a_run_of_several_boots_shows_each_by_its_name(place: Path) -> None:
    said = latlab("show", "rt-trng-9a58", store=place).stdout
    assert "200-us-kstack-on-hwrng-off" in said and "200-us-kstack-off-hwrng-on" in said
