# SPDX-License-Identifier: BSD-3-Clause
import sys

from hypothesis import given
from hypothesis import strategies as st

from latlab.core.comparison.by_kind import compare
from latlab.core.model.enums import Metric, RunStatus
from latlab.core.model.figures import Figures
from latlab.core.model.run import CoreId, Topology
from latlab.core.readers.dump.console_log import candidate_lines, parse
from latlab.core.readers.dump.rt_instr import POWER_METRICS, read_figures
from latlab.core.store import references
from support.console_lines import format_figures

TWO = Topology((2,))
PIECES = [
    "<RT_INSTR:",
    "test_rt_instr_cpu_susp_serial",
    "\t0",
    "\t1",
    "\t25",
    "/>",
    "RT_INSTR",
    "\x1b[0m",
    " ",
    "x",
    "\r",
    "\n",
    "\n",
    "[1.0] ",
    "NOTICE:  BL31: v2.9",
]


def line(core, *values):
    return format_figures(Figures("cpu_susp_serial", core, tuple(zip(POWER_METRICS, values, strict=True))))


def log(*lines):
    return "\r\n".join(("boot", *lines, "end")).encode()


def test_figures_are_read_whatever_a_lab_puts_around_them():
    run = parse(log("[ 1.0] " + line(CoreId(0, 0), 1, 2, 3), "\x1b[0m" + line(CoreId(0, 1), 4, 5, 6) + "\x1b[K"), "a.log")
    assert run.topology == TWO and run.status is RunStatus.COMPLETE
    assert [(str(s.core), s.metric, s.value_ticks) for s in run.samples if s.metric is Metric.WAKEUP] == [
        ("0.0", Metric.WAKEUP, 2), ("0.1", Metric.WAKEUP, 5),
    ]  # fmt: skip


def test_what_all_figures_of_a_log_are_multiples_of_is_a_step_of_its_counter():
    cores = [CoreId(0, core) for core in range(8)]
    of_20_ns = parse(log(*(line(core, 400 + 20 * core.core, 7_000, 60) for core in cores)), "a.log")
    assert dict(of_20_ns.resolutions) == {Metric.POWERDOWN: 20.0, Metric.WAKEUP: 20.0, Metric.CACHE_FLUSH: 20.0}
    assert parse(log(*(line(core, 400 + core.core, 7_000, 60) for core in cores)), "a.log").resolutions == ()
    assert parse(log(line(cores[0], 400, 7_000, 60)), "a.log").resolutions == ()


def test_a_cut_line_is_named_with_its_line():
    run = parse(log(line(CoreId(0, 0), 1, 2, 3), line(CoreId(0, 1), 4, 5, 6)[:-5]), "a.log", TWO)
    assert run.problems[0].line == 3 and run.status is RunStatus.PARTIAL


def booted(*lines, says="NOTICE:  BL31: v2.9(release):v2.9"):
    banners = ("NOTICE:  Booting Trusted Firmware", "NOTICE:  BL1: v2.9(release):v2.9", says)
    return (*banners, "NOTICE:  Booting trusted firmware test framework", "NOTICE:  Running at NS-EL1", *lines)


def test_each_boot_of_a_log_begins_with_the_first_banner_after_figures():
    boots = [booted(line(CoreId(0, 0), 10 + i, 2, 3), line(CoreId(0, 1), 4, 5, 6), line(CoreId(0, 0), 7, 8, 9), line(CoreId(0, 1), 1, 2, 3))
             for i in range(3)]  # fmt: skip
    run = parse(log(*boots[0], *boots[1], *boots[2]), "a.log")
    assert run.problems == () and {(s.boot, s.iteration) for s in run.samples} == {(b, i) for b in range(3) for i in range(2)}
    found = [s.value_ticks for s in run.samples if s.core == CoreId(0, 0) and s.metric is Metric.POWERDOWN and s.iteration == 0]
    assert found == [10, 11, 12]


def test_a_log_whose_framework_alone_prints_a_banner_has_its_boots_too():
    lines = ("NOTICE:  Booting trusted firmware test framework", line(CoreId(0, 0), 1, 2, 3), "NOTICE:  Exiting")
    assert {s.boot for s in parse(log(*lines, *lines), "a.log").samples} == {0, 1}


def test_a_line_that_one_boot_lacks_is_missing_however_many_the_others_have():
    whole = booted(line(CoreId(0, 0), 1, 2, 3), line(CoreId(0, 1), 4, 5, 6))
    (problem,) = parse(log(*booted(line(CoreId(0, 0), 1, 2, 3)), *whole), "a.log").problems
    assert "core 0.1 has 0 lines of cpu_susp_serial" in problem.message


def test_boots_of_two_firmwares_in_one_log_are_a_problem():
    first, second = (
        booted(line(CoreId(0, 0), 1, 2, 3), says=f"NOTICE:  BL31: {version}") for version in ("v2.9(release)", "v2.10(release)")
    )
    (problem,) = parse(log(*first, *second), "a.log").problems
    assert "BL31 v2.10(release), one before of v2.9(release)" in problem.message
    assert parse(log(*first, *first), "a.log").problems == ()


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_leaving_lines_out_that_hold_no_mark_changes_nothing(pieces):
    text = "".join(pieces)
    whole = read_figures([part.rstrip("\r") for part in text.split("\n")], TWO)
    run = parse(text.encode(), "x", TWO)
    assert [(s.boot, s.iteration, s.core, s.metric, s.value_ticks) for s in run.samples] == [
        (one.boot, one.iteration, one.figures.core, metric, value) for one in whole[0] for metric, value in one.figures.values_ns
    ]
    damage = [p for p in whole[1] if "lines of" not in p.message]
    assert [p for p in run.problems if "lines of" not in p.message and "holds no" not in p.message] == damage


@given(st.binary(max_size=300))
def test_candidate_lines_have_the_numbers_of_the_file(data):
    lines = data.split(b"\n")
    for number, text in candidate_lines(data):
        assert lines[number - 1].decode("utf-8", "backslashreplace").rstrip("\r") == text


def test_two_logs_are_compared_by_their_paths(tmp_path):
    for name in ("a", "b"):
        lines = [line(CoreId(c, k), 100_000, 20_000, 5_000) for c, n in ((0, 2), (1, 4)) for k in range(n)]
        (tmp_path / f"{name}.log").write_bytes(log(*lines))
    before, after = (references.load(str(tmp_path / f"{name}.log")) for name in ("a", "b"))
    comparison = compare(before, after)
    assert {row.shift.value for row in comparison.rows} == {0.0}


def test_a_damaged_log_that_names_thousands_of_tests_and_cores_is_read_without_counting_them_all_out():
    """Lines of code, not seconds, are counted: every test would ask every core, three hundred million times."""
    lines = [f"<RT_INSTR:t{i}\t{i % 100}\t{i % 1000}\t{i}/>" for i in range(3000)]
    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        run = parse("\n".join(lines).encode(), "x")
    finally:
        sys.settrace(before)
    assert len(run.samples) == 3000 and len(run.problems) == 3000
    assert steps < 5_000_000
