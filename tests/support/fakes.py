# SPDX-License-Identifier: BSD-3-Clause
"""Stand-ins for what is outside: firmware images and an emulator that behaves as told."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from latlab.core.readers.event_table import event_table
from latlab.core.targets.qemu.images import PLATFORM

PAYLOADS = ("psci_bench", "psci_conformance", "psci_stress", "smc_fuzz")

EMULATOR = r"""#!{python}
import os, signal, sys, time
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("QEMU emulator version {version}")
    sys.exit(0)
serials = [value for name, value in zip(arguments, arguments[1:]) if name == "-serial"]
secure = open(serials[1].removeprefix("file:"), "w")
log = open({log!r}, "rb").read()
def say(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
secure.write("latlab firmware\n")
secure.flush()
{behaviour}
"""

BEHAVIOURS = {
    "well": "say(log)",
    "lingers": "say(log)\ntime.sleep(600)",
    "hangs": "say(log[: len(log) // 2])\ntime.sleep(600)",
    "chatters": "say(log[: len(log) // 2])\nwhile True:\n    say(b'.\\n')\n    time.sleep(0.05)",
    "dies": "say(log[: len(log) // 2])\nsys.stderr.write('qemu: something broke\\n')\nsys.exit(7)",
    "crashes": "say(log[: len(log) // 2])\nos.kill(os.getpid(), signal.SIGSEGV)",
    "garbage": "while True:\n    say(os.urandom(4096))",
    "silent": "time.sleep(600)",
    "panics": "say(log[: len(log) // 2])\nsecure.write('PANIC at 0x1234: lock order\\n')\nsecure.flush()\ntime.sleep(600)",
    "ends early": "say(log[: len(log) // 2])",
    "pauses": "say(log[: len(log) // 2])\nopen({marker!r}, 'w').close()\ntime.sleep(600)",
}


def fake_qemu(folder: Path, log: list[str], behaviour: str = "well", version: str = "10.0.2") -> Path:
    """An executable that answers --version and otherwise behaves as named; it notes in `folder` that it paused."""
    log_path = folder / "emulator.log"
    log_path.write_text("\r\n".join(log) + "\r\n")
    script = folder / "qemu-system-aarch64"
    action = BEHAVIOURS[behaviour].replace("{marker!r}", repr(str(folder / "paused")))
    script.write_text(EMULATOR.format(python=sys.executable, version=version, log=str(log_path), behaviour=action))
    script.chmod(0o755)
    return script


def fake_images(folder: Path, events: str | None = None) -> Path:
    """A folder of images whose firmware.elf carries the note and nothing else."""
    place = folder / PLATFORM
    place.mkdir(parents=True)
    (place / "firmware.bin").write_bytes(b"firmware")
    (place / "firmware.elf").write_bytes(elf_with_note(events or event_table().hash))
    for payload in PAYLOADS:
        (place / f"{payload}.elf").write_bytes(b"payload")
    return folder


def elf_with_note(events: str, owner: bytes = b"latlab\0") -> bytes:
    """The smallest 64-bit little-endian AArch64 ELF with a note section."""
    note = struct.pack("<III", len(owner), 8, 1) + owner.ljust(8, b"\0") + struct.pack("<Q", int(events, 16))
    names = b"\0.note.latlab\0.shstrtab\0"
    note_at = 64
    names_at = note_at + len(note)
    sections_at = (names_at + len(names) + 7) // 8 * 8
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 2, 183, 1, 0, 0, sections_at, 0, 64, 0, 0, 64, 3, 2)
    sections = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    sections += struct.pack("<IIQQQQIIQQ", 1, 7, 0, 0, note_at, len(note), 0, 0, 4, 0)
    sections += struct.pack("<IIQQQQIIQQ", 14, 3, 0, 0, names_at, len(names), 0, 0, 1, 0)
    return (header + note + names).ljust(sections_at, b"\0") + sections
