# SPDX-License-Identifier: BSD-3-Clause
"""Refuses an include, or an include path, across el3/ and spm/: the two share trace/ and nothing else. Usage: check_rooms.py FIRMWARE"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOMS = ("el3", "spm")
SHARED = "trace"
SOURCES = (".c", ".h", ".S", ".inc", ".in", ".ld")
STANDARD = ("limits.h", "stdlib.h", "string.h")  # C's own: each room may have its part of them
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def _files(room: Path) -> list[Path]:
    return sorted(path for path in room.rglob("*") if path.is_file())


def _names(room: Path) -> set[str]:
    """What an include may call the room's files: the end of a path, as long as it likes."""
    parts = [path.relative_to(room).parts for path in _files(room)]
    return {str(PurePosixPath(*path[start:])) for path in parts for start in range(len(path))}


def _is_foreign(include: str, source: Path, other: Path, known: set[str], foreign: set[str]) -> bool:
    beside = Path(os.path.normpath(source.parent / include))
    if beside.is_file():
        return beside.is_relative_to(other)
    return include not in known and include in foreign


def _faults_of(firmware: Path, room: str, other: str) -> Iterator[str]:
    known, foreign = _names(firmware / room) | _names(firmware / SHARED), _names(firmware / other)
    path_of_other = re.compile(rf"(?<!\w){other}/")
    for file in _files(firmware / room):
        is_build = file.name == "CMakeLists.txt" or file.suffix == ".cmake"
        if not is_build and file.suffix not in SOURCES:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            if is_build and path_of_other.search(line):
                yield f"{file}:{number}: {room}/ names a path of {other}/: they share {SHARED}/ alone"
            elif include and include[1] not in STANDARD and _is_foreign(include[1], file, firmware / other, known, foreign):
                yield f"{file}:{number}: {room}/ includes {include[1]} of {other}/: they share {SHARED}/ alone"


def faults(firmware: Path) -> list[str]:
    return [fault for room, other in (ROOMS, ROOMS[::-1]) for fault in _faults_of(firmware, room, other)]


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]).resolve())
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    sys.exit(1 if found else 0)
