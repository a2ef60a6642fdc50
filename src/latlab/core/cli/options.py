# SPDX-License-Identifier: BSD-3-Clause
"""Options that several verbs have, written once; and options in groups."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from latlab.core.errors import UsageError
from latlab.core.store.address import StoreAddress

if TYPE_CHECKING:
    from latlab.core.targets.process.console import Limits


class Format(StrEnum):
    """The forms in which results are printed; each verb takes some of them."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    RST = "rst"
    MD = "md"
    HTML = "html"


def one_of(*allowed: str, help: str = "How the result is printed.") -> Any:
    """The option `--format` of a verb that takes these."""

    def chosen(text: str) -> str:
        if text not in allowed:
            raise typer.BadParameter(f"{text!r} is not one of {', '.join(allowed)}")
        return allowed[allowed.index(text)]

    return typer.Option("--format", parser=chosen, metavar=f"<{'|'.join(allowed)}>", help=help)


TablesFormat = Annotated[Format, one_of(Format.TABLE, Format.JSON, Format.CSV, Format.RST)]
ListFormat = Annotated[Format, one_of(Format.TABLE, Format.JSON, Format.CSV)]
BoardOption = Annotated[str | None, typer.Option(help="Of runs with --classes: time of the instructions that differ on n1sdp or juno.")]
ClassOption = Annotated[
    str | None,
    typer.Option("--class", help="Of runs with --classes: one class of instruction, such as device, or all of them.", show_default=False),
]
StoreOption = Annotated[
    StoreAddress | None,
    typer.Option(
        "--store",
        parser=StoreAddress,
        metavar="TEXT",
        help="Where runs are kept: a file or a database URL.",
        show_default="user's data folder",
    ),
]
OutputOption = Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.", show_default="standard output")]
QemuOption = Annotated[Path | None, typer.Option(help="The QEMU to use.", show_default="the one for its machine in PATH")]
FirmwareOption = Annotated[Path | None, typer.Option(help="Folder with the firmware.", show_default="build folder or package")]
AllowDifferentOption = Annotated[
    list[str] | None, typer.Option(help="Compare although this condition differs, such as processor or interrupt-controller; repeatable.")
]
RunArgument = Annotated[
    str, typer.Argument(help="A run's id, the beginning of one, its label, latest:LABEL, `last`, `last~1`, or an exported file.")
]
RedactOption = Annotated[bool, typer.Option("--redact", help="Leave out folders, names of hosts and users, and kernel command lines.")]
Reference = Annotated[
    str,
    typer.Argument(help="published:NAME, FILE.rst#RELEASE, FILE.csv, .json or .log, or a run: id, label, latest:LABEL, `last`, `last~1`."),
]
UnitOption = Annotated[str, typer.Option(help="Unit of tables that name none: ns, us or ms.")]


@dataclass(frozen=True, slots=True)
class BoardOptions:
    """A board of labgrid."""

    config: Annotated[Path | None, typer.Option(envvar="LG_ENV", help="For labgrid: the environment's configuration.")] = None
    target_name: Annotated[str, typer.Option(help="For labgrid: the target in the environment.")] = "main"
    state: Annotated[str | None, typer.Option(help="For labgrid: the strategy's state to go to first, such as shell.")] = None
    power_cycle: Annotated[bool, typer.Option("--power-cycle", help="For labgrid: switch the board off and on first.")] = False


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """When a target is given up."""

    timeout: Annotated[float, typer.Option(help="Seconds until the target is stopped; not those in which QEMU waits for a CPU.")] = 300
    silence: Annotated[float, typer.Option(help="Seconds without output until the target is stopped, counted in the same way.")] = 60

    def limits(self) -> Limits:
        from latlab.core.targets.process.console import Limits

        if not (self.timeout > 0 and self.silence > 0):
            raise UsageError("--timeout and --silence are seconds", "use more than 0")
        return Limits(self.timeout, self.silence)


@dataclass(frozen=True, slots=True)
class LinuxOptions:
    """A Linux machine: this one, or one that is reached by ssh or labgrid."""

    host: Annotated[str | None, typer.Option(help="For ssh: the machine, as ssh takes it.")] = None
    platform: Annotated[str, typer.Option(help="For linux, ssh and labgrid: name of the board.", show_default="its address")] = ""


def grouped(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb for typer whose every parameter of a dataclass's type is an option for each field; every field has a default."""
    types = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in types.items() if is_dataclass(kind)}

    @wraps(verb)
    def command(**arguments: Any) -> None:
        built = {name: kind(**{field.name: arguments.pop(field.name) for field in fields(kind)}) for name, kind in groups.items()}
        verb(**arguments, **built)

    flat = [
        flat_parameter
        for parameter in inspect.signature(verb).parameters.values()
        for flat_parameter in _flat(parameter, types[parameter.name])
    ]
    command.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return command


def refuse_given(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Raises UsageError with the first of these options that was written: it would have no effect."""
    for name in names:
        if is_given(context, name):
            written = next(
                (text for option in context.command.params if option.name == name for text in option.opts if text.startswith("--")), name
            )
            raise UsageError(f"{written} {why}")


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the option was written, be it with the value that it has by default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def names_of(group: type) -> tuple[str, ...]:
    """The options of a group, for `refuse_given`."""
    return tuple(field.name for field in fields(group))


def _flat(parameter: inspect.Parameter, kind: Any) -> list[inspect.Parameter]:
    if not is_dataclass(kind):
        return [parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)]
    group = cast(type[Any], kind)
    types = get_type_hints(group, include_extras=True)
    assert all(field.default is not MISSING for field in fields(group)), f"{group}: an option of a group needs a default"
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=_under(types[field.name], title_of(group, field.name)),
        )
        for field in fields(group)
    ]


def title_of(group: Any, name: str = "") -> str:
    """The first sentence of its docstring. An option of a group that adds to another has that of the group that brings it."""
    kinds = [kind for kind in group.__mro__ if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(")]
    brings = [kind for kind in kinds if name in inspect.get_annotations(kind)]
    text = next((kind.__doc__ for kind in (*brings, *kinds)), "")
    return " ".join((text or "").split()).partition(".")[0]


def _under(annotation: Any, title: str) -> Any:
    """A copy of the option that the help lists under this title, unless the option names another one. Other verbs may share its
    description, so the copy has its own."""
    kind, *described = get_args(annotation)
    copies = [copy(part) for part in described]
    for part in copies:
        if isinstance(part, OptionInfo):
            part.rich_help_panel = part.rich_help_panel or title
    return Annotated[(kind, *copies)]
