# SPDX-License-Identifier: BSD-3-Clause
"""What an assistant is told over the Model Context Protocol: what the command line prints, its refusals with it, and no more."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from latlab.core.store import run_json
from latlab.core.store.references import load
from latlab.core.store.store import open_store
from support.runs import unfinished_run

mcp = pytest.importorskip("mcp", reason="`make setup-dev` installs it")
PUBLISHED = ("published:tf-a/n1sdp/v2.9", "published:tf-a/n1sdp/v2.10")


def answers(place: Path, *asked: tuple[str, dict[str, object]], more: tuple[str, ...] = ()) -> tuple[set[str], list[str], list[bool]]:
    """The tools that there are, what each of these calls says, and whether it is an error."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    async def talk() -> tuple[set[str], list[str], list[bool]]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "latlab", "serve", "--mcp", "--store", str(place), *more], env=dict(os.environ)
        )
        async with stdio_client(server) as (read, write), mcp.ClientSession(read, write) as session:
            await session.initialize()
            tools = await session.list_tools()
            told = [await session.call_tool(name, arguments) for name, arguments in asked]
            texts = ["".join(part.text for part in one.content) for one in told]
            return {tool.name for tool in tools.tools}, texts, [one.is_error for one in told]

    return asyncio.run(talk())


def test_an_assistant_gets_the_words_of_the_command_line_and_nothing_that_writes(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    run = open_store(str(place)).begin(unfinished_run())
    tools, told, errors = answers(
        place,
        ("runs", {}),
        ("compare", dict(zip(("before", "after"), PUBLISHED, strict=True))),
        ("explain", {"run": PUBLISHED[0], "against": "--help"}),
        ("history", {"figure": "cpu_off_serial/wakeup", "runs": list(PUBLISHED)}),
    )
    assert tools == {"runs", "show", "compare", "explain", "history"}
    listed, compared, refused, followed = told
    assert errors == [False, False, True, False]
    assert run in listed
    assert "regressed" in compared
    assert refused.startswith("latlab: no run '--help'") and "'--help' is no file either" in refused
    assert "v2.10" in followed


def test_an_assistant_reads_files_of_the_named_folders_alone(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite"
    open_store(str(place)).close()
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    run = run_json.render(load(PUBLISHED[0]))
    for folder in (allowed, other):
        folder.mkdir()
        (folder / "run.json").write_text(run, "utf-8")
    (allowed / "link.json").symlink_to(other / "run.json")
    inside, outside = str(allowed / "run.json"), str(other / "run.json")
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("compare", {"before": inside, "after": PUBLISHED[1]}),
        ("compare", {"before": PUBLISHED[1], "after": outside}),
        ("explain", {"run": f"{inside}+{outside}"}),
        ("show", {"run": str(allowed / "link.json")}),
        ("show", {"run": f"{allowed}/../other/run.json"}),
        ("history", {"figure": "cpu_off_serial/wakeup", "runs": [inside, "/etc/passwd"]}),
    )
    _, told, errors = answers(place, *asked, more=("--folder", str(allowed)))
    assert errors == [False, True, True, True, True, True], told
    assert all("outside of the folders" in text for text in told[1:])
