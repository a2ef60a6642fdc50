# SPDX-License-Identifier: BSD-3-Clause
"""What the vectors do where a core has to forget its branches: emulation cannot see it, the source's own instructions can be followed."""

from __future__ import annotations

import re

from support.a64 import Core
from support.places import ROOT

SOURCE = (ROOT / "firmware/el3/arch/aarch64/entry.S").read_text()
SCTLR = 0x30C5_1835
MMU = 1


class Writes(dict[str, int]):
    """System registers that remember what was written to them, in order."""

    def __init__(self, registers: dict[str, int]) -> None:
        super().__init__(registers)
        self.made: list[tuple[str, int]] = []

    def __setitem__(self, name: str, value: int) -> None:
        self.made.append((name, value))
        super().__setitem__(name, value)


def test_the_mmu_is_off_and_on_again_and_nothing_is_read_or_written_meanwhile() -> None:
    body = re.search(r"^forget_branches:\n(.*?)^    leave_early$", SOURCE, re.DOTALL | re.MULTILINE)
    assert body
    defined = "\n".join(line for line in SOURCE.splitlines() if line.startswith("#define SCTLR_M "))
    system = Writes({"sctlr_el3": SCTLR})
    Core(f"{defined}\nforget_branches:\n{body[1]}ret\n", system).run("forget_branches", 0x8000_8000)
    assert system.made == [("sctlr_el3", SCTLR & ~MMU), ("sctlr_el3", SCTLR)]
    steps = [line.split()[0] for line in body[1].splitlines()]
    assert steps.count("isb") == 2 and steps[-1] == "isb" and not {"ldr", "ldp", "str", "stp"} & set(steps)
