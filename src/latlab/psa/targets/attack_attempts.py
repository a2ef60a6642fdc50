# SPDX-License-Identifier: BSD-3-Clause
"""What a hostile partition tries: requests of the test partitions of our own SPM, which do as they are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
