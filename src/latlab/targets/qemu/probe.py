# SPDX-License-Identifier: BSD-3-Clause
"""Where the probe is, how QEMU is given it, and what it means when QEMU does not take it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from latlab.errors import UsageError
from latlab.model.run import Problem
from latlab.targets.process.last_words import last_words
from latlab.targets.qemu.command import escaped
from latlab.targets.qemu.images import search_folders
from latlab.targets.tools import how_to_make

PLUGIN = "latlab-probe.so"
PLACES = (Path("probe"), Path("host") / "probe", Path())
INTERFACE = 4


def find_probe(path: Path | None = None) -> Path:
    """The probe that the user names, that of a checkout's build folder, or the package's."""
    return find_plugin(PLUGIN, path)


def find_plugin(name: str, path: Path | None = None) -> Path:
    """A plugin by its file's name, in the same places."""
    if path is not None:
        if not path.is_file():
            raise UsageError(f"{path}: no probe there; {how_to_make('probe')}")
        return path
    for folder in search_folders():
        for place in PLACES:
            if (folder / place / name).is_file():
                return folder / place / name
    raise UsageError(f"{name} is in none of {', '.join(map(str, search_folders()))}; {how_to_make('probe')}")


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
    said = re.search(r"latlab probe: (.*)", stderr)
    if said:
        return f"the probe: {said[1]}"
    version = re.search(
        r"plugin requires API version (\d+), but this QEMU supports only (?:up to|a minimum)? ?version(?: of)? (\d+)", stderr
    )
    if version:
        return f"this QEMU offers version {version[2]} of its plugin interface, the probe needs {version[1]}; use QEMU 10.0"
    if re.search(r"-plugin: invalid option|plugin interface .*not.*(enabled|built)", stderr):
        return "this QEMU was built without plugins; use one that has them, such as Debian's"
    lacks = re.search(r"Could not load plugin .*undefined symbol: (qemu_plugin_\w+)", stderr)
    if lacks:
        return f"this QEMU's plugin interface is older than version {INTERFACE}, it lacks {lacks[1]}; use QEMU 10.0"
    failed = re.search(r"Could not load plugin (.*)", stderr)
    if not failed:
        return None
    return f"QEMU cannot load the probe ({failed[1]}); where it is one for another kind of machine, {how_to_make('probe')}"


def why_not_started(stderr: bytes) -> str | None:
    """One sentence for a machine that did not start: what QEMU says of anything else comes before what the probe makes of it. None where
    nothing was said."""
    words, refused = last_words(stderr), refusal(stderr.decode("utf-8", "backslashreplace"))
    if refused and (not words or "plugin" in words):
        return refused
    return f"QEMU did not start the machine; it said: {words}" if words else None


def complaints(stderr: str) -> tuple[Problem, ...]:
    """What the probe says at its end, with what to do: of a disk that did not take its stream, and of worlds that QEMU did not show it."""
    lost = re.findall(r"latlab probe: (writing to .* failed \(.*\); \d+ records were lost)", stderr)
    hidden = re.findall(r"latlab probe: (this QEMU does not show .*)", stderr)
    told = [f"{each}; free some disk or set TMPDIR to a folder with more" for each in lost] + [f"{each}; use QEMU 10.0" for each in hidden]
    return tuple(Problem(0, f"the probe: {each}") for each in told)
