# SPDX-License-Identifier: BSD-3-Clause
"""The verbs that write figures into other projects' documents. Heavy imports wait until they are needed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from latlab.core.cli.options import StoreOption
from latlab.core.cli.output import say
from latlab.core.errors import UsageError

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
    jobs: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes that make pages.", show_default="one for each CPU")] = None,
    dask: Annotated[str | None, typer.Option(help="Spread them with Dask: `local`, or a scheduler such as tcp://host:8786.")] = None,
    store: StoreOption = None,
) -> None:
    """Write the store's runs as a static site.

    The published releases of the catalogue are part of it. Any web server or a folder can hold it.
    """
    from itertools import chain

    from latlab.core.cli.stores import open_existing
    from latlab.core.store.location import store_location
    from latlab.site.pages.files import write_site
    from latlab.site.pages.site_pages import pages_of
    from latlab.site.verbs.site_at_once import SiteOrder, contents_of, pages_at_once

    if dask and jobs is not None:
        raise UsageError("--jobs are processes of this machine and --dask has workers of its own", "give one of them")
    opened = open_existing(store)
    location = store_location(store)
    order = SiteOrder(location.absolute if dask else location, folder, newest, redact)
    contents = contents_of(opened, order)
    at_once = pages_at_once(contents, order, jobs or os.cpu_count() or 1, dask, _progress)
    try:
        written, unchanged = write_site(folder, chain(at_once, pages_of(contents)), lambda path: say(f"{folder / path}"))
    finally:
        contents.tellings.keep(contents.with_figures)
    say(f"{folder / 'index.html'}: {written} pages written, {unchanged} as they were")


def _progress(done: int, count: int, left_s: float | None) -> None:
    from latlab.core.comparison.wording import said_duration

    if done < count:
        left = "" if left_s is None else f", {said_duration(left_s)} left"
        say(f"{done} of {count} boards and series{left}")
