# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that write figures into other projects' documents. Heavy imports wait until they are needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from latlab.core.cli.options import StoreOption
from latlab.core.cli.output import say

publish_app = typer.Typer(help="Publish runs as a site or as TF-A's tables.", no_args_is_help=True, rich_markup_mode=None)


def register(app: typer.Typer) -> None:
    """Add the verbs to the command line."""
    app.add_typer(publish_app, name="publish")


@publish_app.command("tf-a")
def tf_a(
    logs: Annotated[list[Path], typer.Argument(help="Console logs of TFTF's runtime-instrumentation tests.", exists=True, dir_okay=False)],
    data: Annotated[Path, typer.Option(help="The board's folder, with `current` and `previous` in it: docs/perf/data/juno.")],
    topology: Annotated[str | None, typer.Option(help="Cores of each cluster, where the log does not name all: 2,4.")] = None,
) -> None:
    """Update the performance tables of TF-A's docs.

    The logs' figures become the current ones, and the current ones the previous ones, with the significant changes beside them.
    """
    from latlab.psci.campaign.publishing import folder_of, publish_tf_a
    from latlab.psci.campaign.virtual_target import topology_of

    done = publish_tf_a(logs, folder_of(data), None if topology is None else topology_of(topology))
    for note in done.notes:
        say(f"note: {note}")
    counted = f"{done.deltas} figures carry a change, {done.left_out} differences are not significant"
    say(f"{data}: {len(done.files)} files written; {counted}")


@publish_app.command("site")
def site(
    folder: Annotated[Path, typer.Argument(help="The folder of the site; only new pages are written.", file_okay=False)],
    newest: Annotated[int, typer.Option(help="Number of runs with a page, for each measured firmware and platform.", min=1)] = 5,
    redact: Annotated[bool, typer.Option(help="Leave out folders, names of hosts and users, and kernel command lines.")] = True,
    store: StoreOption = None,
) -> None:
    """Write the store's runs as a static site.

    The published releases of the catalogue are part of it. Any web server or a folder can hold it.
    """
    from functools import lru_cache, partial

    from latlab.core.cli.showing import page_of
    from latlab.core.cli.stores import open_store
    from latlab.site.campaign.comparison_summaries import SummaryCache
    from latlab.site.campaign.measured import compare_stored, measured, published_boards
    from latlab.site.campaign.run_figures import figures_of_run
    from latlab.site.pages.files import write_site
    from latlab.site.pages.site_pages import SiteContents, pages_of

    opened = open_store(store)
    compare = lru_cache(maxsize=1)(partial(compare_stored, opened))  # its summary and its page follow each other
    tellings = SummaryCache(compare, redact, folder, opened.place)
    material = SiteContents(
        boards=published_boards(),
        things=measured(opened),
        newest=newest,
        page_of=lambda run: page_of(opened, opened.load(run), redact=redact),
        compare=compare,
        tellings=tellings,
        redact=redact,
        figures=partial(figures_of_run, opened, redact),
    )
    try:
        written, unchanged = write_site(folder, pages_of(material), lambda path: say(f"{folder / path}"))
    finally:
        tellings.keep(material.with_figures)
    say(f"{folder / 'index.html'}: {written} pages written, {unchanged} as they were")
