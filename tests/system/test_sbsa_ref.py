# SPDX-License-Identifier: BSD-3-Clause
"""The firmware on QEMU's sbsa-ref, whose tree says little and whose memory lies above a tebibyte."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from latlab.calls.targets.subject import find_program, own_subject
from latlab.core.model.enums import Clock, Metric, RunStatus
from latlab.core.readers.device_tree import read_tree
from latlab.core.store.store import open_store
from support import preloaded
from support.memory_writers import pages_left
from support.monitored import Monitored
from support.repeated import one_by_one
from support.slow_but import slow_but

pytestmark = [pytest.mark.firmware, pytest.mark.qemu]

TIMEOUT_S = 300
MACHINE = ("-M", "sbsa-ref", "-m", "1024", "-display", "none", "-nic", "none", "-global", "bochs-display.romfile=")
TREE = 0x10000000000


def machine(cores: str, program: str, cpu: str = "neoverse-n1") -> tuple[str, ...]:
    folder = find_program(own_subject("sbsa-ref").board).parent
    loaded = f"loader,file={folder / f'{program}_sbsa-ref.elf'}"
    clock = ("-icount", "shift=4,sleep=off")
    return (*MACHINE, "-cpu", cpu, "-smp", cores, *clock, "-bios", str(folder / "firmware.bin"), "-device", loaded)


SEEN = {("neoverse-n1", "1"): 340, ("cortex-a57", "4"): 430, ("max", "8,clusters=2"): 480, ("neoverse-n1", "16,clusters=4"): 590}
"""More checks than these are made on so many cores."""


@pytest.mark.parametrize("seen", slow_but(SEEN, ("neoverse-n1", "1"), ("max", "8,clusters=2")), ids=str)
def test_every_call_is_as_specified_where_it_can_name_memory_above_4_gib(seen: tuple[str, str], tmp_path: Path) -> None:
    cpu, cores = seen
    logs = tmp_path / "normal", tmp_path / "firmware"
    serial = tuple(part for log in logs for part in ("-serial", f"file:{log}"))
    command = ("qemu-system-aarch64", *machine(cores, "psci_conformance", cpu), *serial)
    subprocess.run(command, check=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, capture_output=True)
    normal = logs[0].read_text(errors="replace")
    assert not [line for line in normal.splitlines() if line.startswith("FAIL")]
    passed = re.fullmatch(r"(\d+) passed, 0 failed", normal.strip().splitlines()[-1])
    assert passed and int(passed[1]) > SEEN[seen]
    assert all(f"PASS {call} boots the payload again" in normal for call in ("SYSTEM_RESET", "SYSTEM_RESET2 (warm reset)"))
    assert "sbsa_ref" in logs[1].read_text(errors="replace")


def test_the_campaign_gives_the_same_figures_twice(tmp_path: Path) -> None:
    environment = dict(os.environ, LATLAB_STORE=str(tmp_path / "store.db"))
    runs = []
    for _ in range(2):
        words = (preloaded.command(), "run", "psci", "--machine", "sbsa-ref", "--iterations", "2")
        done = subprocess.run(words, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr.decode()
        runs.append(open_store(str(tmp_path / "store.db")).load("last"))
    first, second = runs
    assert one_by_one(first.samples) == one_by_one(second.samples) != []
    assert (first.status, first.tick.clock) == (RunStatus.COMPLETE, Clock.INSTRUCTIONS)
    assert first.topology.clusters == (4,)
    assert {sample.metric for sample in first.samples} == {Metric.POWERDOWN, Metric.CACHE_FLUSH, Metric.WAKEUP, Metric.PSCI_CALL}


def test_the_tree_tells_of_psci_and_how_deep_the_cores_sleep(tmp_path: Path) -> None:
    with Monitored(tmp_path, (*machine("4", "psci_calls"), "-no-shutdown")) as monitored:
        monitored.wait_for("LLC1:END")
        monitored.tell("pmemsave", val=TREE, size=0x10000, filename=str(tmp_path / "after"))
    after = read_tree((tmp_path / "after").read_bytes())
    assert after.get_property("method", "/psci").value == "smc"
    assert [node.name for node in after.get_node("/cpus/idle-states").nodes] == ["cpu-standby", "cpu-sleep", "cluster-sleep"]
    assert all(after.get_property("enable-method", f"/cpus/cpu@{core}").value == "psci" for core in range(4))


def test_a_reset_leaves_no_page_of_memory_above_a_tebibyte_that_other_cores_wrote_meanwhile(tmp_path: Path) -> None:
    assert pages_left(tmp_path, 4, None, resets=2) == [0, 0]
