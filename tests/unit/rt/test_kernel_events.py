# SPDX-License-Identifier: BSD-3-Clause
"""What the recorder keeps of the kernel until a late wake-up: files of two machines, as they are and damaged."""

from __future__ import annotations

import gzip
import struct
import zlib
from pathlib import Path

import pytest

from latlab.core.errors import DataError
from latlab.rt.model.kernel_events import KernelStep, Left, StepKind
from latlab.rt.model.stolen import Blind, Regime
from latlab.rt.readers.kernel_events import read_format, read_kernel_events

DATA = Path(__file__).parents[2] / "data" / "rt"
SWITCH = """\
name: sched_switch
ID: 314
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;

	field:char next_comm[16];	offset:8;	size:16;	signed:0;
	field:int next_prio;	offset:24;	size:4;	signed:1;
	field:__data_loc char[] name;	offset:28;	size:4;	signed:1;

print fmt: "next_comm=%s next_prio=%d", REC->next_comm, REC->next_prio
"""


def data_of(machine: str) -> bytes:
    return gzip.decompress((DATA / f"kernel-events-{machine}.bin.gz").read_bytes())


def test_a_64_bit_arm_guest_brings_its_counters_with_every_switch() -> None:
    found = read_kernel_events(data_of("arm64"), "x")
    (cpu,) = found.meter
    assert cpu.calibration is not None and cpu.calibration.regime is Regime.RUNS
    assert len(found.late) == 20 and not found.problems and not found.closed and not found.torn
    for late in found.late:
        assert late.is_whole and late.after is not None and 0 <= late.after_ns - late.wake_ns < 2000
        switches = [step for step in late.steps if step.step is StepKind.SWITCH]
        assert all(step.counts for step in switches)
        last = switches[-1]
        assert last.comes is not None and (last.comes.name, last.comes.priority) == ("latlab-recorder", 19)
        assert [step.ns for step in late.steps] == sorted(step.ns for step in late.steps)
        assert last.ns < late.wake_ns
    assert "arch_timer" in {step.name for late in found.late for step in late.steps}


def test_a_machine_without_such_counters_names_interrupts_and_threads_all_the_same() -> None:
    found = read_kernel_events(data_of("x86"), "x")
    assert {cpu.blind for cpu in found.meter} == {Blind.ARCHITECTURE} and len(found.late) == 16
    assert "local_timer" in {step.name for late in found.late for step in late.steps if step.step is StepKind.INTERRUPT_IN}
    assert not any(step.counts for late in found.late for step in late.steps)


def test_each_late_wake_up_has_the_time_of_the_one_before_it_on_its_cpu() -> None:
    late = read_kernel_events(data_of("x86"), "x").late
    for cpu in (0, 1):
        of_cpu = [entry for entry in late if entry.cpu == cpu]
        assert len(of_cpu) > 1 and [entry.kept_before_ns for entry in of_cpu] == [0, *(entry.wake_ns for entry in of_cpu[:-1])]


@pytest.mark.parametrize("machine", ["arm64", "x86"])
def test_wherever_the_file_is_cut_what_stands_before_it_is_kept(machine: str) -> None:
    data = data_of(machine)
    whole = read_kernel_events(data, "x")
    for end in range(8, len(data), 997):
        cut = read_kernel_events(data[:end], "x")
        assert cut.problems and cut.late == whole.late[: len(cut.late)]


def test_a_damaged_block_ends_the_file_and_says_where() -> None:
    data = bytearray(data_of("x86"))
    data[-200] ^= 1
    found = read_kernel_events(bytes(data), "x")
    assert any("cut off or damaged from byte" in problem for problem in found.problems)
    assert 0 < len(found.late) < 16


def test_a_late_wake_up_whose_records_make_no_sense_costs_only_itself() -> None:
    body = struct.pack("<6Q4I", *[0] * 9, 24) + b"\x09\0\0\0\0\0\xff\xff" + bytes(16)
    head = struct.pack("<II", 4, len(body))
    data = data_of("x86")
    found = read_kernel_events(data + head + struct.pack("<I", zlib.crc32(body, zlib.crc32(head))) + body, "x")
    assert len(found.late) == 16 and any("cannot be read: a record of 65535 bytes" in problem for problem in found.problems)


WORK = """\
name: workqueue_execute_start
ID: 77
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:void * work;	offset:8;	size:8;	signed:0;
	field:void * function;	offset:16;	size:8;	signed:0;
"""


def block(kind: int, body: bytes) -> bytes:
    head = struct.pack("<II", kind, len(body))
    return head + struct.pack("<I", zlib.crc32(body, zlib.crc32(head))) + body


def test_functions_of_work_queues_have_the_names_that_follow_behind_all_late_wake_ups() -> None:
    own = [struct.pack("<H6xQQ", 77, 1, function) for function in (0xFFFF800008800010, 0xFFFF800008800020)]
    records = b"".join(struct.pack("<IHHQI", 9, 0, 20 + len(one), 5, len(one)) + one for one in own)
    late = struct.pack("<6Q4I", *[0] * 8, 1, len(records)) + records
    names = block(6, b"ffff800008800010 efi_call_rts\n")
    data = data_of("x86")
    found = read_kernel_events(data + block(2, WORK.encode()) + block(4, late) + names, "x")
    steps = [(step.step, step.name) for step in found.late[-1].steps]
    assert steps == [(StepKind.WORK_IN, "efi_call_rts"), (StepKind.WORK_IN, "0xffff800008800020")]


def test_a_counter_that_looks_like_a_length_is_none() -> None:
    """Of SMIs, which are few: 92 of them once stood where the length of the rest would stand, and every switch was lost."""
    own = struct.pack("<H6xQQ", 77, 1, 0xFFFF800008800010)
    data = data_of("x86") + block(2, WORK.encode())
    for smis in range(300):
        counted = struct.pack("<IHHQQQQI", 9, 0, 44 + len(own), 5, 2, smis, 50_000, len(own)) + own
        late = struct.pack("<6Q4I", *[0] * 8, 1, len(counted)) + counted
        found = read_kernel_events(data + block(4, late), "x")
        assert [step.step for step in found.late[-1].steps] == [StepKind.WORK_IN], smis


MIGRATE = """\
name: sched_migrate_task
ID: 79
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:int dest_cpu;	offset:8;	size:4;	signed:1;
"""
IDLE = """\
name: cpu_idle
ID: 80
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:u32 state;	offset:8;	size:4;	signed:0;
"""
LEAVING = """\
name: sched_switch
ID: 81
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:long prev_state;	offset:8;	size:8;	signed:1;
"""
IRQ_WORK = "name: irq_work_entry\nID: 82\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"


def steps_of(*own: bytes, formats: tuple[str, ...] = (MIGRATE, IDLE, LEAVING, IRQ_WORK)) -> tuple[KernelStep, ...]:
    records = b"".join(struct.pack("<IHHQI", 9, 0, 20 + len(one), 5 + at, len(one)) + one for at, one in enumerate(own))
    late = struct.pack("<6Q4I", *[0] * 8, 1, len(records)) + records
    return read_kernel_events(data_of("x86") + b"".join(block(2, one.encode()) for one in formats) + block(4, late), "x").late[-1].steps


def test_idle_states_migrations_and_the_schedulers_flag_are_read() -> None:
    found = steps_of(
        struct.pack("<HBxIII", 80, 0, 0, 3, 0),
        struct.pack("<HBxIII", 80, 4, 0, 0xFFFFFFFF, 0),
        struct.pack("<HBxIi", 79, 0, 0, 1),
        *(struct.pack("<HBxIQ", 81, 0, 0, state) for state in (0, 0x100, 1, 2, 4, 8)),
    )
    assert [(step.step, step.name, step.is_switch_due) for step in found[:3]] == [
        (StepKind.IDLE_IN, "state 3", False),
        (StepKind.IDLE_OUT, "", True),
        (StepKind.MIGRATED, "1", False),
    ]
    assert [step.left for step in found[3:]] == [Left.RUNNABLE, Left.RUNNABLE, Left.ASLEEP, *[Left.BLOCKED] * 3]


FREQUENCY = IDLE.replace("cpu_idle", "cpu_frequency").replace("80", "83") + "\tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n"
FAULT = IRQ_WORK.replace("irq_work_entry", "page_fault_user").replace("82", "84")
CONTENTION = """\
name: contention_begin
ID: 85
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned int flags;	offset:16;	size:4;	signed:0;
"""


def test_an_idle_state_has_the_name_and_the_exit_latency_that_the_machine_gives() -> None:
    states = block(7, b"0 3 133 C6\n1 3 200 other one\n")
    record = struct.pack("<HBxIII", 80, 0, 0, 3, 0)
    late = struct.pack("<6Q4I", *[0] * 8, 1, 36) + struct.pack("<IHHQI", 9, 0, 36, 5, len(record)) + record
    found = read_kernel_events(data_of("x86") + states + block(2, IDLE.encode()) + block(4, late), "x")
    assert found.late[-1].steps[0].name == "state C6, exit latency 133 µs" and "cpu_idle" in found.traced
    assert read_kernel_events(data_of("x86") + block(7, b"0 x"), "x").problems[0].startswith("x: the block that ends at byte")


def test_the_frequency_of_another_cpu_is_none_of_this_ones() -> None:
    here, there = (struct.pack("<HBxIII", 83, 0, 0, 1_800_000, cpu) for cpu in (0, 1))
    assert [(step.step, step.name) for step in steps_of(here, there, formats=(FREQUENCY,))] == [(StepKind.FREQUENCY, "1800000")]


@pytest.mark.parametrize(
    ("flags", "name"), [(1, "spin lock"), (5, "spin lock"), (32, "mutex"), (33, "mutex"), (8, "rt_mutex"), (4, "semaphore")]
)
def test_a_lock_has_its_kind(flags: int, name: str) -> None:
    record = struct.pack("<HBxIQI", 85, 0, 0, 0xFFFF, flags)
    assert [(step.step, step.name) for step in steps_of(record, formats=(CONTENTION,))] == [(StepKind.LOCK_IN, name)]
    assert [step.step for step in steps_of(struct.pack("<HBxI", 84, 0, 0), formats=(FAULT,))] == [StepKind.FAULT]


def test_without_the_event_of_migration_nobody_knows_whether_a_thread_was_runnable_here() -> None:
    (found,) = steps_of(struct.pack("<HBxIQ", 81, 0, 0, 0), formats=(LEAVING,))
    assert found.left is None and found.is_switch_due is None


def test_an_interrupt_whose_end_no_kernel_records_is_left_out() -> None:
    assert steps_of(struct.pack("<HBxI", 82, 0, 0)) == ()


def test_another_file_is_refused() -> None:
    with pytest.raises(DataError, match="not with the mark"):
        read_kernel_events(b"LLREC1\r\n", "x")


def test_the_kernels_description_says_where_each_field_stands() -> None:
    found = read_format(SWITCH)
    assert found is not None and (found.name, found.id) == ("sched_switch", 314)
    record = struct.pack("<HBx4x16siI", 314, 1, b"rt-task", -1, (5 << 16) | 32) + b"eth0\0"
    assert found.text(record, "next_comm") == "rt-task" and found.number(record, "next_prio") == -1
    assert found.text(record, "name") == "eth0" and found.interrupts_off(record)
    assert found.number(record, "prev_prio") == 0 and found.text(record, "prev_comm") == ""
    assert read_format("nothing of the kind") is None
