# SPDX-License-Identifier: BSD-3-Clause
"""Where the source of code stands, by the line tables of an ELF image (DWARF 2 to 5)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

FIRST_WITH_OWN_FOLDER = 5  # from this version on, entry 0 of the tables is the unit's own folder and file


def places_of(elf: Any) -> dict[int, str]:
    """`file:line` of each address at which a line begins; empty where the image has no line tables.

    Names begin where the file's way parts from the folder in which the compiler ran, so that two builds in different folders name a
    function alike."""
    if not elf.has_dwarf_info():
        return {}
    dwarf = elf.get_dwarf_info()
    place_of: dict[int, str] = {}
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is not None:
            folder = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
            for address, place in _lines(program, _text(folder.value) if folder else ""):
                place_of.setdefault(address, place)
    return place_of


def declared_at(dwarf: Any, entry: Any) -> str:
    """`file:line` of an entry's declaration; empty where it has none."""
    file, line = (entry.attributes.get(name) for name in ("DW_AT_decl_file", "DW_AT_decl_line"))
    program = dwarf.line_program_for_CU(entry.cu)
    if file is None or line is None or program is None:
        return ""
    folder = entry.cu.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return f"{_name(program.header, file.value, _text(folder.value) if folder else '')}:{line.value}"


def _lines(program: Any, folder: str) -> Iterator[tuple[int, str]]:
    names: dict[int, str] = {}
    for entry in program.get_entries():
        state = entry.state
        if state is None or state.end_sequence:
            continue
        if state.file not in names:
            names[state.file] = _name(program.header, state.file, folder)
        yield state.address, f"{names[state.file]}:{state.line}"


def _name(header: Any, number: int, folder: str) -> str:
    has_own_folder = header["version"] >= FIRST_WITH_OWN_FOLDER
    files, folders = header["file_entry"], header["include_directory"]
    index = number if has_own_folder else number - 1
    if not 0 <= index < len(files):
        return "?"
    entry = files[index]
    above = entry["dir_index"] if has_own_folder else entry["dir_index"] - 1
    base = _text(folders[above]) if 0 <= above < len(folders) else ""
    path = os.path.normpath(PurePosixPath(folder, base, _text(entry["name"])))
    return os.path.relpath(path, folder).lstrip("./") if os.path.isabs(folder) and os.path.isabs(path) else path


def _text(value: bytes | str) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
