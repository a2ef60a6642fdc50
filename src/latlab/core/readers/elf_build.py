# SPDX-License-Identifier: BSD-3-Clause
"""Which firmware it was: a digest of its images, and with which compiler and flags its ELF file says that it was built."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from latlab.core.model.conditions import Conditions

GCC = re.compile(r"GNU C\S* (\d+(?:\.\d+)*)\S*(?: \d{8})?(?: [(\[][^)\]]*[)\]])?(.*)", re.DOTALL)
CLANG = re.compile(r".*?clang version (\d+(?:\.\d+)*)")
UNKNOWN: tuple[None, None] = (None, None)


def with_build(conditions: Conditions, elf: Path) -> Conditions:
    """The conditions with the compiler and its flags; as they are where the file is no ELF file or was stripped of them."""
    compiler, flags = built_with(elf)
    return replace(conditions, compiler=compiler, compiler_flags=flags)


def with_image(conditions: Conditions, images: Iterable[Path]) -> Conditions:
    """The conditions with a digest of what is loaded; as they are where a file cannot be read."""
    digest = sha256()
    try:
        for image in images:
            digest.update(image.read_bytes())
    except OSError:
        return conditions
    return replace(conditions, image=digest.hexdigest()[:12])


def built_with(elf: Path) -> tuple[str | None, tuple[str, ...] | None]:
    """`GCC 12.2.0` and the distinct sets of flags of its C files; None of what the file does not say."""
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with elf.open("rb") as stream:
            file = ELFFile(stream)
            if not file.has_dwarf_info():
                return UNKNOWN
            units = file.get_dwarf_info().iter_CUs()
            tops = [unit.get_top_DIE().attributes.get("DW_AT_producer") for unit in units]
            return said_by([attribute.value.decode("utf-8", "replace") for attribute in tops if attribute is not None])
    except (OSError, ELFError, DWARFError, UnicodeDecodeError, ValueError, KeyError, AttributeError):
        return UNKNOWN


def said_by(producers: list[str]) -> tuple[str | None, tuple[str, ...] | None]:
    """As `built_with`, of what each file's compiler wrote into it. Assemblers, which write no flags, are passed over."""
    compilers: dict[str, None] = {}
    flags: set[str] = set()
    for producer in producers:
        if gcc := GCC.match(producer):
            compilers[f"GCC {gcc[1]}"] = None
            flags.add(" ".join(gcc[2].split()))
        elif clang := CLANG.match(producer):
            compilers[f"clang {clang[1]}"] = None
    return " and ".join(sorted(compilers)) or None, tuple(sorted(filter(None, flags))) or None
