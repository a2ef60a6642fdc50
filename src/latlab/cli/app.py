# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of the command line. Each one reads its options, calls the library and prints; heavy imports wait until they are needed."""

from __future__ import annotations

import io
import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.cli import analysis as cli_analysis
from latlab.cli import foreign as cli_foreign
from latlab.cli import labgrid as cli_labgrid
from latlab.cli import psa as cli_psa
from latlab.cli import rt as cli_rt
from latlab.cli import sbi as cli_sbi
from latlab.cli import virtual as cli_virtual
from latlab.cli import watch as cli_watch
from latlab.cli.options import FirmwareOption, QemuOption, StoreOption, refuse_given
from latlab.errors import LatlabError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from latlab.campaigns.recording import Recorded
    from latlab.model.run import Run, Topology

app = typer.Typer(
    name="latlab",
    help="A latency laboratory for trusted firmware and real-time Linux.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
run_app = typer.Typer(help="Run a campaign on a target and keep what it prints.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(run_app, name="run")


DEFAULT_TOPOLOGY = "2,4"
OF_THE_IMAGE = ("topology", "iterations", "el")
OF_QEMU = ("gic", "el", "mode", "qemu", "firmware")
OF_A_BOARD = ("config", "target_name", "state", "power_cycle")
OF_OUR_FIRMWARE = ("target", "topology", "gic", "el", "mode")
OF_A_SUBJECT = ("symbols", "probe")
INTERRUPTED = 130  # what typer makes of Ctrl-C


class ModeName(StrEnum):
    DETERMINISTIC = "deterministic"
    MULTI_THREAD = "multi-thread"


class ClockName(StrEnum):
    TIME = "time"
    INSTRUCTIONS = "instructions"


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    RST = "rst"


class ListFormat(StrEnum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class ReportFormat(StrEnum):
    HTML = "html"
    RST = "rst"


TopologyOption = Annotated[str, typer.Option(help="Cores of each cluster.")]
RunArgument = Annotated[str, typer.Argument(help="A run's id, the unique beginning of one, or `last`.")]


@app.callback(invoke_without_command=True)
def latlab(version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"latlab {installed_version('latlab')}")
        raise typer.Exit


@run_app.command()
def psci(
    context: typer.Context,
    target: Annotated[
        str, typer.Option(help="Where it runs: qemu, virtual:PLATFORM in virtual time, or labgrid: a board's console.")
    ] = "qemu",
    topology: TopologyOption = DEFAULT_TOPOLOGY,
    iterations: Annotated[int, typer.Option(help="Iterations of each test in one boot.")] = 20,
    gic: Annotated[int, typer.Option(help="Version of the interrupt controller: 2 or 3.")] = 3,
    el: Annotated[int, typer.Option(help="Exception level of the payload: 1 or 2.")] = 1,
    mode: Annotated[
        ModeName, typer.Option(help="deterministic counts instructions; multi-thread shows only that it works.")
    ] = ModeName.DETERMINISTIC,
    timeout: Annotated[float, typer.Option(help="Seconds until the target is stopped.")] = 300,
    silence: Annotated[float, typer.Option(help="Seconds without output until the target is stopped.")] = 60,
    qemu: QemuOption = None,
    firmware: FirmwareOption = None,
    subject: cli_foreign.SubjectOption = None,
    on: cli_foreign.OnOption = None,
    symbols: cli_foreign.SymbolsOption = None,
    probe: cli_foreign.ProbeOption = None,
    config: cli_labgrid.ConfigOption = None,
    target_name: cli_labgrid.TargetNameOption = "main",
    state: cli_labgrid.StateOption = None,
    power_cycle: cli_labgrid.PowerCycleOption = False,
    store: StoreOption = None,
    format: Annotated[Format, typer.Option(help="How the result is printed.")] = Format.TABLE,
) -> None:
    """Measure PSCI: suspend to the deepest level and to level 0, CPU_OFF, PSCI_VERSION, on every core."""
    if not (timeout > 0 and silence > 0):
        raise UsageError("--timeout and --silence are seconds; use more than 0")
    if subject is not None or on is not None:
        refuse_given(context, (*OF_A_BOARD, *OF_OUR_FIRMWARE), "has no effect on firmware of somebody else; leave it out")
        _conclude(*cli_foreign.run(store, _err(), subject, firmware, on, symbols, probe, qemu, iterations, timeout, silence), format)
        return
    refuse_given(context, OF_A_SUBJECT, "is for firmware of somebody else; it needs --subject FILE, or --on MACHINE with --firmware FILE")
    if target == "labgrid":
        refuse_given(context, (*OF_THE_IMAGE, *OF_QEMU), "has no effect on a board: what runs there is in its flash")
        recorded, run = cli_labgrid.run_console(store, _err(), config, target_name, state, power_cycle, timeout, silence)
        _conclude(recorded, run, format)
        return
    if target != "qemu":
        refuse_given(context, (*OF_QEMU, *OF_A_BOARD, "timeout", "silence"), "has no effect in virtual time; leave it out")
        _run_virtual(target, topology, iterations, store, format)
        return
    refuse_given(context, OF_A_BOARD, "is for a board; it needs --target labgrid")
    from latlab.campaigns.psci import CAMPAIGN_TESTS, PAYLOAD, run_psci
    from latlab.cli.interrupt import Interrupts
    from latlab.report.progress import RunProgress
    from latlab.store.store import open_store
    from latlab.targets.qemu.console import Limits
    from latlab.targets.qemu.images import find_images
    from latlab.targets.qemu.qemu import Machine, Mode, find_qemu

    images = find_images(_topology(topology), PAYLOAD, firmware)
    machine = Machine(images, PAYLOAD, Mode(mode.value), gic, el, iterations)
    program = find_qemu(qemu)
    opened = open_store(store)
    with Interrupts() as interrupts, RunProgress(_err(), f"{program}, topology {images.topology}", iterations * CAMPAIGN_TESTS) as progress:
        recorded = run_psci(opened, program, machine, Limits(timeout, silence), progress, interrupts.asked)
    _conclude(recorded, opened.load(recorded.run_id), format)


@app.command(name="import")
def import_(
    log: Annotated[Path, typer.Argument(help="A console log.")],
    topology: Annotated[str | None, typer.Option(help="Cores of each cluster, where the log does not say it.")] = None,
    clock: Annotated[ClockName | None, typer.Option(help="What the target's counter counts.", show_default="time")] = None,
    platform: Annotated[str | None, typer.Option(help="Name of the board.")] = None,
    firmware: Annotated[str | None, typer.Option(help="Name of the firmware, where the log does not say it.")] = None,
    store: StoreOption = None,
    format: Annotated[Format, typer.Option(help="How the result is printed.")] = Format.TABLE,
) -> None:
    """Keep a console log from a board or from elsewhere as a run."""
    from latlab.campaigns.importing import import_log
    from latlab.model.enums import Clock
    from latlab.store.store import open_store

    data = log.read_bytes()
    opened = open_store(store)
    recorded = import_log(
        opened, data, log.name, _topology(topology) if topology else None, Clock(clock.value) if clock else None, platform, firmware
    )
    _conclude(recorded, opened.load(recorded.run_id), format)


@app.command()
def ls(store: StoreOption = None, format: Annotated[ListFormat, typer.Option()] = ListFormat.TABLE) -> None:
    """List the runs, the newest last."""
    from latlab.report.run.data import runs_csv, runs_json
    from latlab.report.run.terminal import print_runs
    from latlab.store.store import open_store

    opened = open_store(store)
    runs, counts = opened.runs(), opened.sample_counts()
    if format is ListFormat.JSON:
        _write(runs_json(runs, counts))
    elif format is ListFormat.CSV:
        _write(runs_csv(runs, counts))
    elif runs:
        print_runs(_out(), runs, counts)
    else:
        typer.echo(f"{opened.place} has no runs; make one with `latlab run psci`", err=True)


@app.command()
def show(
    run: RunArgument = "last",
    test: Annotated[str | None, typer.Option(help="Only this test, such as susp_deep_serial.")] = None,
    log: Annotated[str | None, typer.Option(help="Print a raw log instead: console, secure or stderr.")] = None,
    store: StoreOption = None,
    format: Annotated[Format, typer.Option()] = Format.TABLE,
) -> None:
    """Print the figures of a run, or one of its raw logs."""
    from latlab.store.store import open_store

    opened = open_store(store)
    if log is None:
        loaded = opened.load(run)
        if loaded.is_rt:
            cli_rt.print_run(opened, loaded, format.value)
            return
        _check_test(loaded, test)
        _print_run(loaded, format, test)
        return
    logs = opened.logs(run)
    if log not in logs:
        raise UsageError(f"{opened.resolve(run)} has no log {log!r}; it has {', '.join(sorted(logs)) or 'none'}")
    sys.stdout.buffer.write(logs[log])


@app.command()
def report(
    run: RunArgument = "last",
    against: Annotated[str | None, typer.Argument(help="A second run or reference: report how it differs from the first.")] = None,
    format: Annotated[ReportFormat, typer.Option()] = ReportFormat.HTML,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The file to write.", show_default="standard output")] = None,
    store: StoreOption = None,
) -> None:
    """Write a run, or the comparison of two, as a document: an offline HTML page with charts, or RST tables."""
    if against is not None:
        cli_analysis.write_comparison(run, against, cli_analysis.CompareFormat(format.value), output, store)
        return
    from latlab.store.store import open_store

    if output is None and format is ReportFormat.HTML and sys.stdout.isatty():
        raise UsageError("a page of a megabyte is not for a terminal; name a file with -o FILE")
    opened = open_store(store)
    loaded = opened.load(run)
    if loaded.is_rt:
        text = cli_rt.report_text(opened, loaded, format.value)
    elif format is ReportFormat.HTML:
        from latlab.report.run.html import page

        text = page(loaded)
    else:
        from latlab.report.run.rst import document

        text = document(loaded)
    if output is None:
        _write(text)
        return
    cli_analysis.write_file(text, output)
    typer.echo(f"{output}: report of {loaded.id}", err=True)


@app.command()
def doctor(
    qemu: Annotated[Path | None, typer.Option(help="The QEMU to look at.", show_default="qemu-system-aarch64")] = None,
    store: StoreOption = None,
) -> None:
    """Say what is installed, what each mode needs, and which images are there."""
    from latlab.campaigns.doctor import findings
    from latlab.report.run.terminal import print_findings

    found = findings(qemu, store)
    print_findings(_out(), found)
    if not all(finding.usable for finding in found if finding.needed):
        raise UsageError("something that `latlab run psci` needs is missing; the lines above say what to do")


cli_analysis.register(app)
cli_rt.register(run_app, app)
cli_virtual.register(app)
cli_psa.register(run_app)
cli_sbi.register(run_app)
cli_watch.register(app)


def main() -> None:
    """The entry point: whatever happens, the user sees one sentence and a meaningful exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    _usable_streams()
    sys.exit(_guarded())


def _usable_streams() -> None:
    """Standard output may be closed, or in an encoding that has no µ: neither is a reason to stop in the middle."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _guarded() -> int:
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        return code if isinstance(code, int) else 0
    except typer.Exit as stop:
        return stop.exit_code
    except LatlabError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted", LatlabError.exit_code)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # rich makes it a failure that the reader went away
            return 0
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}; check the path, its permissions and the free space", UsageError.exit_code)
    except Exception as error:
        return _other(error)


def _other(error: Exception) -> int:
    """Wrong options come from typer as exceptions that say it themselves; anything else is a fault of latlab."""
    message, code = getattr(error, "format_message", None), getattr(error, "exit_code", None)
    if message and isinstance(code, int):
        said = message().replace("Value error, ", "")
        if said.startswith("Usage:"):
            typer.echo(said, err=True)
            return code
        return _fail(f"{said.rstrip('.')}; see `latlab --help`", code)
    if os.environ.get("LATLAB_DEBUG"):
        raise error
    return _fail(f"a fault in latlab: {type(error).__name__}: {error}; run it again with LATLAB_DEBUG=1 and report what it prints", 3)


def _fail(sentence: str, code: int) -> int:
    typer.echo(f"latlab: {sentence}", err=True)
    return code


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _run_virtual(target: str, topology: str, iterations: int, store: str | None, format: Format) -> None:
    from latlab.campaigns.psci import CAMPAIGN_TESTS, run_psci_virtual
    from latlab.report.progress import RunProgress
    from latlab.store.store import open_store
    from latlab.virtual.board import load_board
    from latlab.virtual.program import Virtual, find_program

    kind, _, name = target.partition(":")
    if kind != "virtual" or not name:
        raise UsageError(f"--target {target}: it is qemu, labgrid, or virtual:PLATFORM such as virtual:juno")
    if iterations < 1:
        raise UsageError(f"--iterations {iterations}: a test has at least one")
    board = load_board(name)
    if topology not in (DEFAULT_TOPOLOGY, str(board.topology)):
        wanted = str(_topology(topology)).replace(",", "+")
        raise UsageError(f"--topology {topology}: platform {board.name} has {board.topology}; add clusters={wanted} to --target instead")
    virtual = Virtual(find_program(), board, iterations)
    opened = open_store(store)
    with RunProgress(_err(), f"virtual time, platform {board.name}", iterations * CAMPAIGN_TESTS) as progress:
        recorded = run_psci_virtual(opened, virtual, progress)
    _conclude(recorded, opened.load(recorded.run_id), format)


def _topology(text: str) -> Topology:
    from latlab.formats.dump.frames import parse_topology

    try:
        return parse_topology(text)
    except ValueError as error:
        raise UsageError(f"--topology: {error}") from error


def _conclude(recorded: Recorded, run: Run, format: Format) -> None:
    """Print what was measured, then what is wrong with it."""
    from latlab.campaigns.recording import verdict
    from latlab.report.run.terminal import print_problems

    if run.samples:
        _print_run(run, format, None)
    if format is not Format.TABLE or not run.samples:
        print_problems(_err(), recorded.problems)
    typer.echo(f"run {recorded.run_id}: {recorded.samples} samples", err=True)
    verdict(recorded)


def _print_run(run: Run, format: Format, test: str | None) -> None:
    from latlab.report.run import data, rst, terminal

    if format is Format.TABLE:
        terminal.print_run(_out(), run, test)
    elif format is Format.JSON:
        _write(data.run_json(run, test))
    elif format is Format.CSV:
        _write(data.run_csv(run, test))
    else:
        _write("\n".join(rst.sections(run, test)) if test else rst.document(run))


def _check_test(run: Run, test: str | None) -> None:
    from latlab.analysis.base.summary import ordered_tests

    tests = ordered_tests(run.samples)
    if test is not None and test not in tests:
        raise UsageError(f"{run.id} has no test {test!r}; it has {', '.join(tests) or 'none'}")


def _write(text: str) -> None:
    sys.stdout.write(text)


def _out() -> Console:
    from rich.console import Console

    from latlab.report.run.terminal import PIPE_WIDTH

    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)


def _err() -> Console:
    from rich.console import Console

    return Console(stderr=True)
