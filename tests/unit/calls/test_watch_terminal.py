# SPDX-License-Identifier: BSD-3-Clause
"""What a watch prints: the answer first, and no figure broken on a narrow terminal."""

import io
import re
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from latlab.calls.analysis.calls import EntryKind
from latlab.calls.analysis.tally import CallKey, TallyRow
from latlab.calls.model.crossings import Arch
from latlab.calls.pages.terminal import print_watched

HS, M = 2, 3
NAMES = ("time.set_timer", "rfence.remote_hfence_vvma_asid (1 page)", "pmu.counter_config_matching", "sse.register")


def watched() -> Any:
    rows = tuple(
        TallyRow(
            CallKey(HS, EntryKind.CALL, name, False),
            5,
            3_119 + n,
            3_120.5 + n,
            1_547_987,
            40_000 - n,
            n,
            ((M, 3_119.0 + n),),
            (("DENIED", n),) if n else (),
        )
        for n, name in enumerate(NAMES)
    )
    header, ways = SimpleNamespace(arch=Arch.RISCV), Counter({(HS, M): 40, (M, HS): 40})
    nothing: dict[str, Any] = {
        "functions": {},
        "unreturned": (),
        "stages": None,
        "waits": (),
        "masked": None,
        "proof": None,
        "problems": (),
        "standings": (),
    }
    return SimpleNamespace(header=header, run_id="watch-1234", rows=rows, crossings=ways, **nothing)


@pytest.mark.parametrize("width", [60, 80, 160])
def test_the_answer_and_the_calls_come_first_and_no_figure_is_broken(width: int) -> None:
    printed = io.StringIO()
    print_watched(Console(file=printed, width=width, force_terminal=True, color_system=None), watched())
    text = printed.getvalue()
    assert " ".join(text.split()).startswith(
        "time.set_timer from HS takes most: 25.0 % of all instructions that calls took (5 calls, median 3,120.5)."
    )
    for figure in ("1,547,987", "3,120.5", "3,122"):
        assert re.search(rf"(?<![\d,]){re.escape(figure)}(?![\d,])", text), figure
    assert len(text.split("\n")) < 30 and max(map(len, text.split("\n"))) <= width
