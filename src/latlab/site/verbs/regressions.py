# SPDX-License-Identifier: BSD-3-Clause
"""The verb that asks a whole fleet what changed. Heavy imports wait until they are needed."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from latlab.core.cli.options import Format, ListFormat, StoreOption
from latlab.core.cli.output import emit, say, show


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command()(regressions)


def regressions(
    since: Annotated[str, typer.Option(help="The day that parts old from new runs: 2026-11-01, or 7d for a week ago.")] = "7d",
    campaign: Annotated[str, typer.Option(help="Only of this campaign, such as psci or rt.")] = "",
    platform: Annotated[str, typer.Option(help="Only on this platform.")] = "",
    jobs: Annotated[int | None, typer.Option(min=1, max=1024, help="Processes that compare.", show_default="one for each CPU")] = None,
    store: StoreOption = None,
    format: ListFormat = Format.TABLE,
) -> None:
    """List what regressed in a store, and why.

    The newest run of each series is compared with the newest comparable one before that day. A comparison is made once and kept.
    """
    from latlab.core.cli.stores import open_existing
    from latlab.core.store.choice import Filter, moment
    from latlab.site.campaign.regressions import changes_since
    from latlab.site.pages.regressions import page, regressions_csv, regressions_json

    chosen = Filter(campaign=campaign, platform=platform)
    opened = open_existing(store)
    processes = jobs or os.cpu_count() or 1
    changes = list(changes_since(opened, moment("since", since), chosen, processes, _progress))
    if not changes:
        say(f"{opened.place} has no complete run since {since}; `latlab ls` lists all")
    elif format is Format.JSON:
        emit(regressions_json(changes))
    elif format is Format.CSV:
        emit(regressions_csv(changes))
    else:
        show(page(changes, since))


def _progress(done: int, count: int, left_s: float) -> None:
    from latlab.core.comparison.wording import said_duration

    if done % 50 == 0 and done < count:
        say(f"{done} of {count} compared, {said_duration(left_s)} left")
