# SPDX-License-Identifier: BSD-3-Clause
"""Functions and code of an ELF image."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import Any

from latlab.calls.readers.dwarf_lines import places_of
from latlab.calls.readers.inlined import inlined_code
from latlab.core.errors import DataError, UsageError
from latlab.core.model.symbols import Image

EXECUTABLE = 1
MOST = 1 << 64
NOWHERE = ("SHN_UNDEF", "SHN_ABS")
MANGLED_BY_RUST = ("_R", "_ZN")  # its own scheme, and the one before, which looks like C++


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
        raise UsageError(f"{path}: cannot be read ({error.strerror}); name the ELF file of the firmware") from error
    except (ELFError, DWARFError, UnicodeDecodeError, ValueError, KeyError) as error:
        raise DataError(f"{path}: not an ELF file that can be read ({error}); name the ELF file of the firmware") from error
    if not functions:
        raise DataError(f"{path}: has no symbols; give the file from before it was stripped")
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
        raise UsageError(f"{path}: cannot be read ({error.strerror}); name an ELF file") from error
    except (ELFError, UnicodeDecodeError, ValueError) as error:
        raise DataError(f"{path}: not an ELF file that can be read ({error}); name an ELF file") from error


def read_subject_image(text: Path, with_places: bool = False) -> Image:
    """An ELF file, or one that was loaded so many bytes above where it was linked: FILE@OFFSET."""
    name, _, offset = str(text).rpartition("@")
    if not name:
        return read_image(text, with_places=with_places)
    try:
        return read_image(Path(name), int(offset, 0), with_places)
    except ValueError as error:
        if Path(name).is_file() and not text.exists():
            raise UsageError(f"{text}: {offset!r} behind the @ is no number of bytes; write one such as 0x80000000") from error
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
