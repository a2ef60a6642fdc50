# SPDX-License-Identifier: BSD-3-Clause
"""Functions, code and source lines of an ELF image, and the functions that link-time optimisation inlined across source files.

The debug information has the inlined ones (DWARF 5, section 3.3.8). GCC describes the code that it made at link time in units of their own.
There an inlined copy points to the function in the unit of its source file. Only functions with external linkage count: a build without
that optimisation has them as functions too, so that two builds have the same names. Functions that one source file alone can call belong
to their caller in both.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from latlab.core.errors import DataError, UsageError
from latlab.core.model.symbols import Image, InlinedCode

FIRST_WITH_OWN_FOLDER = 5  # from this version on, entry 0 of the tables is the unit's own folder and file
EXECUTABLE = 1
MOST = 1 << 64
NOWHERE = ("SHN_UNDEF", "SHN_ABS")
MANGLED_BY_RUST = ("_R", "_ZN")  # its own scheme, and the one before, which looks like C++

MADE_AT_LINK_TIME = b"GNU GIMPLE"
STEP_BYTES = 2  # the shortest instruction of the machines that are measured


def read_image(path: Path, offset: int = 0, with_places: bool = False) -> Image:
    """The image's functions and the bytes of its executable segments, `offset` bytes above where it was linked; with the places of their
    source and the functions that link-time optimisation inlined where these are wanted and the image has them, which takes longer."""
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            table = elf.get_section_by_name(".symtab")
            symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
            machine = str(elf["e_machine"])
            is_arm = machine == "EM_ARM"
            functions = _functions([symbol for symbol in symbols if _is_code(symbol)], is_arm, offset)
            places = places_of(elf) if with_places else {}
            inlined = inlined_code(elf, offset) if with_places else ()
            code = tuple((part["p_vaddr"] + offset, part.data()) for part in elf.iter_segments("PT_LOAD") if part["p_flags"] & EXECUTABLE)
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", "name the ELF file of the firmware", place=path) from error
    except (ELFError, DWARFError, UnicodeDecodeError, ValueError, KeyError) as error:
        raise DataError(f"not an ELF file that can be read ({error})", "name the ELF file of the firmware", place=path) from error
    if not functions:
        raise DataError("has no symbols", "give the file from before it was stripped", place=path)
    starts = tuple(sorted(functions))
    sizes, names = tuple(functions[start][0] for start in starts), tuple(as_written(functions[start][1]) for start in starts)
    function_places = tuple(places.get(start - offset, "") for start in starts)
    return Image(path.name, starts, sizes, names, code, function_places if any(function_places) else (), machine, inlined)


def as_written(name: str) -> str:
    """A name of Rust as its source has it, without the hashes that differ from build to build; any other as it is."""
    if not name.startswith(MANGLED_BY_RUST):
        return name
    from pyderust import DemangleError, demangle

    try:
        return str(demangle(name))
    except DemangleError:
        return name


def addresses_of(path: Path) -> dict[str, int]:
    """Every named symbol of an ELF file that has an address, such as those of an import library, which has no code."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        with path.open("rb") as stream:
            table = ELFFile(stream).get_section_by_name(".symtab")
            symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
            return {symbol.name: symbol["st_value"] for symbol in symbols if symbol.name and symbol["st_shndx"] != "SHN_UNDEF"}
    except OSError as error:
        raise UsageError(f"cannot be read ({error.strerror})", "name an ELF file", place=path) from error
    except (ELFError, UnicodeDecodeError, ValueError) as error:
        raise DataError(f"not an ELF file that can be read ({error})", "name an ELF file", place=path) from error


def read_subject_image(text: Path, with_places: bool = False) -> Image:
    """An ELF file, or one that was loaded so many bytes above where it was linked: FILE@OFFSET."""
    name, _, offset = str(text).rpartition("@")
    if not name:
        return read_image(text, with_places=with_places)
    try:
        return read_image(Path(name), int(offset, 0), with_places)
    except ValueError as error:
        if Path(name).is_file() and not text.exists():
            raise UsageError(
                f"{offset!r} behind the @ is no number of bytes", "write one such as 0x80000000", value=offset, place=text
            ) from error
        return read_image(text, with_places=with_places)


def _functions(symbols: list[Any], is_arm: bool, offset: int) -> dict[int, tuple[int, str]]:
    """Size and name by address. A label inside of a function that says its size is a place in it, no function."""
    typed = {_address(entry, is_arm) + offset: (entry["st_size"], entry.name) for entry in symbols if not _is_label(entry)}
    ends = sorted((start, start + size) for start, (size, _) in typed.items())
    sized = dict(typed)
    for symbol in filter(_is_label, symbols):
        address = _address(symbol, is_arm) + offset
        before = bisect_right(ends, (address, MOST)) - 1
        if before < 0 or address >= ends[before][1]:
            sized.setdefault(address, (symbol["st_size"], symbol.name))
    return sized


def _address(symbol: Any, is_arm: bool) -> int:
    address: int = symbol["st_value"]
    return address & ~1 if is_arm else address


def _is_code(symbol: Any) -> bool:
    """Functions, and the labels without a type that assembly has in their place; not the linker's own marks."""
    name = symbol.name
    if not name or name[0] in "$.":
        return False
    if symbol["st_info"]["type"] == "STT_FUNC":
        return True
    return _is_label(symbol) and symbol["st_shndx"] not in NOWHERE and not name.startswith("__")


def _is_label(symbol: Any) -> bool:
    return bool(symbol["st_info"]["type"] == "STT_NOTYPE")


def inlined_code(elf: Any, offset: int) -> tuple[InlinedCode, ...]:
    """Stretches of code, rising and apart, `offset` bytes above where they were linked; of several copies inside each other the innermost.

    None if the image has no debug information, or was not optimised at link time by GCC."""
    if not elf.has_dwarf_info():
        return ()
    dwarf = elf.get_dwarf_info()
    painted: dict[int, tuple[str, str]] = {}
    for unit in dwarf.iter_CUs():
        producer = unit.get_top_DIE().attributes.get("DW_AT_producer")
        if producer is None or MADE_AT_LINK_TIME not in producer.value:
            continue
        for ranges, name, place in _copies(dwarf, unit):
            for start, end in ranges:
                painted |= dict.fromkeys(range(start, end, STEP_BYTES), (name, place))
    return tuple(_joined(painted, offset))


def _copies(dwarf: Any, unit: Any) -> Iterator[tuple[list[tuple[int, int]], str, str]]:
    """Outer copies come before those inside them."""
    for entry in unit.iter_DIEs():
        if entry.tag != "DW_TAG_inlined_subroutine":
            continue
        origin = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
        name = origin.attributes.get("DW_AT_name")
        if origin.cu is not unit and "DW_AT_external" in origin.attributes and name is not None:
            yield _ranges(dwarf, unit, entry), name.value.decode("utf-8", "backslashreplace"), declared_at(dwarf, origin)


def _ranges(dwarf: Any, unit: Any, entry: Any) -> list[tuple[int, int]]:
    low, high, ranges = (entry.attributes.get(name) for name in ("DW_AT_low_pc", "DW_AT_high_pc", "DW_AT_ranges"))
    if low is not None and high is not None:
        return [(low.value, high.value if high.form == "DW_FORM_addr" else low.value + high.value)]
    if ranges is None:
        return []
    first = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    base = first.value if first is not None else 0
    pairs = []
    for part in dwarf.range_lists().get_range_list_at_offset(ranges.value, unit):
        if hasattr(part, "base_address"):
            base = part.base_address
        else:
            begin = 0 if part.is_absolute else base
            pairs.append((begin + part.begin_offset, begin + part.end_offset))
    return pairs


def _joined(painted: dict[int, tuple[str, str]], offset: int) -> Iterator[InlinedCode]:
    ordered = enumerate(sorted(painted))
    for _, group in groupby(ordered, lambda pair: (pair[1] - pair[0] * STEP_BYTES, painted[pair[1]])):
        addresses = [address for _, address in group]
        name, place = painted[addresses[0]]
        yield InlinedCode(addresses[0] + offset, addresses[-1] + STEP_BYTES + offset, name, place)


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
    return f"{_file_name(program.header, file.value, _text(folder.value) if folder else '')}:{line.value}"


def _lines(program: Any, folder: str) -> Iterator[tuple[int, str]]:
    names: dict[int, str] = {}
    for entry in program.get_entries():
        state = entry.state
        if state is None or state.end_sequence:
            continue
        if state.file not in names:
            names[state.file] = _file_name(program.header, state.file, folder)
        yield state.address, f"{names[state.file]}:{state.line}"


def _file_name(header: Any, number: int, folder: str) -> str:
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
