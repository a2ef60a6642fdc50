# SPDX-License-Identifier: BSD-3-Clause
"""Which shared libraries an ELF file asks for."""

from __future__ import annotations

import io

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from latlab.core.errors import DataError


def needed(data: bytes, place: str) -> tuple[str, ...]:
    """The names in DT_NEEDED and the interpreter's own; none for a static program."""
    try:
        elf = ELFFile(io.BytesIO(data))
        libraries = [
            str(getattr(tag, "needed"))  # noqa: B009
            for section in elf.iter_sections()
            if isinstance(section, DynamicSection)
            for tag in section.iter_tags("DT_NEEDED")
        ]
        interpreter = elf.get_section_by_name(".interp")
    except ELFError as error:
        raise DataError(f"{place}: not an ELF file that can be read ({error}); fetch its package again") from error
    if interpreter is not None:
        libraries.append(interpreter.data().rstrip(b"\0").decode().rpartition("/")[2])
    return tuple(libraries)
