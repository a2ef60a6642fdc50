# SPDX-License-Identifier: BSD-3-Clause
"""Kernel logs of a CPU that did not come back: which one, after which call, with which code; and logs in which all is well."""

from __future__ import annotations

import pytest

from latlab.core.errors import DataError
from latlab.rt.model.power_steps import LostCpu
from latlab.rt.readers.lost_cpu import lost_cpus
from latlab.rt.readers.measured import read_amounts
from support.places import ROOT

PI5 = ROOT / "tests" / "data" / "field" / "dmesg-of-a-lost-core.log"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[ 1.5] psci: failed to boot CPU1 (-22)\n[ 1.6] CPU1: failed to boot: -22\n", [LostCpu(1, "CPU_ON", "-22 (EINVAL)", 1)]),
        ("CPU1: failed to come online\nCPU1: failed in unknown state : 0x0\n", [LostCpu(1, "start-up", "", 1, True)]),
        ("psci: CPU3 may not have shut down cleanly (AFFINITY_INFO reports 0)\n", [LostCpu(3, "CPU_OFF", "0", 1)]),
        ("ok\nCPU12: may not have shut down cleanly: -110\n", [LostCpu(12, "shutdown", "-110 (ETIMEDOUT)", 2)]),
        ("smpboot: do_boot_cpu failed(-1) to wakeup CPU#4\n", [LostCpu(4, "start-up", "-1", 1)]),
        (
            "CPU2 failed to report alive state\nCPU3 failed to report alive state\n",
            [LostCpu(2, "start-up", "", 1), LostCpu(3, "start-up", "", 2)],
        ),
        ("CPU2 failed to report dead state\n", [LostCpu(2, "shutdown", "", 1)]),
        ("smpboot: CPU 5 didn't die...\n", [LostCpu(5, "shutdown", "", 1)]),
        ("Disabling non-boot CPUs ...\nError taking CPU1 down: -16\n", [LostCpu(1, "shutdown", "-16 (EBUSY)", 2)]),
        ("Error taking CPU1 up: -5\n", [LostCpu(1, "start-up", "-5 (EIO)", 1)]),
        (
            "CPU1: failed to come online\nError taking CPU1 down: -16\n",
            [LostCpu(1, "start-up", "", 1, True), LostCpu(1, "shutdown", "-16 (EBUSY)", 2)],
        ),
        ("psci: CPU1 killed (polled 0 ms)\nCPU1: Booted secondary processor 0x1 [0x410fd083]\nCPU1: shutdown\n", []),
        ("GICv3: CPU1: found redistributor 1\nCPU features: detected: CRC32\nmy CPU1 died\n", []),
    ],
)
def test_a_lost_cpu_is_named_with_its_call_and_code(text: str, found: list[LostCpu]) -> None:
    assert list(lost_cpus(text)) == found


def test_a_log_of_it_has_no_latencies_and_the_refusal_says_what_it_has() -> None:
    with pytest.raises(DataError) as refused:
        read_amounts(PI5.read_bytes(), "dmesg.log")
    assert str(refused.value) == (
        "dmesg.log: a kernel log without latencies; line 2: CPU 1 did not come up, CPU_ON failed with -22 (EINVAL); "
        "measure each power cycle on the board with `latlab run rt-power`"
    )


def test_a_cpu_that_never_came_is_told_from_a_call_that_failed() -> None:
    log = "psci: CPU2 killed (polled 0 ms)\nCPU2: failed to come online\nError taking CPU2 up: -5\npsci: failed to boot CPU3 (-95)\n"
    came, refused = (lost_cpu.sentence for lost_cpu in lost_cpus(log))
    assert came == "line 2: CPU 2 did not come up: its CPU_ON reported success, and the CPU never came online; Linux's code is -5 (EIO)"
    assert refused == "line 4: CPU 3 did not come up, CPU_ON failed with -95 (EOPNOTSUPP)"


def test_a_log_in_which_all_is_well_is_refused_as_any_text() -> None:
    with pytest.raises(DataError, match="the format is not known"):
        read_amounts(b"psci: CPU1 killed (polled 0 ms)\nCPU1: Booted secondary processor\n", "dmesg.log")


def test_a_kernel_that_took_a_cpu_off_by_psci_starts_it_by_psci() -> None:
    log = "[1.0] psci: CPU2 killed (polled 0 ms)\n[6.0] CPU2: failed to come online\n[6.1] CPU3 failed to report dead state\n"
    assert lost_cpus(log) == (LostCpu(2, "CPU_ON", "", 2, True), LostCpu(3, "CPU_OFF", "", 3))
    assert [one.call for one in lost_cpus(log.replace("psci:", "other:"))] == ["start-up", "shutdown"]
