# SPDX-License-Identifier: BSD-3-Clause
"""What a call is called, and what it answered: function numbers of SMCCC and SBI, causes of exceptions, names of errors."""

from __future__ import annotations

from collections.abc import Sequence

from latlab.calls.model.crossings import Answers, CallNames

FAST = 0x80000000
OWNERS = {
    0: "Arm architecture",
    1: "CPU",
    2: "SiP",
    3: "OEM",
    4: "standard",
    5: "hypervisor",
    6: "vendor hypervisor",
    7: "vendor EL3",
}
TRUSTED_APPLICATIONS = range(48, 50)
TRUSTED_OSES = range(50, 64)
LEGACY_SBI = range(0x10)
ALL = (1 << 64) - 1
PAGE_BYTES = 4096

LAST_OF_EXISTING = 0x0100FFFF
"""Of yielding calls that SMCCC (DEN 0028, table of function identifiers) leaves to what was there before it."""

NO_ANSWERS = Answers({})
UNKNOWN_FUNCTION = Answers({-1: "NOT_SUPPORTED"})
"""What any fast call may say, of which nothing else is known."""


def smc_name(names: CallNames, function: int) -> str:
    """`CPU_SUSPEND (64)`, or what its number says of an unknown one: `SiP fast call 0xc2000018`."""
    function &= 0xFFFFFFFF
    name = names.smc.get(function)
    if name:
        return name
    if function <= LAST_OF_EXISTING:
        return f"existing API call {function:#010x}"
    owner = function >> 24 & 0x3F
    if owner in TRUSTED_APPLICATIONS:
        owner_name = "trusted application"
    elif owner in TRUSTED_OSES:
        owner_name = "trusted OS"
    else:
        owner_name = OWNERS.get(owner, "reserved")
    return f"{owner_name} {'fast' if function & FAST else 'yielding'} call {function:#010x}"


def sbi_name(names: CallNames, extension: int, function: int, arguments: Sequence[int] = ()) -> str:
    """`hsm.hart_start`, or the two numbers. A call to several harts, or about a range, says how many: `ipi.send_ipi (3 harts)`."""
    name, functions = names.sbi.get(extension, ("", ()))
    if not name:
        return f"extension {extension:#x} function {function}"
    if not functions:
        return name
    return f"{name}.{functions[function] if function < len(functions) else function}{_extent(name, function, arguments)}"


def _extent(name: str, function: int, arguments: Sequence[int]) -> str:
    if name not in ("ipi", "rfence") or not arguments:
        return ""
    harts = "" if arguments[0].bit_count() == 1 else f"{arguments[0].bit_count()} harts"
    if arguments[1] == ALL:
        harts = "all harts"
    pages = _pages(*arguments[2:4]) if name == "rfence" and function else ""
    extent = ", ".join(part for part in (harts, pages) if part)
    return f" ({extent})" if extent else ""


def _pages(start: int, size: int) -> str:
    """Up to a power of two, so that a kernel's ranges have few names. OpenSBI and Linux take 0 and 0 for everything too."""
    if size == ALL or not (start or size):
        return "everything"
    pages = -(-size // PAGE_BYTES)
    return "1 page" if pages <= 1 else f"to {1 << (pages - 1).bit_length()} pages"


def error_of(answers: Answers, results: Sequence[int]) -> str:
    """Empty where the results name no error that is known."""
    if answers.register >= len(results):
        return ""
    if answers.marker is not None and results[0] & 0xFFFFFFFF != answers.marker:
        return _name(UNKNOWN_FUNCTION, results[0])
    return _name(answers, results[answers.register])


def _name(answers: Answers, value: int) -> str:
    value &= (1 << answers.bits) - 1
    code = value - (1 << answers.bits) if value >> (answers.bits - 1) else value
    return answers.codes.get(code, "")
