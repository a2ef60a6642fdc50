# SPDX-License-Identifier: BSD-3-Clause
"""What is attacked: somebody else's secure partition manager, or a build of ours; and what a hostile partition tries.

The attempts are requests of the test partitions of our own SPM, which do as they are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from latlab.calls.readers.symbols import addresses_of
from latlab.calls.targets.subject import flat_program
from latlab.core.errors import DataError, UsageError
from latlab.core.targets.qemu.images import search_folders
from latlab.core.targets.tools import how_to_make, not_built, refuse_stale
from latlab.psa.targets.psa_subject import VENEERS, CallKind, PsaCall, PsaSubject

BUILDS = ("sfn_l1", "ipc_l1", "ipc_l2", "ipc_l3", "classic_l1", "classic_l2", "at_once_l1", "at_once_l2")
SECURE_BIT = 1 << 28
SECRET_BYTES = 16
SG_OPCODE = b"\x7f\xe9\x7f\xe9"
CONNECTED = 0xF200
TEST_SYMBOLS = ("nsc_client_register", "nsc_client_select", "spm_kernel", "test_server_start", "test_client_start")
NEEDED = (*(f"nsc_psa_{name}" for name in VENEERS), *TEST_SYMBOLS)
SECURE_ONLY, SECURE_STATELESS = 0xF203, 0x40000100

RAM, CODE, NON_SECURE = 0x38000000, 0x10000000, 0x28201100
MPU_CTRL, DEVICE_OF_NOBODY = 0xE000ED94, 0x50202000
STATELESS = 0x40000206
# As firmware/spm/partitions/test/test_requests.h numbers them.
REQUESTS = {
    "SERVER_TOUCH": 9,
    "SERVER_LOOK": 10,
    "SERVER_READ_INTO": 13,
    "SERVER_WRITE_FROM": 14,
    "SERVER_USE_MESSAGE": 16,
    "SERVER_BAD_MESSAGE_HANDLE": 19,
    "SERVER_OLD_MESSAGE_HANDLE": 20,
    "SERVER_BAD_INDEX": 21,
    "SERVER_BAD_SOURCE": 23,
    "SERVER_WRITE_TOO_MUCH": 24,
    "SERVER_WRITE_NO_VECTOR": 25,
    "CLIENT_BORROW": 1,
    "CLIENT_TOUCH": 5,
    "CLIENT_LOOK": 6,
    "CLIENT_IN_AT": 8,
    "CLIENT_OUT_AT": 9,
    "CLIENT_VECTORS_AT": 10,
    "CLIENT_OUT_VECTORS_AT": 11,
    "CLIENT_LEND_MESSAGE": 12,
    "CLIENT_NULL_HANDLE": 18,
    "CLIENT_CLOSED_HANDLE": 19,
    "CLIENT_SECOND_ENTRY": 31,
    "DRIVER_TOUCH_IN_HANDLER": 8,
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a hostile partition does: a request of a test partition, with an address. From isolation `level` on it has to fail."""

    name: str
    handle: int
    request: int
    level: int
    accepted: str
    address: int | None = None
    more: int = 0
    secret: bytes = b""


@dataclass(frozen=True, slots=True)
class Own:
    """What only a build of ours has: client ids, services for partitions only, partitions that obey."""

    level: int
    register: int
    select: int
    client: int
    secure_only: int
    secure_stateless: int
    requests: dict[str, int]
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class AttackSubject:
    """`secret` are bytes of the secure image with their address, `secure_parts` addresses in its parts, `ungated` those of them
    with no SG, `other_gateways` SG opcodes of it
    that are none of its veneers, `handlers` its exception handlers, the reset's first. `has_true_border`: the non-secure RAM ends where
    the subject says."""

    psa: PsaSubject
    secret: tuple[int, bytes]
    secure_parts: tuple[int, ...]
    ungated: tuple[int, ...]
    other_gateways: tuple[int, ...]
    handlers: tuple[int, ...]
    data_call: PsaCall
    has_true_border: bool = False
    own_partition: Own | None = None


def attack_subject(psa: PsaSubject, own_partition: Own | None = None) -> AttackSubject:
    """From the image itself. Raises DataError where it has no call or no secure code that could be attacked."""
    parts = [part for file, address in psa.images for part in _parts(file, address) if part[0] & SECURE_BIT]
    if not parts:
        raise DataError("none of its images lies in secure memory (address bit 28)", "name the secure image", place=psa.name)
    start, code = min(parts)
    calls = [
        call for call in psa.calls if call.kind in (CallKind.ON_HANDLE, CallKind.ON_CONNECTION) and call.expected == 0 and call.is_alone
    ]
    if not calls:
        raise DataError("its file names no [[call]] that is served alone", "name one, best with an input and an output", place=psa.name)
    data_call = max(calls, key=lambda call: (bool(call.inputs) + bool(call.outputs), call.kind is CallKind.ON_HANDLE))
    entries = {address & ~1 for address in psa.veneers}
    known_entries = entries | _all_veneers(psa)
    gateways = sorted({at for base, data in parts for at in _gateways(base, data)} - known_entries)
    ends = {address for base, data in parts for address in (base, base + (len(data) // 2 & ~3))}
    begins = {at for base, data in parts for at in _gateways(base, data)}
    return AttackSubject(
        psa,
        (start, code[:SECRET_BYTES]),
        tuple(sorted(ends)),
        tuple(sorted(ends - begins)),
        tuple(gateways[:16]),
        _handlers(code),
        data_call,
        own_partition is not None,
        own_partition,
    )


def own_subject(build: str, folder: Path | None = None, machine: str = "mps2-an521") -> AttackSubject:
    """A build of ours with the test partitions."""
    secure = _own_image(build, folder)
    symbols = addresses_of(secure)
    level = int(build[-1])
    calls = (
        PsaCall("nothing", CallKind.NOTHING),
        PsaCall("framework_version", CallKind.FRAMEWORK_VERSION),
        PsaCall("version", CallKind.VERSION, CONNECTED),
        PsaCall("data", CallKind.ON_HANDLE, STATELESS, inputs=(bytes(range(1, 17)),), outputs=(16,)),
        PsaCall("connected", CallKind.ON_CONNECTION, CONNECTED, 3),
    )
    if missing := next((name for name in NEEDED if name not in symbols), None):
        raise DataError(
            f"no symbol {missing}, so it is no build of latlab with the test partitions", "describe it with --subject", place=secure
        )
    veneers = tuple(symbols[f"nsc_psa_{name}"] | 1 for name in VENEERS)
    psa = PsaSubject(build, machine, ((secure, None),), veneers, 16, 20, 0x00200000, 0x28200000, 0x00200000, 0x40200000, calls, (secure,))
    return attack_subject(psa, _own(symbols, level, has_ticker="test_ticker_stack" in symbols))


def _own_image(build: str, folder: Path | None) -> Path:
    bases = (folder,) if folder else tuple(base / "spm" for base in search_folders())
    for base in bases:
        if (path := base / f"{build}_test" / "secure.elf").is_file():
            refuse_stale(path, "spm")
            return path
    missing, otherwise = f"no {build}_test/secure.elf in {', '.join(map(str, bases))}", f", or use one of {', '.join(BUILDS)}"
    raise UsageError(missing, how_to_make("spm") + otherwise) if folder or build not in BUILDS else not_built(missing, "spm", otherwise)


def _own(symbols: dict[str, int], level: int, has_ticker: bool) -> Own:
    client = 0x40000102 if has_ticker else 0x40000101
    return Own(
        level,
        symbols["nsc_client_register"] | 1,
        symbols["nsc_client_select"] | 1,
        client,
        SECURE_ONLY,
        SECURE_STATELESS,
        REQUESTS,
        tuple(attempts(symbols, client)),
    )


def _parts(file: Path, address: int | None) -> list[tuple[int, bytes]]:
    """What an image puts into memory, in the parts that it is made of."""
    from elftools.common.exceptions import ELFError

    try:
        return list(_loaded(file, address))
    except (ELFError, ValueError) as error:
        raise DataError(
            f"not an ELF file that can be read ({error})", "name the secure image, or the address of one", place=file
        ) from error


def _loaded(file: Path, address: int | None) -> Iterator[tuple[int, bytes]]:
    if address is not None:
        yield address, flat_program(file) if file.read_bytes()[:4] == b"\x7fELF" else file.read_bytes()
        return
    from elftools.elf.elffile import ELFFile

    with file.open("rb") as stream:
        for part in ELFFile(stream).iter_segments("PT_LOAD"):
            if part["p_filesz"] and part["p_flags"] & 1:
                yield part["p_vaddr"], part.data()


def _gateways(base: int, data: bytes) -> Iterator[int]:
    at = data.find(SG_OPCODE)
    while at >= 0:
        if (base + at) % 2 == 0:
            yield base + at
        at = data.find(SG_OPCODE, at + 1)


def _all_veneers(psa: PsaSubject) -> set[int]:
    """Every symbol that names an SG: a secure image has more veneers than those of the PSA API. Without symbols all of them are tried."""
    symbols = [addresses_of(file) for file in psa.symbols]
    return {address & ~1 for names in symbols for name, address in names.items() if f"__acle_se_{name}" in names}


def _handlers(code: bytes) -> tuple[int, ...]:
    """Of the vector table at the start of the image: the reset's first, each once."""
    words = [int.from_bytes(code[at : at + 4], "little") & ~1 for at in range(4, 4 * 140, 4)]
    return tuple(dict.fromkeys(word for word in words if word & SECURE_BIT and word < 0x40000000))[:60]


def attempts(symbols: dict[str, int], client: int) -> Iterator[Attempt]:
    """Of a partition of the application RoT, whose handle is `client`, and one of the PSA RoT; `symbols` are the image's symbols."""
    yield from _own_accesses(symbols, client)
    yield from _accesses_to_partitions(symbols, client)
    yield from _pointers(symbols, client)
    yield from _errors(client)


def _own_accesses(symbols: dict[str, int], client: int) -> Iterator[Attempt]:
    rots = ((client, "CLIENT", "an application partition"), (STATELESS, "SERVER", "the PSA RoT"))
    places = (
        ("the SPM's memory", RAM, 2),
        ("the SPM's data", symbols["spm_kernel"], 2),
        ("the MPU's registers", MPU_CTRL, 2),
        ("an unassigned device", DEVICE_OF_NOBODY, 1),
        ("address 0", 0, 1),
    )
    for handle, prefix, caller in rots:
        for where, address, level in places:
            for verb, name, did in (("reads", "LOOK", "read"), ("writes", "TOUCH", "wrote")):
                yield Attempt(f"{caller} {verb} {where}", handle, REQUESTS[f"{prefix}_{name}"], level, f"it {did} {where}", address)


def _accesses_to_partitions(symbols: dict[str, int], client: int) -> Iterator[Attempt]:
    application, root = ("an application partition", client, "CLIENT"), ("the PSA RoT", STATELESS, "SERVER")
    reached = "it reached another partition"
    targets = (
        (application, "the PSA RoT", 2, reached, symbols["test_server_start"]),
        (root, "an application partition", 3, reached, symbols["test_client_start"]),
        (application, "the SPM's code", 2, "it reached the SPM's code", CODE),
        (application, "the non-secure side", 2, "it reached the non-secure side", NON_SECURE),
    )
    for (caller, handle, prefix), whom, level, accepted, address in targets:
        for verb, name in (("reads", "LOOK"), ("writes", "TOUCH")):
            yield Attempt(f"{caller} {verb} {whom}", handle, REQUESTS[f"{prefix}_{name}"], level, accepted, address)


def _pointers(symbols: dict[str, int], client: int) -> Iterator[Attempt]:
    """Through the SPM, which could reach what the partition may not."""
    vectors = (
        ("IN_AT", "an input"),
        ("OUT_AT", "an output"),
        ("VECTORS_AT", "its array of inputs"),
        ("OUT_VECTORS_AT", "its array of outputs"),
    )
    for where, address in (("the SPM's memory", RAM), ("the SPM's data", symbols["spm_kernel"])):
        read, write = f"the SPM wrote {where} for a partition", f"the SPM read {where} for a partition"
        yield Attempt(f"psa_read into {where}", STATELESS, REQUESTS["SERVER_READ_INTO"], 1, read, address, 4)
        yield Attempt(f"psa_write from {where}", STATELESS, REQUESTS["SERVER_WRITE_FROM"], 1, write, address)
        for name, vector_kind in vectors:
            accepted = f"{vector_kind} in {where} was accepted"
            yield Attempt(f"a secure client gives {vector_kind} in {where}", client, REQUESTS[f"CLIENT_{name}"], 1, accepted, address)


def _errors(client: int) -> Iterator[Attempt]:
    for name, request, accepted in (
        ("uses an invalid message handle", "BAD_MESSAGE_HANDLE", "an invalid message handle was accepted"),
        ("uses the handle of an answered message", "OLD_MESSAGE_HANDLE", "the handle of an answered message was accepted"),
        ("names a vector beyond the fourth", "BAD_INDEX", "a vector beyond the fourth was accepted"),
        ("writes from memory that wraps", "BAD_SOURCE", "memory that wraps was accepted"),
        ("writes more than was asked for", "WRITE_TOO_MUCH", "more was written than the client asked for"),
        ("writes to a missing vector", "WRITE_NO_VECTOR", "a missing vector was written to"),
    ):
        yield Attempt(f"a partition {name}", STATELESS, REQUESTS[f"SERVER_{request}"], 1, accepted)
    read, closed = "another partition's message was read", "a closed handle was accepted"
    yield Attempt("a partition uses another one's message", client, REQUESTS["CLIENT_LEND_MESSAGE"], 1, read)
    yield Attempt("a secure client uses a closed handle", client, REQUESTS["CLIENT_CLOSED_HANDLE"], 1, closed)
    call = "a partition makes the gateways' own supervisor call"
    yield Attempt(call, client, REQUESTS["CLIENT_SECOND_ENTRY"], 2, "the call was accepted")
