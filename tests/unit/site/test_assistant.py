# SPDX-License-Identifier: BSD-3-Clause
"""What an assistant is told over the Model Context Protocol: what the command line prints, its refusals with it, and no more."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from latlab.core.store.store import open_store
from support.runs import unfinished_run

mcp = pytest.importorskip("mcp", reason="`make setup-dev` installs it")
PUBLISHED = ("published:tf-a/n1sdp/v2.9", "published:tf-a/n1sdp/v2.10")


def answers(place: Path, *asked: tuple[str, dict[str, object]]) -> tuple[set[str], list[str]]:
    """The tools that there are, and what each of these calls says."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def talk() -> tuple[set[str], list[str]]:
        server = StdioServerParameters(command=sys.executable, args=["-m", "latlab", "serve", "--mcp", "--store", str(place)])
        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            told = [await session.call_tool(name, arguments) for name, arguments in asked]
            return {tool.name for tool in tools.tools}, ["".join(part.text for part in one.content) for one in told]

    return asyncio.run(talk())


def test_an_assistant_gets_the_words_of_the_command_line_and_nothing_that_writes(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    run = open_store(str(place)).begin(unfinished_run())
    tools, told = answers(
        place,
        ("runs", {}),
        ("compare", dict(zip(("before", "after"), PUBLISHED, strict=True))),
        ("explain", {"run": PUBLISHED[0], "against": "--help"}),
        ("history", {"figure": "cpu_off_serial/wakeup", "runs": list(PUBLISHED)}),
    )
    assert tools == {"runs", "show", "compare", "explain", "history"}
    listed, compared, refused, followed = told
    assert run in listed
    assert "regressed" in compared
    assert refused.startswith("latlab: no run '--help'") and "'--help' is no file either" in refused
    assert "v2.10" in followed
