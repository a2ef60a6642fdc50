# SPDX-License-Identifier: BSD-3-Clause
"""The verb that shows the pages of a site while runs are made. Heavy imports wait until they are needed."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from latlab.core.cli.options import StoreOption, refuse_given
from latlab.core.cli.output import say


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
    store: StoreOption = None,
) -> None:
    """Serve the pages of the store, live.

    They are the pages of `publish site`, with runs in progress. Ctrl-C ends it. Read-only, also with --mcp.
    """
    if mcp:
        from latlab.site.verbs.assistant import serve_mcp

        refuse_given(context, ("listen", "port", "name", "newest"), "is for browsers and has no effect with --mcp; leave it out")
        serve_mcp(store)
        return
    from functools import partial

    from latlab.core.cli.showing import page_of
    from latlab.core.cli.stores import open_store
    from latlab.site.campaign import compare_stored, measured, published_boards, under_way
    from latlab.site.pages.comparison_summaries import SummaryCache
    from latlab.site.pages.live import LOOPBACK, Live, listening, server
    from latlab.site.pages.site_pages import SiteContents, pages_of

    opened, boards = open_store(store), published_boards()
    compare = partial(compare_stored, opened)
    tellings = SummaryCache(compare, redact=False)

    def material() -> SiteContents:
        return SiteContents(
            boards=boards,
            things=measured(opened),
            newest=newest,
            page_of=lambda run: page_of(opened, opened.load(run)),
            compare=compare,
            tellings=tellings,
            redact=False,
            under_way=under_way(opened),
        )

    host = f"[{listen}]" if ":" in listen else listen
    answering = server(Live(lambda: pages_of(material())), (*LOOPBACK, host, *(name or ())))
    at = listening(listen, port)
    say(f"http://{host}:{at.getsockname()[1]}/ shows {opened.place}; Ctrl-C ends it")
    with suppress(KeyboardInterrupt):
        answering.run(sockets=[at])
