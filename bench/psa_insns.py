# SPDX-License-Identifier: BSD-3-Clause
"""Prints the cost of PSA calls and the worst interrupt latency beside the peer's. One run of the psa campaign for each build."""

from __future__ import annotations

import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from latlab.core.lifecycle.life import NullProgress
from latlab.core.model.run import Run
from latlab.core.store.store import open_store
from latlab.core.targets.process.console import Limits
from latlab.core.targets.qemu.qemu import find_qemu
from latlab.psa.analysis.builds import cost_range, worst_latency
from latlab.psa.campaign.measure import run_psa
from latlab.psa.targets import mps2

PEERS = Path(__file__).with_name("psa_peers.toml")
LARGE = "ns_stateless_256"


def measure(build: str) -> Run:
    images = mps2.find_psa_images(build)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(str(Path(folder, "bench.db")))
        recorded = run_psa(store, find_qemu(Path(mps2.PROGRAM)), mps2.MACHINES[0], images, Limits(300, 120), NullProgress())
        return store.load(recorded.run_id)


def rows_of(run: Run, peers: dict[str, Any], figures: dict[str, Any]) -> list[tuple[str, int, int, float | None]]:
    """What, latlab's figure, the peer's, the goal."""
    rows: list[tuple[str, int, int, float | None]] = []
    for test, peer in zip(peers["calls"], figures["peer"], strict=True):
        values = cost_range(run, test)
        if values is None:
            sys.exit(f"the run of {run.build.firmware} has no {test}; its log says why")
        goal = figures["goal_stateless"] if test == "ns_stateless_0" else peers["goal_share"] * peer
        rows.append((test, values[1], peer, goal))
    large = cost_range(run, LARGE)
    worst = worst_latency(run)
    if large is None or worst is None:
        sys.exit(f"the run of {run.build.firmware} is not complete; run `latlab run psa --build {run.build.firmware}` to see why")
    rows.append((LARGE, large[1], figures["peer_stateless_256"], None))
    rows.append(("worst interrupt latency", worst, figures["peer_latency"], figures["goal_latency"]))
    return rows


def main() -> int:
    peers = tomllib.loads(PEERS.read_text())
    table = Table(title="QEMU mps2-an521, guest instructions")
    for heading in ("build", "", "latlab", "peer", "goal", " "):
        table.add_column(heading, justify="right" if heading in ("latlab", "peer", "goal") else "left")
    missed = 0
    for build, figures in peers["build"].items():
        run = measure(build)
        for what, value, peer, goal in rows_of(run, peers, figures):
            met = goal is None or value <= goal
            missed += not met
            verdict = "" if goal is None else "met" if met else "MISSED"
            table.add_row(build, what, str(value), str(peer), "" if goal is None else f"{goal:.0f}", verdict)
        table.add_row(build, "code (bytes)", str(run.build.code_bytes), "", "", "", end_section=True)
    Console(width=150).print(table)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
