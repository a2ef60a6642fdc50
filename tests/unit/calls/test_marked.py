# SPDX-License-Identifier: BSD-3-Clause
from latlab.calls.analysis.calls import Pairing
from latlab.calls.analysis.marked import MARK_BEGIN, MARK_END, Marked, Marks, samples_of_call
from latlab.calls.model.crossings import Arch
from latlab.calls.readers.call_names import call_names
from latlab.calls.readers.decoder import Decoder
from latlab.core.model.enums import Metric
from latlab.core.model.run import CoreId
from support import probe_stream as made

FEATURES, VERSION, SUSPEND, OFF = 0x8400000A, 0x84000000, 0xC4000001, 0x84000002


def mark(core: int, at: int, which: int, test: int, iteration: int) -> bytes:
    return made.smc(core, at, FEATURES, (which, test, iteration)) + made.back(core, at + 5)


def marked_of(*parts: bytes) -> list[Marked]:
    records = list(Decoder().feed(made.header(cores=2) + b"".join(parts)))[1:]
    return list(Marks().feed(Pairing(Arch.AARCH64, call_names()).feed(records)))  # type: ignore[arg-type]


def spans_of(found: Marked) -> dict[Metric, int]:
    return {sample.metric: sample.value_ticks for sample in samples_of_call(found, {0: CoreId(0, 0)})}


def test_a_call_between_its_marks_is_measured_and_named_by_them() -> None:
    (found,) = marked_of(mark(0, 0, MARK_BEGIN, 5, 3), made.smc(0, 10, VERSION), made.back(0, 216), mark(0, 220, MARK_END, 5, 3))
    assert (found.test, found.iteration, found.core) == ("psci_version_parallel", 3, 0)
    assert spans_of(found) == {Metric.PSCI_CALL: 206}


def test_a_core_that_went_down_has_a_powerdown_and_a_wakeup() -> None:
    (found,) = marked_of(
        mark(0, 0, MARK_BEGIN, 4, 0),
        made.smc(0, 10, OFF),
        made.sleep(0, 2701),
        made.wake(0, 9000, 5),
        made.back(0, 10183),
        mark(0, 10200, MARK_END, 4, 0),
    )
    assert spans_of(found) == {Metric.POWERDOWN: 2691, Metric.WAKEUP: 1183}


def test_a_lock_that_waits_an_instant_is_not_the_sleep() -> None:
    parts = (
        made.smc(0, 10, OFF),
        made.sleep(0, 100, 0x2000, wait=2),
        made.wake(0, 101),
        made.sleep(0, 500, 0x1000, wait=2),
        made.wake(0, 900, 40),
        made.sleep(0, 950, 0x2000, wait=2),
        made.wake(0, 951),
        made.back(0, 1000),
    )
    (found,) = marked_of(mark(0, 0, MARK_BEGIN, 4, 0), *parts, mark(0, 1010, MARK_END, 4, 0))
    assert spans_of(found) == {Metric.POWERDOWN: 490, Metric.WAKEUP: 100}


def test_an_interrupt_wait_goes_before_any_number_of_event_waits() -> None:
    parts = (
        made.smc(0, 10, SUSPEND),
        made.sleep(0, 300),
        made.wake(0, 301),
        made.sleep(0, 400, 0x2000, wait=2),
        made.wake(0, 480, 9),
        made.back(0, 500),
    )
    (found,) = marked_of(mark(0, 0, MARK_BEGIN, 3, 0), *parts, mark(0, 510, MARK_END, 3, 0))
    assert spans_of(found) == {Metric.POWERDOWN: 290, Metric.WAKEUP: 199}


def test_calls_without_marks_or_between_marks_that_do_not_belong_together_are_not_measured() -> None:
    call = made.smc(0, 10, VERSION) + made.back(0, 30)
    assert marked_of(call) == []
    assert marked_of(mark(0, 0, MARK_BEGIN, 5, 0), call, mark(0, 40, MARK_END, 5, 1)) == []
    assert marked_of(mark(0, 0, MARK_BEGIN, 9, 0), call, mark(0, 40, MARK_END, 9, 0)) == []
    assert marked_of(call, mark(0, 40, MARK_END, 5, 0)) == []
    assert marked_of(mark(0, 0, MARK_BEGIN, 5, 0), call, made.smc(0, 50, VERSION), made.back(0, 60), mark(0, 70, MARK_END, 5, 0)) == []


def test_a_boot_through_the_secure_world_leaves_no_call_open() -> None:
    boot = (
        made.crossing(0, 0, made.NO_WORLD, made.EL3),
        made.crossing(0, 5, made.EL3, made.S_EL1, (0,) * 8),
        made.smc(0, 6, 0xC1000000, caller=made.S_EL1),
        made.back(0, 9),
    )
    (found,) = marked_of(*boot, mark(0, 10, MARK_BEGIN, 5, 0), made.smc(0, 20, VERSION), made.back(0, 30), mark(0, 40, MARK_END, 5, 0))
    assert found.call.depth == 0
