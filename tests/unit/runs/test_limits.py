# SPDX-License-Identifier: BSD-3-Clause
"""Absolute limits on one run. The table holds questions as users asked them in public threads, each answered by one limit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from latlab.core.cli.app import app
from latlab.core.errors import UsageError
from latlab.core.model.amounts import Amount, Amounts
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.model.run import CoreId, Run, Sample, Spans, Tick, Topology
from latlab.runs.analysis import judge_limits, parse_limit, parse_limits
from support.wakeup_runs import distribution, wakeup_run


def _rt() -> Run:
    """Three CPUs, of 50,000 wake-ups of 3 to 12 µs; CPU 2 has one of 129 µs and missed three periods."""
    values = [3_000 + (np.arange(50_000) * 7919) % 9_000 for _ in range(3)]
    values[2][17] = 129_000
    return wakeup_run(*(distribution(one.tolist(), cpu, missed=3 * (cpu == 2), test="cyclictest") for cpu, one in enumerate(values)))


def _psci(clock: Clock = Clock.INSTRUCTIONS) -> Run:
    """200 calls of each of two cores, 201 to 300 units; and a power-down of 90 to 95."""
    tick = Tick(clock, 1.0 if clock is Clock.INSTRUCTIONS else 1000.0)
    cores = (CoreId(0, 0), CoreId(0, 1))
    calls = [Sample("psci_version_serial", Metric.PSCI_CALL, core, 0, i, 201 + i % 100) for core in cores for i in range(200)]
    downs = [Sample("cpu_off_serial", Metric.POWERDOWN, core, 0, i, 90 + i % 6) for core in cores for i in range(200)]
    contents = Spans((*calls, *downs))
    return Run("psci", "board", "made", Topology((2,)), tick, status=RunStatus.COMPLETE, contents=contents, id="psci")


def _noise() -> Run:
    amounts = (
        Amount("hwlatdetect", Metric.EVENTS, "samples above the threshold", None, (0.0,), 60.0),
        Amount("osnoise", Metric.AVAILABLE, "CPU", CoreId(0, 1), (99.98,)),
        Amount("hwlatdetect", Metric.VALUE, "largest", None, (7.0,)),
    )
    return Run(
        "bench",
        "board",
        "made",
        Topology((2,)),
        Tick(Clock.TIME, 1.0),
        status=RunStatus.COMPLETE,
        contents=Amounts(amounts, "made"),
        id="noise",
    )


RT, PSCI, TIMED, NOISE = _rt(), _psci(), _psci(Clock.TIME), _noise()


@pytest.mark.parametrize(
    ("asked_in", "run", "limit", "code"),
    [
        ("guysoft/RealtimePi#31: always below 100 us and never above", RT, "wakeup max <= 100us", 1),
        ("guysoft/RealtimePi#31: or 200 us", RT, "wakeup max <= 200us", 0),
        ("jlelli/rt-tests#5: is the worst case below 1 ms", RT, "wakeup max < 1ms", 0),
        ("ni/meta-nilrt#669: the maximum below 27 us on the isolated CPU", RT, "wakeup max <= 27us on cpu 1", 0),
        ("ni/meta-nilrt#669: 99.9999 % below 16 us", RT, "wakeup 99.9999% <= 16us", 3),
        ("ni/meta-nilrt#741: raised to 34 us", RT, "wakeup max <= 34us on cpu 0-1", 0),
        ("openshift/openshift-docs#36024: cyclictest's maximum of all threads", RT, "cyclictest/task_wakeup max <= 20us", 1),
        ("openshift/cluster-node-tuning-operator#719: hwlatdetect finds nothing", NOISE, "hwlatdetect/events <= 0", 0),
        ("insane-adding-machines/frosted#61: 23 us under load", RT, "wakeup max <= 23us", 1),
        ("machinekit/machinekit#792: 100 us are enough for stepping", RT, "wakeup max <= 100us on cpu 0,1", 0),
        ("softmata/horus#141: the mean wake lateness is bounded", RT, "wakeup average <= 50us", 0),
        ("softmata/horus#141: and may not grow by 50 us", RT, "wakeup median <= 7us", 1),
        ("ColinIanKing/stress-ng#271: 99.9 % below 60 us", RT, "wakeup 99.9% <= 60us", 0),
        ("onosproject/onos-test#350: p99 as a smoke test", RT, "wakeup p99 <= 12us", 3),
        ("FRRouting/frr#8011: no timer may be starved", RT, "missed == 0", 1),
        ("Linaro/test-definitions#369: nothing missed on isolated CPUs", RT, "missed == 0 on cpu 0-1", 0),
        ("taktora.dev, scan cycle: 99.99 % below 50 us", RT, "wakeup 99.99% <= 50us", 0),
        ("vijaykgubbala/URLShortner#48: the 99th percentile fails the build", PSCI, "psci_call p99 <= 290 instructions", 1),
        ("a secure monitor's budget of instructions", PSCI, "psci_call p99 <= 300 instructions", 0),
        ("a power-down stays below 100 us on every core", TIMED, "cpu_off_serial/powerdown max <= 100us", 0),
        ("a single sample does not validate a percentile (agentic-starter-kits#143)", PSCI, "psci_call 99.9% <= 300 instructions", 3),
        ("is a CPU that was not measured within the limit", RT, "wakeup max <= 100us on cpu 1,7", 3),
    ],
)
def test_a_question_of_a_public_thread_is_answered_by_one_limit(asked_in: str, run: Run, limit: str, code: int) -> None:
    found, lines = judge_limits(run, [parse_limit(limit)])
    assert found == code, (asked_in, lines)
    assert lines[-1].split(":")[0] == {0: "pass", 1: "fail", 3: "inconclusive"}[code]


def test_a_quantile_says_how_many_samples_it_needs() -> None:
    _, lines = judge_limits(RT, [parse_limit("wakeup 99.9999% <= 16us on cpu 0")])
    assert "99.9999 % needs 1,000,000 samples, 50,000 were measured: inconclusive" in lines[0]


@pytest.mark.parametrize(("limit", "code"), [
    ("max <= 96us", 0), ("max < 96us", 3), ("max <= 95us", 3), ("max <= 94.5us", 3), ("max < 94.5us", 1),
    ("median <= 93us", 0), ("median <= 92us", 3), ("average <= 93us", 3), ("", 3),
])  # fmt: skip
def test_a_figure_that_is_printed_in_steps_is_judged_by_its_edges(limit: str, code: int) -> None:
    """90 to 95 µs in whole microseconds: rounded, or cut off."""
    printed = replace(TIMED, resolutions=((Metric.POWERDOWN, 1000.0),))
    figure = "cpu_off_serial/powerdown"
    found, lines = judge_limits(printed, [parse_limit(f"{figure} {limit}" if limit else f"{figure}/core-0.0 <= 92.5us")])
    assert found == code, lines


def test_an_average_that_a_tool_cuts_off_is_judged_by_its_upper_edge_under_any_of_its_names() -> None:
    run = wakeup_run(replace(distribution([8870] * 100), average_ticks=8000, resolution_ticks=1000, test="cyclictest"))
    for name in ("wakeup average", "cyclictest/task_wakeup/CPU-0-average"):
        assert [judge_limits(run, [parse_limit(f"{name} {end}")])[0] for end in ("<= 9us", "<= 8.5us", "< 8us")] == [0, 3, 1], name


def test_a_partial_run_passes_no_limit_and_fails_those_that_it_exceeds() -> None:
    partial = replace(RT, status=RunStatus.PARTIAL)
    assert judge_limits(partial, [parse_limit("wakeup max <= 200us")])[0] == 3
    assert judge_limits(partial, [parse_limit("wakeup max <= 100us")])[0] == 1


def test_what_no_tool_counted_is_not_taken_for_none() -> None:
    unknown = wakeup_run(replace(distribution([3000] * 100), missed=None, expected=None))
    code, lines = judge_limits(unknown, [parse_limit("missed == 0")])
    assert code == 3 and "--duration" in lines[0]


@pytest.mark.parametrize(
    ("places", "named", "exit_code"),
    [("cpu 1", ["0.1", "1.1"], 1), ("core 0.1", ["0.1"], 1), ("core 1.0,0.0", [], 0), ("core 1.0,7.1", ["7.1"], 3)],
)
def test_a_core_is_chosen_as_tables_name_it_and_a_number_in_each_cluster(places: str, named: list[str], exit_code: int) -> None:
    cores = [CoreId(cluster, core) for cluster in (0, 1) for core in (0, 1)]
    calls = [Sample("psci_version_serial", Metric.PSCI_CALL, core, 0, 0, 200 + 100 * core.core) for core in cores]
    code, lines = judge_limits(
        replace(PSCI, topology=Topology((2, 2)), contents=Spans(tuple(calls))),
        [parse_limit(f"psci_call max <= 250 instructions on {places}")],
    )
    said = [line for line in lines if "fail: psci" in line or "has nothing of" in line]
    assert code == exit_code and len(said) == len(named)
    assert all(name in line for name, line in zip(named, said, strict=True))


def test_a_figure_of_history_is_of_no_chosen_core() -> None:
    """It would be another core's, or all cores', that keeps the limit."""
    assert judge_limits(PSCI, [parse_limit("cpu_off_serial/powerdown <= 99 instructions")])[0] == 0
    for places in ("core 0.1", "cpu 1", "core 9.9"):
        with pytest.raises(UsageError, match="has no chosen cores"):
            judge_limits(PSCI, [parse_limit(f"cpu_off_serial/powerdown <= 99 instructions on {places}")])


@pytest.mark.parametrize(
    "written", ["", "wakeup", "wakeup max", "wakeup max <= ", "wakeup max >= 5us", "wakeup max <= 5 lightyears", "wakeup 100% <= 5us",
                "wakeup max <= 5us on cpu 3-1", "wakeup max <= 5us on cpu x", "wakeup max <= 5us on core 0.", "wakeup worst <= 5us"],
)  # fmt: skip
def test_what_is_no_limit_is_refused_in_one_sentence(written: str) -> None:
    with pytest.raises(UsageError, match="--limit"):
        parse_limit(written)


@pytest.mark.parametrize(
    ("run", "written"), [(RT, "wakeup max <= 5"), (RT, "missed <= 5us"), (PSCI, "psci_call max <= 5us"), (RT, "nothing/there max <= 5us")]
)
def test_a_limit_in_another_unit_or_of_another_figure_is_refused(run: Run, written: str) -> None:
    with pytest.raises(UsageError):
        judge_limits(run, [parse_limit(written)])


def test_a_file_of_limits_names_the_line_that_is_none(tmp_path: Path) -> None:
    assert [one.name for one in parse_limits("# board\nwakeup max <= 5us  # isolated\n\nmissed == 0\n", "board.txt")] == [
        "wakeup",
        "missed",
    ]
    with pytest.raises(UsageError, match=r"board\.txt:2: 'wakeup'"):
        parse_limits("missed == 0\nwakeup\n", "board.txt")
    with pytest.raises(UsageError, match=r"board\.txt has no limit"):
        parse_limits("# nothing\n", "board.txt")


def test_the_gate_takes_limits_for_one_run_from_the_command_line_and_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "juno.limits"
    file.write_text("wakeup max <= 1ms\n")
    with pytest.raises(SystemExit) as found:
        app(["gate", "published:tf-a/juno/v2.9", "--limit", "powerdown max <= 2ms", "--limit-file", str(file)])
    assert found.value.code == 0 and capsys.readouterr().out.splitlines()[-1].startswith("pass: two limits")
    for refused in (["published:tf-a/juno/v2.10"], ["--junit", str(tmp_path / "x.xml")]):
        with pytest.raises(UsageError):
            app(["gate", "published:tf-a/juno/v2.9", "--limit", "powerdown max <= 2ms", *refused], standalone_mode=False)


def test_a_limit_in_cycles_holds_cycles_and_nothing_else() -> None:
    core = CoreId(0, 0)
    samples = tuple(Sample("SMC", Metric.CALL, core, 0, number, 100 * number) for number in range(1, 4))
    run = Run("trace", "trace", "model", Topology((1,)), Tick(Clock.CYCLES, 1.0), status=RunStatus.COMPLETE, contents=Spans(samples))
    assert judge_limits(run, [parse_limit("call max <= 300 cycles")])[0] == 0
    assert judge_limits(run, [parse_limit("call max <= 299 cycles")])[0] == 1
    with pytest.raises(UsageError, match="the figure is cycles, such as `300 cycles`"):
        judge_limits(run, [parse_limit("call max <= 300 instructions")])
