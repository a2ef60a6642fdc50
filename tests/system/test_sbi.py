# SPDX-License-Identifier: BSD-3-Clause
"""`latlab run calls --abi sbi` on Debian's OpenSBI, where its packages are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from latlab.calls.campaign.sbi import DEBIAN_FIRMWARE, PROGRAM, QEMU
from latlab.core.targets.qemu.images import search_folders
from support import preloaded

TIMEOUT_S = 600
is_there = shutil.which(QEMU) and DEBIAN_FIRMWARE.is_file() and any((folder / PROGRAM).is_file() for folder in search_folders())
pytestmark = pytest.mark.skipif(not is_there, reason="needs qemu-system-misc, opensbi and `make sbi`")


def sbi(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ, LATLAB_STORE=str(folder / "store.db"))
    command = [preloaded.command(), "run", "calls", "--abi", "sbi", "--format", "json", *words]
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False, env=environment, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("harts", [1, 4])
def test_every_call_is_counted_on_every_hart_and_what_waits_for_no_other_twice_the_same(tmp_path: Path, harts: int) -> None:
    words = ("--harts", str(harts), "--iterations", "3")
    first, second = (sbi(tmp_path, *words) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr.decode()
    seen, again = (json.loads(done.stdout) for done in (first, second))
    calls = {call["call"]: call for call in seen["calls"]}
    assert calls["base.get_spec_version"]["count"] == 3
    assert calls["base.get_spec_version"]["min"] == calls["base.get_spec_version"]["max"] > 0
    others = harts - 1
    assert calls.get("hsm.hart_start", {"count": 0})["count"] == 3 * 2 * others
    assert calls.get("ipi.send_ipi", {"count": 0})["count"] == 3 * others
    assert calls[f"rfence.remote_fence_i{f' ({harts} harts)' if others else ''}"]["count"] == 3
    assert calls[f"rfence.remote_sfence_vma ({f'{harts} harts, ' if others else ''}to 64 pages)"]["count"] == 3
    steady, steady_again = ([call for call in calls["calls"] if not meets_others(call, harts)] for calls in (seen, again))
    assert steady == steady_again
    assert len(steady) > 30
    command = [preloaded.command(), "gate", seen["run"], again["run"], "--store", str(tmp_path / "store.db")]
    gate = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False)
    # What waits for other harts depends on whose turn it is: such a call may stop the gate without a verdict, and is never blamed.
    assert gate.returncode in (0, 3), gate.stdout.decode()


def meets_others(call: dict[str, Any], harts: int) -> bool:
    """Whether its count or cost follows the order of the harts, which the emulator's own loop may change: `test_exact.py` has the rule."""
    return harts > 1 and call["call"].startswith(("rfence.", "time.set_timer", "interrupt "))


def test_every_extension_is_called_and_what_is_missing_says_so(tmp_path: Path) -> None:
    done = sbi(tmp_path, "--harts", "1", "--iterations", "2")
    seen = json.loads(done.stdout)
    calls = {call["call"]: call for call in seen["calls"]}
    assert {name.split(".")[0] for name in calls} >= {
        "base", "time", "rfence", "hsm", "srst", "pmu", "dbcn", "susp", "sse", "fwft", "nacl", "sta", "cppc", "dbtr", "mpxy",
    }  # fmt: skip
    assert calls["nacl.probe_feature"]["failed"] == calls["susp.system_suspend"]["failed"] == {"NOT_SUPPORTED": 2}
    assert list(calls["srst.system_reset"]["failed"].values()) == [2]
    served = [name for name, call in calls.items() if not call["failed"] and call["kind"] == "call"]
    assert {"sse.inject", "sse.complete", "pmu.counter_fw_read", "dbcn.console_write", "fwft.get"} <= set(served)
    assert seen["not_returned"] == ["srst.system_reset from HS on 0.0"]


def test_too_many_harts_are_refused(tmp_path: Path) -> None:
    done = sbi(tmp_path, "--harts", "9")
    assert done.returncode == 2
    assert b"1 to 8" in done.stderr
