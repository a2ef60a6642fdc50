# SPDX-License-Identifier: BSD-3-Clause
"""The help of a verb: how it is called, two examples, what it does, its options by what they are for, exit codes, its manual page."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from latlab.core.cli.examples import EXAMPLES

EXIT_CODES = (
    ("0", "Fine."),
    ("1", "Something regressed, a rule is broken, or a test failed."),
    ("2", "The command or the set-up must change."),
    ("3", "Inconclusive, or the data is bad."),
    ("130", "Interrupted; what was measured until then is kept."),
)
PRINTED, OTHERS = "Print and store", "Options"
OF_PRINTING = frozenset({"format", "output", "store", "id_file", "redact", "help"})
"""Options that many verbs have, by their names in Python."""
WHOLE = 1000
"""Characters of a description: a narrow terminal breaks it and cuts nothing."""


class GroupHelp(TyperGroup):
    """A group of verbs whose list has each description whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(WHOLE)) for name in self.list_commands(ctx)])


class VerbHelp(TyperCommand):
    """A verb whose help has all of that. The types are Any since typer has click's under a name of its own."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.format_usage(ctx, formatter)
        if examples := examples_of(ctx):
            with formatter.section("Examples"):
                for example in examples:
                    formatter.write(f"  {example}\n")
        self.format_help_text(ctx, formatter)
        self.format_options(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl(list(EXIT_CODES))
        formatter.write(f"\nManual page: man {ctx.command_path.replace(' ', '-')}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for title, records in records_by_group(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)


def records_by_group(command: Any, context: Any) -> dict[str, list[tuple[str, str]]]:
    """Arguments first, then options of no group, then each group under its title, then how the result is printed and kept."""
    records: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            records[_title(parameter)].append(record)
    return dict(sorted(records.items(), key=lambda group: ("Arguments", OTHERS, group[0], PRINTED).index(group[0])))


def _title(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or (PRINTED if parameter.name in OF_PRINTING else OTHERS)


def examples_of(context: Any) -> tuple[str, ...]:
    """Return the examples of the verb of this context."""
    return EXAMPLES.get(context.command_path.partition(" ")[2], ())


def with_help(group: typer.Typer) -> None:
    """Every verb of the group, and of the groups in it, gets this help."""
    for verb in group.registered_commands:
        verb.cls = VerbHelp
    for inner in group.registered_groups:
        inner.cls = GroupHelp
        if inner.typer_instance is not None:
            with_help(inner.typer_instance)
