# SPDX-License-Identifier: BSD-3-Clause
"""The steal campaign on this machine, with a meter that is a script and writes what it is told."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from latlab.core.cli import showing
from latlab.core.cli.app import app
from latlab.core.cli.options import Format
from latlab.core.comparison.by_kind import compare
from latlab.core.errors import DataError, UsageError
from latlab.core.lifecycle.material import load_run
from latlab.core.model.amounts import amounts_of
from latlab.core.model.conditions import Mode
from latlab.core.model.enums import Clock, RunStatus
from latlab.core.model.run import CallsOfKind, CoreId, Tick, Topology
from latlab.core.store import run_json
from latlab.core.store.function_files import KINDS_LOG, render_functions
from latlab.core.store.store import Store, open_store
from latlab.core.targets.linux.machine import Here
from latlab.rt.campaign import steal as campaign
from latlab.rt.campaign.steal import checked, run_steal_linux
from latlab.rt.campaign.steal_results import phases_of, thefts_by_caller
from latlab.rt.model.stolen import Blind, Stolen
from latlab.rt.pages import stolen
from latlab.rt.targets.steal_job import Watch
from support.ssh_script import over_script
from support.steal_lines import blind_cpu, cpu_with, measured, text

IDLE = measured(cpu_with([1952, 1952, 1184]), blind_cpu(Blind.NOT_PERMITTED, 1, 13))
LOADED = measured(cpu_with([50_673] * 9), blind_cpu(Blind.NOT_PERMITTED, 1, 13))
SLEEP = "exec sleep 20"
X86 = measured(blind_cpu(Blind.ARCHITECTURE), blind_cpu(Blind.ARCHITECTURE, 1))
Measure = Callable[..., tuple[Store, str]]


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """A run on this machine whose meter says this in each phase."""

    def made(idle: Stolen, loaded: Stolen = LOADED, load: str = SLEEP, counts: str = "") -> tuple[Store, str]:
        for phase in ("idle", "load"):
            (tmp_path / f"outside-{phase}.txt").write_text(counts)
        (tmp_path / "steal-idle.txt").write_text(text(idle))
        (tmp_path / "steal-load.txt").write_text(text(loaded))
        meter = tmp_path / "meter"
        meter.write_text(f'#!/bin/sh\ncp {tmp_path}/$(basename "$2") "$2"\ncp {tmp_path}/$(basename "$4") "$4"\nsleep 0.2\n')
        monkeypatch.setattr(campaign, "meter_for", lambda machine: meter)
        monkeypatch.setattr(campaign, "collected", lambda machine: b"")
        store = open_store(str(tmp_path / "store.sqlite"))
        here = Here(scratch=str(tmp_path), look_every_s=0.2)
        return store, run_steal_linux(store, here, Watch(1, load), lambda said: None)

    return made


def test_each_cpu_that_sees_has_amounts_of_both_phases_and_a_blind_one_has_none(measure: Measure) -> None:
    store, run_id = measure(IDLE)
    run = load_run(store, run_id)
    assert run.status is RunStatus.COMPLETE
    found = {(one.test, one.core, one.name): one.values for one in amounts_of(run)}
    assert {core for _, core, _ in found} == {CoreId(0, 0)}
    assert found["idle", CoreId(0, 0), "time in firmware per second"] == (1952.0, 1952.0, 1184.0)
    assert found["load", CoreId(0, 0), "largest time in firmware of a window in a second"] == (50_673.0,) * 3
    assert run_json.parse(run_json.render(run), "again") == run


def test_screen_and_page_tell_what_was_stolen_and_why_a_cpu_is_blind(measure: Measure, capsys: pytest.CaptureFixture[str]) -> None:
    store, run_id = measure(IDLE)
    run = store.load(run_id)
    showing.print_run(store, run, Format.TABLE)
    screen = " ".join(capsys.readouterr().out.split())
    assert "CPU 1: time in firmware is not measurable by cycle counters: the kernel does not let this user count cycles" in screen
    assert "trng_reseed, 15 times" in screen and "µs in firmware repeat with a period of 0.3 s" in screen
    page = showing.document_of(store, run, Format.HTML)
    assert (
        "Time in firmware over the run" in page
        and "Histogram of time in firmware" in page
        and "CPU 1: time in firmware is not measurable" in page
    )
    for form in (Format.MD, Format.RST):
        assert "50.7" in showing.document_of(store, run, form)
    showing.print_run(store, run, Format.CSV)
    assert "50.7" in capsys.readouterr().out


def test_of_virtual_cpus_that_take_turns_lengths_are_doubted(measure: Measure) -> None:
    store, run_id = measure(IDLE)
    run, phases = store.load(run_id), phases_of(store.logs(run_id))
    in_turns = replace(run, topology=Topology((4,)), conditions=replace(run.conditions, mode=Mode.DETERMINISTIC))
    assert "the 4 vCPUs take turns on one clock" in repr(stolen.screen(in_turns, phases))
    assert "take turns" not in repr(stolen.screen(replace(in_turns, topology=Topology((1,))), phases))


def test_a_machine_on_which_every_cpu_is_blind_is_partial_with_the_reason_and_is_not_loaded(measure: Measure) -> None:
    nobody = measured(blind_cpu(Blind.NO_PMU, 0, 2), blind_cpu(Blind.NO_PMU, 1, 2))
    store, run_id = measure(nobody)
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and "steal-load.txt" not in store.logs(run_id)
    (problem,) = run.problems
    assert problem.line == 0 and problem.message.startswith(
        "CPUs 0-1: time in firmware is not measurable by cycle counters: the kernel has no cycle counter"
    )
    page = showing.document_of(store, run, Format.HTML)
    assert "the kernel has no cycle counter" in page and "Time in firmware per second" not in page


def _counts(steal: str, smi: str, *ticks_and_smis: tuple[int, int | None]) -> str:
    """Of CPU 0, a second between each two. CPU 1 counts no SMIs and loses nothing."""
    lines = [f"HEAD version=1 steal={steal} tick_ns=10000000", f"CPU cpu=0 smi={smi}", "CPU cpu=1 smi=none"]
    for at, (ticks, smis) in enumerate(ticks_and_smis):
        counted = "" if smis is None else f" smis={smis}"
        lines += [f"AT cpu=0 ns={at}000000000 steal_ticks={ticks}{counted}", f"AT cpu=1 ns={at}000000000 steal_ticks=0"]
    return "".join(f"LLOC1 {line}\n" for line in (*lines, "END"))


def test_what_a_hypervisor_and_smis_take_is_measured_where_no_counter_of_arm_is(
    measure: Measure, capsys: pytest.CaptureFixture[str]
) -> None:
    store, run_id = measure(X86, X86, counts=_counts("known", "event", (100, 4_294_967_290), (103, 4_294_967_295), (110, 4)))
    run = load_run(store, run_id)
    assert run.status is RunStatus.COMPLETE and not run.problems
    found = {(one.test, one.core, one.name): one.values for one in amounts_of(run)}
    assert found["load", CoreId(0, 0), "hypervisor's steal time per second"] == (30e6, 70e6)
    assert found["idle", CoreId(0, 0), "SMIs"] == (5.0, 5.0)
    assert found["idle", CoreId(0, 1), "hypervisor's steal time per second"] == (0.0, 0.0)
    assert ("idle", CoreId(0, 1), "SMIs") not in found, "unknown is not 0"
    showing.print_run(store, run, Format.TABLE)
    screen = " ".join(capsys.readouterr().out.split())
    assert "CPU 0 lost 5.00 % of its time (4.50 to 5.50 %) to its hypervisor while idle, in 2 s." in screen
    assert "time in firmware is not measurable by cycle counters: the machine has no 64-bit Arm CPUs" in screen
    assert "0 2.00 100 [90 to 110] 5.00 [4.50 to 5.50] 10 1 2.00 0 [0 to 10] 0.00 [0.00 to 0.50] -" in screen
    assert "5.00" in showing.document_of(store, run, Format.HTML)


def test_a_machine_that_only_counts_smis_is_measured_and_one_that_counts_nothing_is_not(measure: Measure) -> None:
    store, run_id = measure(X86, X86, counts=_counts("no_hypervisor", "device", (0, 5), (0, 8)))
    run, phases = store.load(run_id), phases_of(store.logs(run_id))
    assert run.status is RunStatus.COMPLETE
    assert stolen.screen(run, phases).answer == "CPU 0 had 3 SMIs while idle, in 1 s. Their time is not measured."
    store, run_id = measure(X86, X86, counts=_counts("not_offered", "none", (0, None), (0, None)))
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL and "outside-load.txt" not in store.logs(run_id)
    assert [problem.message[:40] for problem in run.problems] == [
        "CPUs 0-1: time in firmware is not measur",
        "Steal time by a hypervisor is unknown: t",
        "System management interrupts (SMI) are u",
    ]


def test_counts_that_were_cut_off_make_the_run_partial(measure: Measure) -> None:
    store, run_id = measure(X86, X86, counts=_counts("known", "none", (0, None), (1, None)).removesuffix("LLOC1 END\n"))
    assert any("cut off" in problem.message for problem in store.load(run_id).problems)


def test_a_load_that_ends_early_makes_the_run_partial(measure: Measure) -> None:
    store, run_id = measure(IDLE, load="true")
    run = store.load(run_id)
    assert run.status is RunStatus.PARTIAL
    assert any("the load had ended before the measurement did" in problem.message and problem.line == 0 for problem in run.problems)


def test_what_a_load_prints_is_not_kept(measure: Measure) -> None:
    """A load such as `cat /dev/hwrng` prints without end, and what a guest keeps goes over its console."""
    store, run_id = measure(IDLE, load=f"echo much; {SLEEP}")
    assert store.load(run_id).status is RunStatus.COMPLETE
    assert not any(b"much" in data for data in store.logs(run_id).values())


def test_two_runs_are_compared_by_what_was_stolen_in_each_second(measure: Measure) -> None:
    quiet = measured(cpu_with([2000, 2010, 1990] * 20, seconds=60))
    store, first = measure(quiet, measured(cpu_with([2000, 2010, 1990] * 20, seconds=60)))
    _, second = measure(quiet, measured(cpu_with([4000, 4010, 3990] * 20, seconds=60)))
    compared = compare(load_run(store, first), load_run(store, second))
    told = {(row.test, str(row.verdict)) for row in compared.rows}
    assert ("load", "regressed") in told and ("idle", "regressed") not in told


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("armv7l", "board: .* with its 32-bit kernel \\(armv7l\\); boot a 64-bit one"),
        ("riscv64", "board: .* it is riscv64, and latlab knows no RISC-V machine"),
    ],
)
def test_a_machine_of_another_kind_is_refused_in_a_sentence_and_no_run_is_begun(kind: str, said: str, tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "store.sqlite"))
    board = over_script(tmp_path, f"echo machine={kind}")
    with pytest.raises(DataError, match=said) as refused:
        run_steal_linux(store, board, Watch(1), lambda said: None)
    assert refused.value.exit_code == 3 and not store.runs()


CALLS = (CallsOfKind("normal EL1", "call", "TRNG_RND (64)", False, ((976, 12),), 0, (), ()),)


def test_thefts_are_put_down_to_calls_on_the_instruction_clock_alone(measure: Measure) -> None:
    store, run_id = measure(IDLE)
    run, files = store.load(run_id), store.logs(run_id)
    with pytest.raises(DataError, match="was measured in time and the probe counts instructions"):
        thefts_by_caller(run, files, CALLS)
    counted = replace(run, tick=Tick(Clock.INSTRUCTIONS, 0.5))
    with pytest.raises(DataError, match="the run with the calls has none"):
        thefts_by_caller(counted, files, ())
    told = {one.sentence for one in thefts_by_caller(counted, files, CALLS) if one.test == "idle"}
    assert told == {
        "two windows with 976 instructions in firmware: TRNG_RND (count 12), the only call that fits",
        "one window with 592 instructions in firmware: no call in the probe's data has that size, nor have several calls of one kind",
    }
    with pytest.raises(DataError, match="is no run of the steal meter"):
        thefts_by_caller(replace(counted, campaign="rt"), files, CALLS)


def test_the_command_line_takes_the_calls_of_another_run(
    measure: Measure, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, run_id = measure(IDLE)
    monkeypatch.setenv("LATLAB_STORE", store.place.opened)
    with pytest.raises(DataError, match="was measured in time"):
        app(("explain", run_id, "--calls", run_id), standalone_mode=False)
    with pytest.raises(UsageError, match="--calls names the calls of one run"):
        app(("explain", run_id, run_id, "--calls", run_id), standalone_mode=False)
    store.update_metadata(run_id, replace(store.load(run_id), tick=Tick(Clock.INSTRUCTIONS, 0.5)))
    store.add(run_id, logs={KINDS_LOG: render_functions(CALLS)})
    said: list[str] = []
    monkeypatch.setattr("latlab.runs.verbs.comparing.emit", said.append)
    app(("explain", run_id, "--calls", run_id, "--format", "json"), standalone_mode=False)
    assert '"name": "TRNG_RND"' in said[0] and '"basis": "inferred"' in said[0]
    monkeypatch.undo()
    monkeypatch.setenv("LATLAB_STORE", store.place.opened)
    app(("explain", run_id, "--calls", run_id), standalone_mode=False)
    screen = " ".join(capsys.readouterr().out.split())
    assert "TRNG_RND (count 12), the only call that fits" in screen and "inferred" in screen


@pytest.mark.parametrize(("watch", "said"), [(Watch(1, interval_us=10), "--interval 10"), (Watch(1, threshold_ns=-1), "--threshold -1")])
def test_what_no_meter_can_do_is_refused_before_the_start(watch: Watch, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        checked(watch)
