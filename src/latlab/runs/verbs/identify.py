# SPDX-License-Identifier: BSD-3-Clause
"""`latlab identify`. Heavy imports wait until they are needed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latlab.calls.verbs.subject_options import ProbeOption, SubjectOptions
from latlab.core.cli.options import Format, QemuOption, StoreOption, refuse_given
from latlab.core.cli.output import check_output, emit, out, say
from latlab.core.errors import UsageError
from latlab.core.store.address import Place
from latlab.psci.verbs.foreign import run as run_subject

if TYPE_CHECKING:
    from latlab.calls.campaign.identifying import Look

HARTS = 4


def register(app: typer.Typer) -> None:
    app.command()(identify)


def identify(
    context: typer.Context,
    files: Annotated[list[Path] | None, typer.Argument(help="Images of the firmware, and ELF files for its symbols; or a trace.")] = None,
    machine: Annotated[
        str | None, typer.Option("--machine", help="virt, raspi4b or sbsa-ref, if the files do not name the machine.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the subject file goes.", show_default="the first file's name with .toml")
    ] = None,
    iterations: Annotated[int, typer.Option(help="How often each call is made.")] = 2,
    timeout: Annotated[float, typer.Option(help="Seconds until the machine is stopped.")] = 60,
    probe: ProbeOption = None,
    qemu: QemuOption = None,
    store: StoreOption = None,
) -> None:
    """Identify firmware files, run them, count calls.

    It writes down how to repeat the run. Of a trace it prints cores, worlds and calls. Without files it lists the subjects that come with
    latlab.
    """
    from latlab.calls.campaign.identifying import is_trace, look, read_files

    if files and is_trace(files[0]):
        from latlab.calls.verbs.import_trace import IDENTIFIED_BYTES, show_trace

        refuse_given(context, ("machine", "output", "iterations", "timeout", "probe", "qemu"), "is for firmware files; leave it out")
        show_trace(files, limit_bytes=IDENTIFIED_BYTES)
        return
    if not files:
        refuse_given(context, ("machine", "output", "iterations", "timeout", "probe", "qemu"), "is for firmware files; name them too")
        _list_ready()
        return
    identified = look(read_files(files), machine)
    for sentence in identified.said:
        say(sentence)
    if identified.subject is None:
        refuse_given(context, ("output",), "is for a subject file, which firmware of RISC-V does not need; leave it out")
        _sbi(identified, iterations, timeout, probe, qemu, store)
        return
    _psci(identified, output, Path(f"{files[0].stem}.toml"), iterations, timeout, probe, qemu, store)


def _list_ready() -> None:
    from latlab.calls.campaign.identifying import ready_subjects
    from latlab.calls.pages.subjects import ready_table
    from latlab.core.report.renderers.terminal import print_table

    print_table(out(), ready_table(ready_subjects()))


def _sbi(identified: Look, iterations: int, timeout: float, probe: Path | None, qemu: Path | None, store: Place | None) -> None:
    from latlab.calls.campaign.sbi import QEMU, planned
    from latlab.calls.readers.symbols import read_image
    from latlab.calls.verbs.watch import WatchFormat, conclude
    from latlab.core.cli.plugins import probe_for
    from latlab.core.targets.qemu.qemu import find_qemu

    images = tuple(read_image(path) for path in identified.symbols)
    program = find_qemu(qemu or Path(QEMU)).path
    request = planned(identified.sbi, HARTS, iterations, probe_for(program, probe), program, bool(images), images, timeout)
    words = ["latlab", "run", "calls", "--abi", "sbi", "--firmware", str(identified.sbi), "--iterations", str(iterations)]
    words += [word for path in identified.symbols for word in ("--symbols", str(path))]
    say(f"to repeat it: {shlex.join(words)}")
    conclude(request, store, WatchFormat.TABLE)


def _psci(
    identified: Look,
    output: Path | None,
    usual: Path,
    iterations: int,
    timeout: float,
    probe: Path | None,
    qemu: Path | None,
    store: Place | None,
) -> None:
    from latlab.calls.targets.subject import rendered
    from latlab.core.cli.options import LimitOptions
    from latlab.psci.verbs.run_psci import conclude

    assert identified.subject is not None
    limits, place = LimitOptions(timeout=timeout).limits(), output or usual
    text = rendered(identified.subject, place.parent)
    if output is None and place.exists() and place.read_bytes() != text.encode():
        raise UsageError(f"{place} exists with other content", "name another file with -o")
    check_output(place)
    emit(text, place)
    say(f"to repeat it: {shlex.join(['latlab', 'run', 'psci', '--subject', str(place), '--iterations', str(iterations)])}")
    opened, recorded = run_subject(SubjectOptions(subject=place, probe=probe), None, qemu, iterations, limits, store)
    conclude(opened, recorded, Format.TABLE)
