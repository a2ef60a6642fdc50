# SPDX-License-Identifier: BSD-3-Clause
"""The probe's stream made by hand, from docs/reference/probe-format.md."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

NS_EL1, NS_EL0, EL3, S_EL1, NO_WORLD = 1, 0, 7, 5, 0xFF
SMC64 = 0x17 << 26


def header(arch: int = 1, cores: int = 1, version: int = 4, functions: int = 0) -> bytes:
    return struct.pack("<8sHHHHII", b"LLPROBE\0", version, 24, arch, functions, cores, 4)


def record(kind: int, core: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 8)
    return struct.pack("<HHI", kind, 8 + len(body), core) + body


def core(number: int, identity: int) -> bytes:
    return record(1, number, struct.pack("<Q", identity))


def crossing(
    core: int, at: int, left: int, entered: int, registers: Sequence[int] = (), address: int = 0x400, machine: int | None = None
) -> bytes:
    fixed = struct.pack("<QQQBBHI", at, at if machine is None else machine, address, left, entered, len(registers), 0)
    return record(2, core, fixed + struct.pack(f"<{len(registers)}Q", *registers))


def smc(core: int, at: int, function: int, arguments: Sequence[int] = (), caller: int = NS_EL1, address: int = 0x400) -> bytes:
    """Into EL3 by an SMC, from a world that is NS-EL1 where nothing else is said."""
    registers = (function, *arguments, *(0,) * (7 - len(arguments)))
    return crossing(core, at, caller, EL3, (*registers, SMC64, 0x60000000), address)


def back(core: int, at: int, result: int = 0, to: int = NS_EL1) -> bytes:
    return crossing(core, at, EL3, to, (result, *(0,) * 7), 0x60000000)


def sleep(core: int, at: int, address: int = 0x1000, world: int = EL3, wait: int = 1) -> bytes:
    return record(3, core, struct.pack("<QQQBB6x", at, at, address, world, wait))


def wake(core: int, at: int, sleeps: int = 1, address: int = 0x1004, timer: int = 0) -> bytes:
    return record(4, core, struct.pack("<5Q", at, at, address, sleeps, timer))


def fragment(number: int, address: int, instructions: int, code: bytes = b"", level: int = 3) -> bytes:
    return record(5, 0, struct.pack("<QIIII", address, number, instructions, level, len(code)) + code)


def profile(core: int, runs: Iterable[tuple[int, int]], unlisted: int = 0) -> bytes:
    return record(6, core, struct.pack("<Q", unlisted) + b"".join(struct.pack("<II", *run) for run in runs))


def naps(core: int, runs: Iterable[tuple[int, int]], unlisted: int = 0) -> bytes:
    """What ran between the sleeps at one place that the next wake-up ends."""
    return record(10, core, struct.pack("<Q", unlisted) + b"".join(struct.pack("<II", *run) for run in runs))


def path(core: int, steps: Iterable[tuple[int, int]]) -> bytes:
    return record(8, core, b"".join(struct.pack("<II", *step) for step in steps))


def loop(steps: int, times: int) -> tuple[int, int]:
    """The head of a loop: the next `steps` of the path ran so many times."""
    return 1 << 31 | steps, times


def masked(
    count: int, instructions: int, longest: int, begin: int = 0x100, line: int = 0, mask: int = 1, edges: int = 0,
    world: int = NS_EL1, link: int = 0, end: int = 0x200, worlds: Sequence[tuple[int, int, int]] = (),
    trail: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> bytes:  # fmt: skip
    """Stretches in one world unless `worlds` says (world, instructions of all, of the longest)."""
    parts = worlds or ((world, instructions, longest),)
    fixed = struct.pack(
        "<BBBBHHQQQQQQ4Q", line, mask, world, world, edges, len(parts), count, instructions, longest, begin, link, end, *trail
    )
    return record(9, 0, fixed + b"".join(struct.pack("<QQQ", *each) for each in parts))


def stopped(core: int, at: int, machine: int = 0, sleeps: int = 0, awake: int = 0, world: int = EL3, asleep: bool = False) -> bytes:
    return record(15, core, struct.pack("<QQQQB?6x", at, machine, sleeps, awake, world, asleep))


def end(records: int, lost: int = 0) -> bytes:
    return record(7, 0, struct.pack("<QQ", records, lost))
