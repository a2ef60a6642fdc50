# SPDX-License-Identifier: BSD-3-Clause
"""Which preemption model a kernel has, by what kernels of several distributions say."""

from __future__ import annotations

import subprocess

import pytest

from latlab.rt.targets.preemption import ASKED, note, preemption_model


@pytest.mark.parametrize(
    ("answers", "model"),
    [
        ({"realtime": "1"}, "rt"),
        ({"version": "#1 SMP PREEMPT_RT Debian 6.12.9-1"}, "rt"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC", "preempt_now": "none voluntary (full) lazy"}, "full"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC", "preempt_now": "(none) voluntary full", "preempt_boot": "preempt=full"}, "none"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC", "preempt_boot": " preempt=lazy"}, "lazy"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC", "preempt_built": "CONFIG_PREEMPT_VOLUNTARY=y "}, "voluntary"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC", "preempt_built": "CONFIG_PREEMPT=y "}, "full"),
        ({"version": "#1 SMP", "preempt_built": "CONFIG_PREEMPT_NONE=y "}, "none"),
        ({"version": "#1 SMP PREEMPT Mon"}, "full"),
        ({"version": "#1 SMP PREEMPT_DYNAMIC"}, None),
        ({"version": "#1 SMP"}, None),
        ({}, None),
    ],
)
def test_the_surest_word_of_the_kernel_decides(answers: dict[str, str], model: str | None) -> None:
    assert preemption_model(answers) == model


def test_a_kernel_that_no_call_is_preempted_in_has_advice() -> None:
    assert note({"realtime": "1"}) == ""
    assert note({}) == "the kernel is not PREEMPT_RT"
    assert note({"preempt_now": "(none) full"}).endswith("boot with `preempt=full`, or a PREEMPT_RT kernel")
    assert note({"preempt_now": "none (full)"}) == "the kernel is not PREEMPT_RT, its preemption model is full"


def test_every_line_answers_with_its_name_on_this_machine() -> None:
    done = subprocess.run(["sh", "-c", "; ".join(ASKED)], capture_output=True, text=True, check=True)
    assert [line.partition("=")[0] for line in done.stdout.splitlines()] == ["preempt_now", "preempt_boot", "preempt_built"]
