# SPDX-License-Identifier: BSD-3-Clause
"""The verb that serves the pages of a site while runs are made. Read-only. Heavy imports wait until they are needed.

`latlab serve --mcp` is for an assistant: it asks over the Model Context Protocol for what the command line prints.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from latlab.core.cli.options import StoreOption, refuse_given
from latlab.core.cli.output import say
from latlab.core.errors import UsageError, needs_packages
from latlab.core.store.address import StoreAddress

if TYPE_CHECKING:
    from latlab.site.campaign.measured import MeasuredThing

ABOUT = (
    "Runs of latlab, a latency laboratory for firmware and real-time Linux. A run is named by its id, its label, latest:LABEL, last, "
    "or published:NAME. Every figure has its clock: instructions under an emulator are no times. Verdicts are regressed, improved, "
    "unchanged and inconclusive: then nothing is known of a change."
)
PATIENCE_S = 300


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(serve)


def serve(
    context: typer.Context,
    mcp: Annotated[bool, typer.Option("--mcp", help="Instead: answer an assistant over standard input and output (MCP).")] = False,
    listen: Annotated[
        str, typer.Option(help="The address of this machine to listen on; any other than loopback lets other machines read.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes one that is free.", min=0, max=65535)] = 8600,
    name: Annotated[
        list[str] | None, typer.Option(help="A name by which browsers reach this machine; repeatable.", show_default="localhost")
    ] = None,
    newest: Annotated[int, typer.Option(help="Number of runs with a page, for each measured firmware and platform.", min=1)] = 20,
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="With --mcp: a folder whose files the assistant may name; repeatable.", show_default="none", file_okay=False),
    ] = None,
    store: StoreOption = None,
) -> None:
    """Serve the pages of the store, live.

    They are the pages of `publish site`, with runs in progress. Ctrl-C ends it. Read-only, also with --mcp.
    """
    if mcp:
        refuse_given(context, ("listen", "port", "name", "newest"), "is for browsers and has no effect with --mcp; leave it out")
        serve_mcp(store, tuple(folder or ()))
        return
    if folder:
        raise UsageError("--folder is for an assistant, with --mcp", "leave it out")
    from functools import partial

    from latlab.core.cli.showing import page_of
    from latlab.core.cli.stores import open_existing
    from latlab.core.comparison.wording import count
    from latlab.core.store.changes import RunList
    from latlab.site.campaign.comparison_summaries import SummaryCache, summaries_of
    from latlab.site.campaign.measured import compare_stored, published_boards
    from latlab.site.campaign.now import Now
    from latlab.site.campaign.run_figures import figures_of_run
    from latlab.site.pages import live
    from latlab.site.pages.site_pages import SiteContents, pages_of, pages_under_way

    opened, boards = open_existing(store), published_boards()
    compare = partial(compare_stored, opened)
    tellings = SummaryCache(compare, redact=False, summaries=summaries_of(opened))

    def contents(things: tuple[MeasuredThing, ...]) -> SiteContents:
        return SiteContents(
            boards=boards,
            things=things,
            newest=newest,
            page_of=lambda run: page_of(opened, opened.load(run)),
            compare=compare,
            tellings=tellings,
            redact=False,
            figures=partial(figures_of_run, opened, False),
        )

    host = f"[{listen}]" if ":" in listen else listen
    pages = live.Live(Now(opened, RunList(opened), contents, pages_of, pages_under_way).pages)
    answering = live.server(pages, (*live.LOOPBACK, host, *(name or ())))
    at = live.bound(listen, port)
    say(f"reads {count(opened.count(), 'run')} of {opened.place} first; its address follows")
    pages.document(live.FIRST)
    live.listen(at)
    say(f"http://{host}:{at.getsockname()[1]}/ shows {opened.place}; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        answering.run(sockets=[at])


def serve_mcp(store: StoreAddress | None, folders: tuple[Path, ...] = ()) -> None:
    """Answer on standard input and output until the assistant closes them: runs, show, compare, explain, history. Files are read in these
    folders alone."""
    from latlab.core.cli.stores import open_existing

    try:
        from mcp.server import MCPServer
        from mcp.types import CallToolResult, TextContent
    except ModuleNotFoundError:
        raise needs_packages("mcp", "mcp") from None
    open_existing(store)
    place = () if store is None else ("--store", store.opened)
    server = MCPServer("latlab", instructions=ABOUT, log_level="ERROR")

    def answer(references: Sequence[str], *words: str) -> CallToolResult:
        text, is_refused = (_outside(folders, references), True)
        if not text:
            text, is_refused = ask(*words)
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_refused)

    @server.tool(structured_output=False)
    def runs(campaign: str = "", limit: int = 20) -> Any:
        """The newest runs: id, date, target, platform, status, firmware, label."""
        return answer((), "ls", "--format", "json", "--newest", str(limit), *(("--campaign", campaign) if campaign else ()), *place)

    @server.tool(structured_output=False)
    def show(run: str) -> Any:
        """The figures of a run and what they were measured under."""
        return answer((run,), "show", *place, "--", run)

    @server.tool(structured_output=False)
    def compare(before: str, after: str) -> Any:
        """What changed between two runs, with a verdict for each figure."""
        return answer((before, after), "compare", *place, "--", before, after)

    @server.tool(structured_output=False)
    def explain(run: str, against: str = "") -> Any:
        """What a run's figures are made of; with another run, why the two differ: functions, causes, rules."""
        return answer((run, against), "explain", *place, "--", run, *filter(None, (against,)))

    @server.tool(structured_output=False)
    def history(figure: str, runs: list[str]) -> Any:
        """Where a figure changed over runs, the oldest first: METRIC, TEST/METRIC or TEST/METRIC/NAME; * and ? match."""
        return answer(runs, "history", *place, "--", figure, *runs)

    server.run("stdio")


def _outside(folders: Sequence[Path], references: Sequence[str]) -> str:
    """Why a reference is not read: it is a file outside of the folders. Empty if each may be read."""
    allowed = [folder.resolve() for folder in folders]
    for name in (name for reference in references for name in (reference, *reference.split("+"))):
        file = Path(name.partition("#")[0])
        try:
            is_file = bool(name) and file.exists()
        except OSError:
            is_file = False
        if is_file and not any(file.resolve().is_relative_to(folder) for folder in allowed):
            return f"latlab: {name} is a file outside of the folders that `latlab serve --mcp --folder` names; name a stored run"
    return ""


def ask(*words: str) -> tuple[str, bool]:
    """What a user who types this sees, and whether it was refused. A refusal is the same sentence, and its fields in a line of JSON."""
    import subprocess

    command = (sys.executable, "-m", "latlab", *words)
    plain = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", "LATLAB_ERRORS": "json"}
    try:
        done = subprocess.run(command, env=plain, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"no answer in {PATIENCE_S} s; ask for fewer runs", True
    return done.stdout + done.stderr, done.returncode != 0 and not done.stdout
