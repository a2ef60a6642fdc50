# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's events in the pages of its ring buffer, as a job that follows threads leaves them: written by hand from the layout that the
kernel documents, without latlab's reader."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.scheduled import STATES, Schedule

PAGE_BYTES = 512
"""Small, so that a short trace has many pages."""
HEAD = struct.Struct("<QQ")
COMMON = (("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0), ("unsigned char common_preempt_count", 1, 0),
          ("int common_pid", 4, 1))  # fmt: skip
EVENTS: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    "sched_switch": (
        ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
        ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1),
    ),
    "sched_waking": (("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1)),
    "task_newtask": (("pid_t pid", 4, 1), ("char comm[16]", 16, 0), ("unsigned long clone_flags", 8, 0)),
    "softirq_entry": (("unsigned int vec", 4, 0),),
    "softirq_exit": (("unsigned int vec", 4, 0),),
    "irq_handler_entry": (("int irq", 4, 1), ("__data_loc char[] name", 4, 0)),
    "irq_handler_exit": (("int irq", 4, 1), ("int ret", 4, 1)),
    "cpu_idle": (("u32 state", 4, 0), ("u32 cpu_id", 4, 0)),
    "contention_begin": (("void * lock_addr", 8, 0), ("unsigned int flags", 4, 0)),
    "contention_end": (("void * lock_addr", 8, 0), ("int ret", 4, 1)),
    "page_fault_user": (("unsigned long address", 8, 0),),
    "local_timer_entry": (("int vector", 4, 1),),
    "local_timer_exit": (("int vector", 4, 1),),
}  # fmt: skip
NUMBERS = {name: 300 + at for at, name in enumerate(EVENTS)}
CALLS = {700: "sys_enter_clock_nanosleep", 701: "sys_exit_clock_nanosleep"}
LAYOUT = f"""\
\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:{HEAD.size};\tsize:{PAGE_BYTES - HEAD.size};\tsigned:0;
"""
FLAGS = {"d": 1, "N": 4, "h": 8, "s": 16}


@dataclass(frozen=True)
class Raw:
    """An event of a CPU. `fields` in the order of the kernel's."""

    ns: int
    name: str
    pid: int
    fields: tuple[Any, ...] = ()
    flags: int = 1


def format_text(names: Sequence[str] = tuple(EVENTS)) -> str:
    """What tracefs has in the `format` files of these events."""
    return "".join(_format(name) for name in names)


def _format(name: str) -> str:
    lines, at = [f"name: {name}", f"ID: {NUMBERS[name]}", "format:"], 0
    for declaration, size, signed in (*COMMON, *EVENTS[name]):
        at += -at % min(size, 8) if "[16]" not in declaration else 0
        lines.append(f"\tfield:{declaration};\toffset:{at};\tsize:{size};\tsigned:{signed};")
        at += size
    return "\n".join([*lines, "", 'print fmt: ""', ""])


def record(event: Raw) -> bytes:
    number = NUMBERS[event.name] if event.name in NUMBERS else next(key for key, name in CALLS.items() if name == event.name)
    data = bytearray(struct.pack("<HBBi", number, event.flags, 0, event.pid))
    behind = b""
    for (declaration, size, signed), value in zip(EVENTS.get(event.name, ()), event.fields, strict=True):
        if "[16]" in declaration:
            data += value.encode().ljust(16, b"\0")
            continue
        data += b"\0" * (-len(data) % min(size, 8))
        if declaration.startswith("__data_loc"):
            behind = value.encode() + b"\0"
            value = len(behind) << 16 | (len(data) + size)
        data += value.to_bytes(size, "little", signed=bool(signed))
    return bytes(data) + behind


def pages(events: Sequence[Raw], lost_before: Sequence[int] = ()) -> bytes:
    """`lost_before` are the times of events that begin a page before which others were overwritten."""
    whole, body, begin_ns, last_ns, is_lost = b"", b"", 0, 0, False
    for event in events:
        data = record(event)
        data += b"\0" * (-len(data) % 4)
        if not body or event.ns in lost_before or len(body) + len(data) + 16 > PAGE_BYTES - HEAD.size:
            whole += _page(begin_ns, body, is_lost) if body else b""
            body, begin_ns, last_ns, is_lost = b"", event.ns, event.ns, event.ns in lost_before
        delta = event.ns - last_ns
        if delta >= 1 << 27:
            body += struct.pack("<II", 30 | (delta & ((1 << 27) - 1)) << 5, delta >> 27)
            delta = 0
        if len(data) // 4 <= 28:
            body += struct.pack("<I", len(data) // 4 | delta << 5) + data
        else:
            body += struct.pack("<II", delta << 5, len(data) + 4) + data
        last_ns = event.ns
    return whole + (_page(begin_ns, body, is_lost) if body else b"")


def _page(begin_ns: int, body: bytes, is_lost: bool) -> bytes:
    return HEAD.pack(begin_ns, len(body) | (is_lost << 31)) + body.ljust(PAGE_BYTES - HEAD.size, b"\0")


def files_of(by_cpu: Mapping[int, Sequence[Raw]], notes: Sequence[str], own: Mapping[int, Sequence[Raw]] | None = None) -> dict[str, bytes]:
    """What a job leaves; `own` are the events of the threads alone."""
    lines = [*(f"event sched/{name}" for name in EVENTS), "event syscalls", *(f"call {number} {name}" for number, name in CALLS.items())]
    files = {"trace-notes.txt": "\n".join([*lines, *notes, ""]).encode(), "trace-formats.txt": (LAYOUT + format_text()).encode()}
    files |= {f"machine-cpu{cpu}.raw": pages(events) for cpu, events in by_cpu.items()}
    return files | {f"own-cpu{cpu}.raw": pages(events) for cpu, events in (own or {}).items()}


def raw_events(planned: Schedule) -> dict[int, list[Raw]]:
    """The events of a planned schedule by CPU."""
    by_cpu: dict[int, list[Raw]] = {}
    for event in planned.events:
        values = tuple(STATES[value] if name == "prev_state" else value for name, value in event.fields)
        flags = sum(bit for letter, bit in FLAGS.items() if letter in event.flags)
        by_cpu.setdefault(event.cpu, []).append(Raw(event.ns, event.name, event.current[1], values, flags))
    return by_cpu


def as_live(planned: Schedule, pids: Sequence[int]) -> dict[str, bytes]:
    return files_of(raw_events(planned), [f"thread {pid}" for pid in pids])
