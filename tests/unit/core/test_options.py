# SPDX-License-Identifier: BSD-3-Clause
"""Options in groups, and the one enumeration of formats."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from latlab.core.cli.app import app
from latlab.core.cli.options import Format, grouped, names_of, one_of, refuse_given
from latlab.core.errors import UsageError
from support.command import latlab


@dataclass(frozen=True, slots=True)
class Group:
    depth: Annotated[int, typer.Option(help="How deep.")] = 3
    name: Annotated[str | None, typer.Option(help="Whose.")] = None


@dataclass(frozen=True, slots=True)
class Switches:
    fast: Annotated[bool, typer.Option("--fast/--slow")] = True


def called_with(*arguments: str) -> tuple[object, ...]:
    seen: list[tuple[object, ...]] = []
    small = typer.Typer()

    @small.command()
    @grouped
    def verb(
        context: typer.Context,
        what: str,
        group: Group,
        switches: Switches,
        format: Annotated[Format, one_of(Format.TABLE, Format.CSV)] = Format.TABLE,
    ) -> None:
        refuse_given(context, names_of(Switches) if what == "strict" else (), "is not for this")
        seen.append((what, group, switches, format))

    small(arguments, standalone_mode=False)
    return seen[0]


def test_a_group_is_filled_by_the_options_of_its_fields() -> None:
    assert called_with("x") == ("x", Group(), Switches(), Format.TABLE)
    written = called_with("x", "--depth", "7", "--slow", "--name", "n", "--format", "csv")
    assert written == ("x", Group(7, "n"), Switches(False), Format.CSV)


def test_an_option_of_a_group_that_was_written_can_be_refused_even_with_its_default() -> None:
    assert called_with("strict")[0] == "strict"
    with pytest.raises(UsageError, match="--fast is not for this"):
        called_with("strict", "--fast")


def test_every_form_that_a_verb_does_not_take_is_refused_with_those_that_it_takes() -> None:
    for verb, wrong, takes in (
        (("show",), "html", "table, json, csv, rst"),
        (("ls",), "rst", "table, json, csv"),
        (("report",), "json", "html, rst"),
        (("export", "published:tf-a/juno/v2.9"), "table", "json, csv, junit, benchmark, squad, kcidb, chrome"),
        (("explain", "published:tf-a/juno/v2.9"), "yaml", "table, json"),
    ):
        done = latlab(*verb, "--format", wrong)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"'{wrong}' is not one of {takes}" in done.stderr


@pytest.mark.parametrize(
    ("verb", "options"),
    [
        (
            "rt",
            "target host platform config target-name state power-cycle duration load instrument interval priority threshold idle-states "
            "kstack hwrng efi probes smc-module cores mode qemu firmware store format",
        ),
        (
            "psci",
            "target topology iterations gic el mode timeout silence qemu firmware config target-name state power-cycle store format",
        ),
    ],
)
def test_a_campaign_keeps_every_option_that_its_documentation_names(verb: str, options: str) -> None:
    text = latlab("run", verb, "--help").stdout
    assert all(f"--{option}" in text for option in options.split()), text


def test_every_verb_says_in_its_help_what_it_is_for() -> None:
    assert all(command.callback and command.callback.__doc__ for command in app.registered_commands)
