# SPDX-License-Identifier: BSD-3-Clause
"""Rings of the firmware in which one core is switched off and on and suspended, as a power run keeps them."""

from __future__ import annotations

from latlab.core.readers.event_table import event_table

IDS = {event.name: event.id for event in event_table().events}
CALLER = [(0, 500, "ENTER_PSCI", 0xC4000003), (1, 520, "EXIT_PSCI", 0)]
OTHER = [
    (0, 100, "ENTER_PSCI", 0x84000002),
    (1, 150, "ENTER_HW_LOW_PWR", 2),
    (2, 530, "EXIT_HW_LOW_PWR", 0),
    (3, 600, "EXIT_PSCI", 0),
    (4, 700, "ENTER_PSCI", 0xC400000E),
    (5, 740, "ENTER_HW_LOW_PWR", 2),
    (6, 900, "EXIT_HW_LOW_PWR", 0),
    (7, 933, "EXIT_PSCI", 0),
]


def ring(core: int, records: list[tuple[int, int, str, int]]) -> str:
    head = f"core 0.{core} cpu={core} next={len(records)} oldest=0\n"
    return head + "".join(f"{sequence} {ticks} {IDS[event]} {arg:x}\n" for sequence, ticks, event, arg in records)
