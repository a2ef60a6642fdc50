# SPDX-License-Identifier: BSD-3-Clause
"""Protected memory that other cores write while the machine is reset."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

from latlab.calls.targets.boards import board_of
from latlab.calls.targets.subject import find_program
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from support.monitored import Monitored
from support.needs import found

SAID = " of 28672"


def _virt(gic: int) -> tuple[str, ...]:
    images = found(lambda: find_images(Topology((1,)), "memory_writers"))
    program = ("-bios", str(images.firmware_bin), "-device", f"loader,file={images.payload('memory_writers')}")
    return ("-M", f"virt,secure=on,gic-version={gic}", "-cpu", "cortex-a57", "-m", "768", "-nic", "none", *program)


def _sbsa_ref() -> tuple[str, ...]:
    board = board_of("sbsa-ref")
    folder = find_program(board).parent
    program = ("-bios", str(folder / "firmware.bin"), "-device", f"loader,file={folder / 'memory_writers_sbsa-ref.elf'}")
    return ("-M", board.name, "-cpu", str(board.cpu), "-m", str(board.memory_mib), *board.words, *program)


def _machine(folder: Path, cores: int, gic: int | None) -> Monitored:
    machine = _sbsa_ref() if gic is None else _virt(gic)
    return Monitored(folder, (*machine, "-smp", str(cores), "-display", "none", "-monitor", "none", "-accel", "tcg,thread=multi"))


def _left(said: str) -> list[int]:
    boots = re.findall(r"protected=(\d) left=(\d+)" + SAID, said)
    assert [was for was, _ in boots] == ["0"] + ["1"] * (len(boots) - 1)
    return [int(left) for _, left in boots[1:]]


def pages_left(folder: Path, cores: int, gic: int | None, resets: int) -> list[int]:
    """After each reset: how many of 28,672 pages were not zero when the next boot looked. Without a GIC's version: on sbsa-ref."""
    with _machine(folder, cores, gic) as qemu:
        return _left(qemu.wait_for(SAID, resets + 1, patience_s=60 + 20 * resets))[:resets]


def pages_left_by_cut_resets(folder: Path, cores: int, gic: int, cuts: int) -> list[int]:
    """The same where the machine is also reset from outside, at moments of nobody's choice: while it writes, wipes, and starts again."""
    chance = random.Random(cores)
    with _machine(folder, cores, gic) as qemu:
        said = qemu.wait_for(SAID)
        for _ in range(cuts):
            time.sleep(chance.random() * chance.choice((0.5, 3, 12)))
            qemu.tell("system_reset")
            said = qemu.normal.read_text(errors="replace")
        return _left(qemu.wait_for(SAID, said.count(SAID) + 1))
