# SPDX-License-Identifier: BSD-3-Clause
"""Run a payload on the real firmware under QEMU, without a store: the console's text is all that comes back."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from latlab.core.model.conditions import Mode
from latlab.core.model.run import Topology
from latlab.core.targets.qemu.images import find_images
from latlab.core.targets.qemu.qemu import QemuMachine, command_line, find_qemu
from support.needs import found

TIMEOUT_S = 3600


def boot(
    payload: str,
    folder: Path,
    clusters: tuple[int, ...] = (2, 4),
    mode: Mode = Mode.DETERMINISTIC,
    build: str = "qemu_virt",
    **machine: int | str,
) -> str:
    """The payload's console. `build` is a folder of firmware; `machine` are fields of Machine: gic, el, iterations, seed, cpu, ..."""
    images, qemu = found(lambda: find_images(Topology(clusters), payload)), found(find_qemu)
    images = replace(images, folder=images.folder.with_name(build))
    secure_log = folder / "secure.log"
    command = command_line(qemu, QemuMachine(images, payload, mode, **machine), secure_log)  # type: ignore[arg-type]
    command = tuple(part for part in command if part != "-no-reboot")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"{payload} hung after:\n{(late.stdout or b'').decode(errors='replace')[-2000:]}") from late
    said = secure_log.read_text(errors="replace")
    console = done.stdout.decode(errors="replace")
    assert "PANIC" not in said, said
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return console
