# SPDX-License-Identifier: BSD-3-Clause
"""`latlab serve --mcp`: an assistant asks over the Model Context Protocol for what the command line prints. Read-only."""

from __future__ import annotations

import os
import subprocess
import sys

from latlab.core.cli.stores import open_store
from latlab.core.errors import needs_packages

ABOUT = (
    "Runs of latlab, a latency laboratory for firmware and real-time Linux. A run is named by its id, its label, latest:LABEL, last, "
    "or published:NAME. Every figure has its clock: instructions under an emulator are no times. Verdicts are regressed, improved, same, "
    "and inconclusive (`cannot tell` in data): then nothing is known of a change."
)
PATIENCE_S = 300


def serve_mcp(store: str | None) -> None:
    """Answer on standard input and output until the assistant closes them: runs, show, compare, explain, history."""
    try:
        from mcp.server import MCPServer
    except ModuleNotFoundError:
        raise needs_packages("mcp", "mcp") from None
    open_store(store)
    place = () if store is None else ("--store", store)
    server = MCPServer("latlab", instructions=ABOUT, log_level="ERROR")

    @server.tool()
    def runs(campaign: str = "", limit: int = 20) -> str:
        """The newest runs: id, date, target, platform, status, firmware, label."""
        return ask("ls", "--format", "json", "--limit", str(limit), *(("--campaign", campaign) if campaign else ()), *place)

    @server.tool()
    def show(run: str) -> str:
        """The figures of a run and what they were measured under."""
        return ask("show", *place, "--", run)

    @server.tool()
    def compare(before: str, after: str) -> str:
        """What changed between two runs, with a verdict for each figure."""
        return ask("compare", *place, "--", before, after)

    @server.tool()
    def explain(run: str, against: str = "") -> str:
        """What a run's figures are made of; with another run, why the two differ: functions, causes, rules."""
        return ask("explain", *place, "--", run, *filter(None, (against,)))

    @server.tool()
    def history(figure: str, runs: list[str]) -> str:
        """Where a figure changed over runs, the oldest first: METRIC, TEST/METRIC or TEST/METRIC/NAME; * and ? match."""
        return ask("history", *place, "--", figure, *runs)

    server.run("stdio")


def ask(*words: str) -> str:
    """What a user who types this sees. A refusal is the same sentence."""
    command = (sys.executable, "-m", "latlab", *words)
    plain = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160"}
    try:
        done = subprocess.run(command, env=plain, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {PATIENCE_S} s; ask for fewer runs"
    return done.stdout + done.stderr
