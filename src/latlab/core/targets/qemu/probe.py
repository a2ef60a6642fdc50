# SPDX-License-Identifier: BSD-3-Clause
"""Where the probe is, which of its objects a QEMU takes, how QEMU is given it, and what it means when QEMU takes none."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latlab.core.errors import UsageError
from latlab.core.model.run import Problem
from latlab.core.targets.process.exit_diagnostics import exit_message
from latlab.core.targets.qemu.command import escaped
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale

PROBE = "probe"
PLACES = (Path("probe"), Path("host") / "probe", Path())
INTERFACES = (7, 6, 5, 4)
OLDEST_QEMU = "9.2"
ANSWER_S = 60
NO_MACHINE = ("-machine", "none", "-accel", "tcg", "-display", "none", "-monitor", "none", "-serial", "none", "-parallel", "none")


@dataclass(frozen=True, slots=True)
class Plugin:
    """A shared object that a QEMU takes. `interface` is the version that it was built for, `offered` the newest that this QEMU has."""

    path: Path
    interface: int
    offered: int

    @property
    def note(self) -> str:
        """Empty for a version that this latlab knows."""
        if self.offered <= INTERFACES[0]:
            return ""
        return (
            f"this QEMU offers version {self.offered} of its plugin interface, which is newer than this latlab; it accepts version "
            f"{self.interface}, so {self.path.name} is used"
        )


def file_name(name: str, interface: int) -> str:
    return f"latlab-{name}-{interface}.so"


def find_probe(qemu: Path, path: Path | None = None) -> Plugin:
    """The probe that the user names, that of a checkout's build folder, or the package's: the one that this QEMU takes."""
    return find_plugin(PROBE, qemu, path)


def find_plugin(name: str, qemu: Path, path: Path | None = None) -> Plugin:
    """A plugin by its name, in the same places. Raises UsageError where this QEMU takes none of its objects."""
    if path is not None and not path.is_file():
        raise UsageError(f"no {name} there", how_to_make("probe"), place=path)
    stderr = ""
    for candidate in [path] if path is not None else built_objects(name):
        answer = _ask(qemu, candidate)
        if match := re.search(r"^latlab-interface used=(\d+) min=\d+ cur=(\d+)$", answer.stdout, re.MULTILINE):
            return Plugin(candidate, int(match[1]), int(match[2]))
        stderr = answer.stderr
        if path is not None and _is_of_another_version(stderr):
            raise UsageError(f"{path} is for another version of the plugin interface than {qemu} has", "leave it out, and latlab chooses")
        if not _is_newer_than(stderr):
            break
    words = exit_message(stderr.encode())
    raise UsageError(
        f"{qemu}: {refusal(stderr)}"
        if refusal(stderr)
        else f"{qemu} does not take the {name}{f'; it printed: {words}' if words else ' and says nothing'}; name another QEMU with --qemu"
    )


def built_objects(name: str) -> list[Path]:
    """Those of all versions, the newest first. Raises UsageError where there are none."""
    for folder in search_folders():
        for place in PLACES:
            paths = [folder / place / file_name(name, interface) for interface in INTERFACES]
            if existing := [path for path in paths if path.is_file()]:
                refuse_stale(existing[0], "probe")
                return existing
    raise not_built(f"{file_name(name, INTERFACES[0])} is in none of {', '.join(map(str, search_folders()))}", "probe")


def _ask(qemu: Path, plugin: Path) -> subprocess.CompletedProcess[str]:
    """QEMU loads the object, which answers and ends it before a machine starts."""
    command = (str(qemu), *NO_MACHINE, "-plugin", f"{escaped(plugin.absolute())},ask=on")
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=ANSWER_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{qemu} does not start ({error})", "name another with --qemu") from error


def _is_of_another_version(stderr: str) -> bool:
    return re.search(r"plugin requires API version", stderr) is not None


def _is_newer_than(stderr: str) -> bool:
    """Whether QEMU refuses the object as newer than itself, so that an older one may do."""
    return re.search(r"supports only up to version", stderr) is not None


def with_probe(
    command: Sequence[str],
    probe: Path,
    stream: Path,
    has_functions: bool,
    limit_bytes: int | None = None,
    has_masked: bool = False,
    has_classes: bool = False,
) -> tuple[str, ...]:
    """QEMU's command line with the plugin at its end."""
    options = [f"out={escaped(stream)}", f"functions={'on' if has_functions else 'off'}"]
    if has_masked:
        options.append("masked=on")
    if has_classes:
        options.append("contexts=on")
    if limit_bytes is not None:
        options.append(f"limit={limit_bytes}")
    return (*command, "-plugin", ",".join((escaped(probe), *options)))


def with_slow_probe(command: Sequence[str], probe: Path, copy: Path, stream: Path, limit_bytes: int | None = None) -> tuple[str, ...]:
    """The plugin once more, counting each instruction by itself. A plugin has one state a file, so this one is a copy."""
    shutil.copy(probe, copy)
    *before, options = with_probe(command, copy, stream, False, limit_bytes)
    return (*before, f"{options},each=on")


def refusal(stderr: str) -> str | None:
    """One sentence for what QEMU says when it does not take the plugin; None where it says nothing of the kind."""
    match = re.search(r"latlab probe: (.*)", stderr)
    if match:
        return f"the probe: {match[1]}"
    newer = re.search(r"plugin requires API version (\d+), but this QEMU supports only a minimum version of (\d+)", stderr)
    if newer:
        return (
            f"this QEMU needs version {newer[2]} or newer of its plugin interface, this latlab's newest is {newer[1]}; "
            "use an older QEMU or a newer latlab"
        )
    older = re.search(r"plugin requires API version (\d+), but this QEMU supports only up to version (\d+)", stderr)
    if older:
        return f"this QEMU offers version {older[2]} of its plugin interface, the probe needs {older[1]}; use QEMU {OLDEST_QEMU} or newer"
    if re.search(r"-plugin: invalid option|[Pp]lugin interface .*not.*(enabled|built)", stderr):
        return "this QEMU was built without plugins; use one that has them, such as Debian's"
    lacks = re.search(r"Could not load plugin .*undefined symbol: (qemu_plugin_\w+)", stderr)
    if lacks:
        return f"this QEMU's plugin interface is older than version {INTERFACES[-1]}, it lacks {lacks[1]}; use QEMU {OLDEST_QEMU} or newer"
    failed = re.search(r"Could not load plugin (.*)", stderr)
    if not failed:
        return None
    return f"QEMU cannot load the probe ({failed[1]}); where it is one for another kind of machine, {how_to_make('probe')}"


def why_not_started(stderr: bytes) -> str | None:
    """One sentence for a machine that did not start: what QEMU says of anything else comes before what the probe makes of it. None where
    nothing was said."""
    words, refused = exit_message(stderr), refusal(stderr.decode("utf-8", "backslashreplace"))
    if refused and (not words or "plugin" in words):
        return refused
    return f"QEMU did not start the machine; it printed: {words}" if words else None


def complaints(stderr: str) -> tuple[Problem, ...]:
    """What the probe says at its end, with what to do: of a disk that did not take its stream, and of worlds that QEMU did not show it."""
    lost = re.findall(r"latlab probe: (writing to .* failed \(.*\); \d+ records were lost)", stderr)
    hidden = re.findall(r"latlab probe: (this QEMU does not show .*)", stderr)
    complaint_lines = [f"{complaint}; free some disk or set TMPDIR to a folder with more" for complaint in lost] + [
        f"{complaint}; use another QEMU, such as 10.0 or 11.1" for complaint in hidden
    ]
    return tuple(Problem(0, f"the probe: {complaint}") for complaint in complaint_lines)
