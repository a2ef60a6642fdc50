# SPDX-License-Identifier: BSD-3-Clause
"""What the probe saw of a guest, as a run keeps it: lines of text, fields apart by tabs, `LLWORLDS` and the version first."""

from __future__ import annotations

from collections.abc import Iterator

from latlab.calls.model.calls import Call
from latlab.core.errors import DataError
from latlab.rt.model.worlds import GuestWorlds, LateByWorld, WorldCalls, WorldShare

WORLDS_LOG = "worlds.txt"
HEAD = "LLWORLDS\t1"


def render_worlds(worlds: GuestWorlds) -> bytes:
    return "".join(f"{line}\n" for line in _lines(worlds)).encode()


def _lines(worlds: GuestWorlds) -> Iterator[str]:
    yield HEAD
    yield _line("STAYS", worlds.stays, worlds.stays_without_timer, worlds.secure, worlds.untimed)
    for kind in worlds.kinds:
        yield _line("KIND", kind.name, kind.calls, kind.yielded, kind.least, kind.median, kind.most, kind.in_el3, kind.in_secure)
    for late in worlds.late:
        yield _line("LATE", late.cpu, late.wake_ns)
        for share in late.shares:
            yield _line("SHARE", share.world, share.call, share.ns)
    for call in worlds.calls:
        yield _line("CALL", call.cpu, call.function, call.in_ticks, call.out_ticks)


def _line(*fields: object) -> str:
    return "\t".join(map(str, fields))


def read_worlds(data: bytes, place: str) -> GuestWorlds:
    """Raises DataError with the line that cannot be read."""
    lines = data.decode("utf-8", "replace").splitlines()
    if not lines or lines[0] != HEAD:
        raise DataError(
            f"{lines[0] if lines else 'nothing'!r} is not {HEAD!r}", "use the latlab that wrote it", value=HEAD, place=f"{place}:1"
        )
    kinds: list[WorldCalls] = []
    late: list[tuple[int, int, list[WorldShare]]] = []
    calls: list[Call] = []
    stays = [0, 0, 0, 0]
    for number, line in enumerate(lines[1:], 2):
        kind, *fields = line.split("\t")
        try:
            match kind:
                case "STAYS":
                    stays = [int(field) for field in fields]
                case "KIND":
                    kinds.append(WorldCalls(fields[0], *(int(field) for field in fields[1:])))
                case "LATE":
                    late.append((int(fields[0]), int(fields[1]), []))
                case "SHARE":
                    late[-1][2].append(WorldShare(fields[0], fields[1], int(fields[2])))
                case "CALL":
                    calls.append(Call(*(int(field) for field in fields)))
        except (ValueError, TypeError, IndexError) as error:
            raise DataError(f"{line!r} cannot be read ({error})", "measure again", value=line, place=f"{place}:{number}") from error
    split = tuple(LateByWorld(cpu, wake_ns, tuple(shares)) for cpu, wake_ns, shares in late)
    return GuestWorlds(tuple(kinds), stays[0], stays[1], stays[2], split, stays[3], tuple(calls))
