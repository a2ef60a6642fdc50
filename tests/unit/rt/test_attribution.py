# SPDX-License-Identifier: BSD-3-Clause
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latlab.calls.model.calls import Call, KernelSpan
from latlab.core.model.blame import UNEXPLAINED, UNTRACED, BlameKind, Caller, CallerKind
from latlab.core.readers.event_table import event_table
from latlab.rt.analysis.attribution import attribute, exposure
from latlab.rt.analysis.periodicity import find_period
from latlab.rt.analysis.wakeup import percentile_ns
from latlab.rt.model.wakeups import Outlier, Wakeups, cpu_row
from latlab.rt.readers.el3_records import info_of, read_all, read_records
from latlab.rt.readers.ftrace import read_spans
from latlab.rt.readers.recorder import read_record
from support.places import RT_DATA

HZ = 1_000_000_000
TRNG = 0xC4000053


def _wakeups(median_ns: int = 10_000) -> Wakeups:
    counts = ((median_ns - 1000, median_ns, 100),)
    cpus = tuple(cpu_row(cpu, counts, 100, 0, median_ns, 0.0, expected=100, missed=0) for cpu in (0, 1))
    return Wakeups("recorder", 200_000, 1, cpus, counter_hz=HZ, sync=(0, 0), start_ns=0, end_ns=10**9)


def _late(at_ns: int, late_ns: int, cpu: int = 0) -> Outlier:
    return Outlier(cpu, at_ns, late_ns, 0, at_ns)


def test_an_outlier_filled_by_calls_is_theirs() -> None:
    calls = [Call(0, TRNG, 600_000, 800_000), Call(0, TRNG, 801_000, 990_000)]
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], calls)
    assert (entry.blame.kind, entry.blame.name, entry.calls, entry.stolen_ns) == (BlameKind.FIRMWARE, "TRNG_RND", 2, 389_000)


def test_a_call_before_the_wake_up_was_due_counts_for_its_part_inside_only() -> None:
    calls = [Call(0, TRNG, 0, 950_000)]
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 100_000)], calls)
    assert entry.explained and entry.stolen_ns == 50_000


@pytest.mark.parametrize(
    "call",
    [
        Call(1, TRNG, 600_000, 990_000),
        Call(0, TRNG, 100_000, 500_000),
        Call(0, TRNG, 1_000_000, 1_400_000),
        Call(0, TRNG, 900_000, 950_000),
    ],
    ids=["on another CPU", "over before", "begun after", "too short"],
)
def test_a_call_elsewhere_or_too_short_is_no_cause(call: Call) -> None:
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 400_000)], [call])
    assert not entry.explained


def test_the_way_through_the_kernel_is_named_for_each_caller() -> None:
    calls = [Call(0, TRNG, 600_000, 990_000)]
    stack = ("_get_random_bytes", "get_random_u16", "invoke_syscall", "el0_svc_common")
    own = KernelSpan(0, "crng_reseed", "rt-task", 590_000, 995_000, stack)
    driver = KernelSpan(0, "hwrng", "hwrng", 590_000, 995_000)
    reader = KernelSpan(0, "hwrng", "cat", 590_000, 995_000)
    (third,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], calls, [reader])
    assert third.blame.caller == Caller(CallerKind.HWRNG_DRIVER, "cat")
    (first,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], calls, [own])
    (second,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], calls, [driver])
    assert first.blame.caller == Caller(CallerKind.KSTACK, "rt-task")
    assert second.blame.caller == Caller(CallerKind.HWRNG_THREAD, "hwrng")


def test_a_span_around_others_that_have_ended_is_still_found() -> None:
    calls = [Call(0, TRNG, 600_000, 990_000)]
    ended = [KernelSpan(0, "crng_reseed", f"task-{at}", 510_000 + at, 520_000 + at) for at in range(50)]
    around = KernelSpan(0, "hwrng", "cat", 500_000, 995_000)
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], calls, [*ended, around])
    assert entry.blame.caller == Caller(CallerKind.HWRNG_DRIVER, "cat")


def test_work_of_the_kernel_itself_is_named_where_the_firmware_took_little() -> None:
    span = KernelSpan(0, "crng_reseed", "latlab-recorder", 900_000, 990_000, ("_get_random_bytes",))
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 120_000)], [Call(0, TRNG, 950_000, 950_500)], [span])
    assert (entry.blame.kind, entry.blame.name) == (BlameKind.KERNEL, "crng_reseed")


def test_what_another_task_was_doing_in_the_kernel_is_no_cause() -> None:
    """The span goes on while the task is preempted, here by a host that takes the CPU away."""
    span = KernelSpan(0, "hwrng", "cat", 0, 2_000_000)
    (entry,) = attribute(_wakeups(), [_late(1_000_000, 420_000)], [Call(0, TRNG, 100_000, 200_000)], [span])
    assert not entry.explained


def test_an_outlier_that_the_ring_no_longer_holds_is_unknown_and_not_unexplained() -> None:
    late = [_late(1_000_000, 100_000), _late(3_000_000, 100_000), _late(1_000_000, 100_000, cpu=1)]
    entries = attribute(_wakeups(), late, [], gaps={0: ((0, 2_000_000),)})
    assert [entry.blame == UNTRACED for entry in entries] == [True, False, False]


def test_an_outlier_beside_a_gap_between_two_reads_is_unexplained_and_one_in_it_unknown() -> None:
    late = [_late(1_000_000, 100_000), _late(2_000_000, 100_000), _late(3_000_000, 100_000)]
    entries = attribute(_wakeups(), late, [], gaps={0: ((1_950_000, 2_500_000),)})
    assert [entry.blame == UNTRACED for entry in entries] == [False, True, False]


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), max_size=12), st.integers(0, 700), st.integers(1, 80))
def test_the_calls_that_an_outlier_overlaps_are_all_found(spans: list[tuple[int, int]], start: int, length: int) -> None:
    """Against every call looked at: calls of 100 us or less among others, one after the other."""
    at, calls = 0, []
    for wait, length_of_call in spans:
        calls.append(Call(0, TRNG, (at + wait) * 1000, (at + wait + length_of_call) * 1000))
        at += wait + length_of_call
    late = _late((start + length) * 1000, length * 1000)
    (entry,) = attribute(_wakeups(), [late], calls)
    stolen = sum(max(0, min(call.out_ticks, late.wake_ns) - max(call.in_ticks, start * 1000)) for call in calls)
    beyond = late.late_ns - (percentile_ns(_wakeups().cpus[0], 50) or 0)
    enough = 0.5 * (beyond if beyond > 0.25 * late.late_ns else late.late_ns)
    assert entry.stolen_ns == (stolen if stolen and stolen >= enough else 0)


@pytest.mark.parametrize("late_ns", [8_000, 9_000, 11_000])
def test_where_most_wake_ups_are_late_the_cause_of_the_usual_one_has_its_name(late_ns: int) -> None:
    """The median of these is 9 to 10 µs. A short call would fill half of what one is later than that, and is not what makes it late."""
    for call_ns, enough in ((late_ns - 1_000, True), (4_000, False)):
        (found,) = attribute(_wakeups(), [_late(1_000_000, late_ns)], [Call(0, TRNG, 999_000 - call_ns, 999_000)])
        assert (found.blame != UNEXPLAINED) is (enough or call_ns >= late_ns / 2)
    assert attribute(_wakeups(), [_late(1_000_000, 16_000)], [Call(0, TRNG, 995_000, 999_000)])[0].stolen_ns == 4_000


def test_a_ring_that_was_overwritten_says_until_when_it_holds_nothing() -> None:
    text = "core 0.0 cpu=0 next=3 oldest=1\n1 100 15 c4000053\n2 200 16 0\ncore 0.1 cpu=1 next=1 oldest=0\n0 50 17 0\n"
    assert read_records(text, event_table(), "el3").gaps == {0: ((0, 100),)}


def _read(next_: int, *sequences: int) -> str:
    return f"read\ncore 0.0 cpu=0 next={next_} oldest=0\n" + "".join(f"{n} {n * 10} 15 0\n" for n in sequences)


def test_reads_one_after_the_other_are_all_records_from_the_first_one_on() -> None:
    text = "core 0.0 cpu=0 next=5 oldest=2\n" + _read(8, 5, 6, 7) + _read(9, 7, 8)
    read = read_all(text, event_table(), "el3")
    assert [record.sequence for record in read.traces[0].records] == [5, 6, 7, 8] and (read.lost, read.gaps) == (0, {})


def test_what_was_overwritten_between_two_reads_is_counted_to_the_record() -> None:
    text = "core 0.0 cpu=0 next=5 oldest=2\n" + _read(8, 6, 7) + _read(30, 25, 26)
    read = read_all(text, event_table(), "el3")
    assert read.lost == 1 + 17 and read.gaps == {0: ((0, 60), (70, 250))}


def test_a_damaged_line_of_a_later_read_has_its_own_number() -> None:
    text = "core 0.0 cpu=0 next=0 oldest=0\n" + _read(1, 0) + "torn\n" + _read(2, 1)
    assert [problem.line for problem in read_all(text, event_table(), "el3").problems] == [5]


def test_a_cpu_that_the_head_does_not_name_keeps_its_records() -> None:
    read = read_all("core 0.0 cup=0 next=5 oldest=2\n" + _read(8, 6, 7), event_table(), "el3")
    assert [record.sequence for record in read.traces[0].records] == [6, 7] and len(read.calls()) <= 1
    assert [problem.message for problem in read.problems] == [
        "el3:1: neither a core nor a record: 'core 0.0 cup=0 next=5 oldest=2'; the line is left out",
        "el3:1: the first record that is wanted of CPU 0 is not stated; all are kept",
    ]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (0x80008000, "SMCCC_ARCH_WORKAROUND_1"),
        (0x84000053, "TRNG_RND"),
        (0xC4000053, "TRNG_RND"),
        (0xC4000021, "SDEI_EVENT_REGISTER"),
        (0x82001234, "SMC 0x82001234"),
    ],
)
def test_a_call_has_the_name_of_its_document_whichever_convention_it_is_of(function: int, name: str) -> None:
    assert [e.name for e in exposure(_wakeups(), [Call(0, function, 10, 20)])] == [name]


def test_exposure_counts_the_calls_of_the_measurement_and_no_others() -> None:
    calls = [Call(0, TRNG, 5, 10), Call(0, TRNG, 20, 50), Call(1, TRNG, 7, 8), Call(0, TRNG, 2 * 10**9, 2 * 10**9 + 5)]
    assert [(e.cpu, e.events, e.longest_ns, e.total_ns) for e in exposure(_wakeups(), calls)] == [(0, 2, 30, 35), (1, 1, 1, 1)]


def test_a_guest_whose_trng_was_held_has_every_spike_attributed() -> None:
    """What a guest really printed: TRNG_RND held for 200 us."""
    read = read_record(gzip.decompress((RT_DATA / "recorder.rec.gz").read_bytes()), "recorder.rec")
    records = read_records((RT_DATA / "el3-records.txt").read_text(), event_table(), "el3")
    spans = read_spans((RT_DATA / "ftrace.txt").read_text(), ("crng_reseed", "hwrng"))
    entries = attribute(read, read.outliers, records.calls(), spans)
    assert len(entries) == 7 and all(entry.blame.name == "TRNG_RND" for entry in entries)
    worst = [entry for entry in entries if entry.outlier.late_ns > 400_000]
    assert [entry.calls for entry in worst] == [2, 2, 2]
    assert all(entry.blame.caller and entry.blame.caller.kind is CallerKind.KSTACK for entry in worst)


def test_lines_that_are_no_records_are_named_and_the_rest_kept() -> None:
    text = "core 0.0 cpu=0 next=3 oldest=1\n1 100 15 c4000053\ngarbage\n2 200 16 0\n"
    read = read_records(text, event_table(), "el3")
    assert len(read.calls()) == 1 and read.lost == 1
    assert read.problems[0].line == 3


def test_info_says_the_event_table() -> None:
    assert info_of("events=7fd8391b40d5bd63 clock_hz=62500000 capture_mticks=875\n") == ("7fd8391b40d5bd63", 62_500_000, 875)
    assert info_of("nothing") is None


def test_no_call_reaches_over_records_that_are_lost() -> None:
    reads = ("6 100 15 c4000053\n7 150 16 0\n8 160 15 c4000053\n", "11 900 16 0\n12 950 15 c4000053\n13 970 16 0\n")
    head = "core 0.0 cpu=0 next=6 oldest=6\n"
    read = read_all("".join([head, *(f"read\n{head}{part}" for part in reads)]), event_table(), "el3")
    assert [(call.in_ticks, call.out_ticks) for call in read.calls()] == [(100, 150), (950, 970)]


def test_a_read_that_was_cut_off_costs_nothing_else() -> None:
    cores = ("core 0.0 cpu=0 next=0 oldest=0\n", "core 0.1 cpu=1 next=0 oldest=0\n")
    whole = f"{cores[0]}0 10 15 c4000053\n{cores[1]}0 20 15 c4000053\n"
    read = read_all(f"{''.join(cores)}read\n{whole}read\n{cores[0]}1 30 16 0\n", event_table(), "el3")
    assert read.cpus == (0, 1) and [len(trace.records) for trace in read.traces] == [2, 1]


@given(st.sampled_from([0.1, 1.0, 5.0, 60.0]), st.floats(0, 1), st.lists(st.integers(1, 200), min_size=12, max_size=60, unique=True))
def test_outliers_on_a_grid_show_its_period(period_s: float, phase: float, places: list[int]) -> None:
    """The grid itself, or a multiple of it where the outliers happen to fall on one."""
    times = sorted(round((place + phase) * period_s * 1e9) for place in places)
    found = find_period(times)
    assert found is not None
    ratio = found.period_s / period_s
    assert abs(ratio - round(ratio)) < 1e-6 and round(ratio) >= 1
    late_s = (found.phase_s - phase * period_s) / period_s
    assert 0 <= found.phase_s < found.period_s * (1 + 1e-9) and (round(ratio) > 1 or abs(late_s - round(late_s)) < 1e-6)


@given(st.integers(0, 2**32))
def test_outliers_at_random_times_show_none(seed: int) -> None:
    import random

    source = random.Random(seed)
    times = sorted(source.randrange(60 * 10**9) for _ in range(60))
    assert find_period(times) is None


def test_four_outliers_are_too_few_for_a_period() -> None:
    assert find_period([0, 10**9, 2 * 10**9, 3 * 10**9]) is None


@given(st.lists(st.integers(0, 200_000), min_size=20, max_size=80, unique=True))
def test_the_schedule_itself_is_no_period_of_the_outliers(periods: list[int]) -> None:
    """Times at which something was due are multiples of the interval, whatever made it late."""
    found = find_period(sorted(200_000 * n for n in periods), 200_000)
    assert found is None or found.period_s > 0.0003
