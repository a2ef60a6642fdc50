# SPDX-License-Identifier: BSD-3-Clause
"""The plugin for a QEMU, with a line where it is one that latlab does not know yet."""

from __future__ import annotations

from pathlib import Path

from latlab.core.cli.output import say
from latlab.core.targets.qemu.probe import PROBE, find_plugin


def probe_for(qemu: Path, path: Path | None) -> Path:
    """The user's probe or latlab's own. Raises UsageError where this QEMU takes none."""
    return plugin_for(PROBE, qemu, path)


def plugin_for(name: str, qemu: Path, path: Path | None) -> Path:
    plugin = find_plugin(name, qemu, path)
    if plugin.note:
        say(plugin.note)
    return plugin.path
