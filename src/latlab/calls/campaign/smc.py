# SPDX-License-Identifier: BSD-3-Clause
"""The smc campaign: a small program makes the calls that firmware may offer on Arm, the probe measures them from outside.

With a sweep the machine boots twice more: to interrupt some calls at every one of their instructions, and to
repeat each longest wait with the code that ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from latlab.calls.analysis.waits import HANDLERS
from latlab.calls.campaign.watching import WaitBoots, Watch, check_counts
from latlab.calls.targets.boards import SMC_PROGRAM
from latlab.calls.targets.subject import Subject, command_line, find_program
from latlab.core.errors import UsageError
from latlab.core.model.enums import Taker
from latlab.core.targets.qemu.command import words
from latlab.core.targets.qemu.qemu import Qemu

CAMPAIGN = "smc"
SWEEP, ONE_EACH = 32, 64
OF = {Taker.NORMAL: 0, Taker.SECURE: 128, Taker.EL3: 256}
BEHIND_PARAMS = 48
EL2 = "virtualization=on"
LONGEST_SWEEP = 1_000_000


def planned(subject: Subject, iterations: int, qemu: Qemu, folder: Path, how: Watch, sweep: int = 0, taker: Taker = Taker.NORMAL) -> Watch:
    """What to watch, beside `how`: the program on the subject's machine, which is put together in the folder. `sweep` is how many million
    instructions the interrupts into each call may take, 0 for none. Raises UsageError for what is missing or out of range."""
    if taker is not Taker.NORMAL and not sweep:
        raise UsageError(f"--interrupt {taker}: only a sweep has interrupts", "add --sweep 1000", value=taker)
    check_counts(iterations, how.timeout_s)
    alone = _swept(subject, sweep) if sweep else subject
    program = find_program(subject.board, SMC_PROGRAM)
    how = replace(how, command=command_line(qemu, subject, program, iterations, folder), campaign=CAMPAIGN, firmware=subject.name)
    if not sweep:
        return how
    flags = SWEEP | OF[taker]
    whole, single = (command_line(qemu, alone, program, sweep, folder, flags=test_flags) for test_flags in (flags, flags | ONE_EACH))

    def one_each(dues: Sequence[int]) -> tuple[str, ...]:
        return (*single, *chain.from_iterable(words(subject.board.params + BEHIND_PARAMS, dues)))

    return replace(how, sweep=WaitBoots(whole, one_each, _handler(taker, how), taker))


def _handler(taker: Taker, how: Watch) -> int | None:
    """Where the handler begins. None where it is the program's."""
    if taker is Taker.NORMAL:
        return None
    name = HANDLERS[taker]
    handler_start = next(
        (start for image in how.images for start, label in zip(image.starts, image.names, strict=True) if label == name), None
    )
    if handler_start is None:
        raise UsageError(
            f"--interrupt {taker}: the symbols have no {name}, which handles it",
            "`latlab guest build --secure-world optee,secure-timer` builds firmware that has it",
            value=taker,
        )
    return handler_start


def _swept(subject: Subject, sweep: int) -> Subject:
    """One core, which alone has the instruction clock, and EL2, whose timer no firmware takes away."""
    if not 1 <= sweep <= LONGEST_SWEEP:
        raise UsageError(f"--sweep {sweep}: these are millions of instructions for each call", f"use 1 to {LONGEST_SWEEP}", value=sweep)
    if subject.board.name != "virt" or not subject.is_deterministic:
        raise UsageError(
            f"--sweep: it needs the instruction clock and EL2's timer of the machine virt, {subject.name} is for {subject.board.name}"
        )
    options = subject.options if EL2 in subject.options else ",".join(part for part in (subject.options, EL2) if part)
    return replace(subject, options=options, cores=1)
