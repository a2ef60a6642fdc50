# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run calls` on our own firmware."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from latlab.core.model.enums import Metric
from latlab.core.store.store import open_store
from support import preloaded
from support.places import ROOT

pytestmark = pytest.mark.qemu

TIMEOUT_S = 300
SUBJECT = """\
machine = "virt"
options = "secure=on,gic-version=3"
cpu = "{cpu}"
cores = 2
symbols = ["{build}/firmware.elf"]
[[image]]
file = "{build}/firmware.bin"
flash = 0
"""


def latlab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    return subprocess.run(
        (preloaded.command(), *words),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
    )


def smc(folder: Path, *words: str) -> dict[str, Any]:
    done = latlab(folder, "run", "calls", "--format", "json", *words)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_every_call_is_counted_by_its_name_and_twice_the_same_and_what_is_refused_is_told_alone(tmp_path: Path) -> None:
    seen, again = (smc(tmp_path, "--iterations", "3") for _ in range(2))
    assert seen["calls"] == again["calls"] and seen["status"] == "complete"
    calls = {call["call"]: call for call in seen["calls"]}
    groups = ("PSCI_", "SMCCC_", "TRNG_", "SDEI_", "FFA_", "OPTEE_")
    assert all(any(name.startswith(group) for name in calls) for group in groups)
    for name in ("PSCI_VERSION", "AFFINITY_INFO (64, self)", "PSCI_FEATURES (of CPU_SUSPEND)", "TRNG_RND (64, 192 bits)", "CPU_ON (64)"):
        assert calls[name]["count"] == 3 and calls[name]["min"] == calls[name]["max"] > 0, name
        assert not calls[name]["failed"] and sum(calls[name]["functions"].values()) == 3 * calls[name]["min"]
    assert calls["CPU_ON (64, self)"]["failed"] == {"ALREADY_ON": 3}
    assert calls["OPTEE_CALLS_UID"]["failed"] == {"NOT_SUPPORTED": 3}
    assert "PSCI_FEATURES" not in calls, "marks are no calls"
    run = open_store(str(tmp_path / "store.db")).load(seen["run"])
    tests = {sample.test for sample in run.samples}
    assert "PSCI_VERSION" in tests and not {name for name, call in calls.items() if call["failed"]} & tests
    gate = latlab(tmp_path, "gate", seen["run"], again["run"])
    assert gate.returncode == 0, gate.stdout


@pytest.mark.parametrize("cpu", ["cortex-a57", "max"])
def test_an_interrupt_waits_in_el3_for_what_the_call_has_left_and_the_wait_is_that_by_function(cpu: str, tmp_path: Path) -> None:
    """The counter of `max` ticks sixteen times in an instruction."""
    (tmp_path / "subject.toml").write_text(SUBJECT.format(cpu=cpu, build=ROOT / "build" / "qemu_virt"))
    seen = smc(tmp_path, "--iterations", "1", "--sweep", "100", "--subject", str(tmp_path / "subject.toml"))
    (version,) = [call for call in seen["calls"] if call["call"] == "PSCI_VERSION"]
    (wait,) = seen["waits"]
    length = version["median"]
    assert (wait["call"], wait["instructions"], wait["step"]) == ("PSCI_VERSION", length, 1)
    assert (wait["longest"], wait["due"], wait["late"]) == (length, 0, length)
    assert wait["longest_by_world"] == {"EL3": length}
    assert wait["longest_by_function"] == version["functions"]
    run = open_store(str(tmp_path / "store.db")).load(seen["run"])
    assert [sample.value_ticks for sample in run.samples if sample.metric is Metric.IRQ_LATENCY] == [length]


def test_an_interrupt_that_el3_takes_itself_waits_for_el3_and_no_longer(tmp_path: Path) -> None:
    """On the firmware for experiments, which starts a secure timer when it is told to."""
    (tmp_path / "subject.toml").write_text(SUBJECT.format(cpu="cortex-a57", build=ROOT / "build" / "qemu_virt-thief"))
    words = ("--iterations", "1", "--sweep", "1", "--subject", str(tmp_path / "subject.toml"))
    seen = smc(tmp_path, *words, "--interrupt", "el3")
    (wait,) = seen["waits"]
    assert (wait["call"], wait["interrupt_of"], wait["step"]) == ("PSCI_VERSION", "el3", 1)
    assert 0 < wait["at_once"] < 100 and wait["late"] - wait["instructions"] in (0, 1)
    assert wait["longest"] >= wait["at_once"] + wait["instructions"] and wait["longest_by_world"] == {"EL3": wait["longest"]}
    done = latlab(tmp_path, "run", "calls", *words, "--interrupt", "secure")
    assert done.returncode == 2 and "the symbols have no interrupt_main_handler" in done.stderr


def test_an_image_without_its_machine_is_refused(tmp_path: Path) -> None:
    done = latlab(tmp_path, "run", "calls", "--firmware", str(tmp_path / "bl31.bin"))
    assert done.returncode == 2 and "say which with --machine virt, raspi4b or sbsa-ref" in done.stderr
