# SPDX-License-Identifier: BSD-3-Clause
"""TOML files of every kind that a user writes, as they stand, with values changed, and with their bytes damaged."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from random import Random

from support.nothing_starts import Answer, fault_of

File = dict[str, object]

PSCI: File = {
    "name": "made",
    "image": [{"file": "a.bin", "flash": 0}, {"file": "bl1.bin", "address": 0x1000}],
    "machine": "virt",
    "options": "secure=on",
    "cpu": "max",
    "cores": 4,
    "symbols": ["a.elf"],
    "takes_turns": True,
}
PACKAGE: File = {"image": [{"file": "a.bin", "flash": 0, "payload": "bl33"}], "machine": "sbsa-ref", "cores_stay_on": False}
PSA: File = {
    "image": [{"file": "bl1.bin", "address": 0x10000000}],
    "veneers": {"file": "veneers.o", "in_shift": 24, "out_shift": 16},
    "non_secure": {"code": 0x100000, "ram": 0x28100000, "ram_bytes": 0x100000, "console": 0x40200000},
    "version": {"sid": 0xF100, "expect": 1},
    "call": [
        {"name": "get", "handle": 0x40000102, "type": 1002, "in": ["0900", 3], "out": [16], "expect": 0},
        {"name": "echo", "sid": 0xF100, "version": 2, "sweep": False},
    ],
}
DESIGN: File = {
    "name": "made",
    "run": ["run", "psci"],
    "response": "cpu_off_serial/powerdown",
    "smallest_percent": 5.0,
    "replicates": 2,
    "most_runs": 16,
    "factor": [
        {"name": "gic", "level": [{"name": "2", "options": ["--gic", "2"]}, {"name": "3", "before": "true", "options": ["--gic", "3"]}]},
        {"name": "el", "level": [{"name": "1"}, {"name": "2", "options": ["--el", "2"]}]},
    ],
}
BOARD: File = tomllib.loads((resources.files("latlab.catalog") / "platforms" / "juno.toml").read_text("utf-8"))
# What it is a file of, and the command that reads it.
KINDS: Mapping[str, tuple[Sequence[File], tuple[str, ...]]] = {
    "psci": ((PSCI, PACKAGE), ("run", "psci", "--subject")),
    "psa": ((PSA,), ("run", "psa", "--subject")),
    "attack": ((PSA,), ("run", "attack", "--subject")),
    "design": ((DESIGN,), ("design", "run")),
    "board": ((BOARD,), ("whatif", "--platform")),
}
INTEGERS = (0, 1, 4, 16, 17, 64, 0x1000, 0x10000000, (1 << 31) - 1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, 1 << 70, -1, -(1 << 63))
STRINGS = (
    *("", " ", "a", "a.bin", "a.elf", "veneers.o", "bl1.bin", "empty", "folder", "nothing", "virt", "raspi4b", "sbsa-ref", "mps2-an521"),
    *(
        "bl33",
        "max",
        "{",
        "{}",
        "{0}",
        "{}{}",
        "x_{}",
        "{.x}",
        "a,b",
        ",",
        "on=off",
        "a=b,c",
        "run",
        "--store",
        "--boots",
        "ü",
        "日本",
        "😀",
    ),
    *("\u202e", "\x00", "a\nb", "\t", "\x1b[31m", "\x7f", "00", "0", "zz", "x" * 300, "x/" * 3000, "/", "..", "1.0", "0.0", "9.9", "nan"),
)
FLOATS = (0.0, -0.0, 1.5, 1e308, float("inf"), float("-inf"), float("nan"), 1000.5)
BYTES = (
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"[",
    b"]",
    b'"',
    b"'''",
    b"=",
    b"\n",
    b"\r",
    b"# ",
    b"[[image]]\n",
    b"[" * 5000,
    b"{a=" * 2000,
    b"9" * 6000,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A file that is `as_it_stands` is one that is read."""

    kind: str
    data: bytes
    as_it_stands: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """Those that it may name: one that is no image may be refused in its own name."""
        return tuple(name for name in STRINGS if name and name.isprintable() and name.encode() in self.data)

    @property
    def arguments(self) -> tuple[str, ...]:
        return (*KINDS[self.kind][1], "subject.toml")


def written(random: Random) -> Written:
    kind = random.choice(tuple(KINDS))
    whole = random.choice(KINDS[kind][0])
    changes = random.choice((0, 1, 1, 1, 2, 3))
    found: object = whole
    for _ in range(changes):
        found = _changed_somewhere(random, found)
    data = toml_file(found if isinstance(found, dict) else whole).encode("utf-8", "surrogatepass")
    if not random.randrange(8):
        return Written(kind, damaged(random, data))
    return Written(kind, data, changes == 0)


def damaged(random: Random, data: bytes) -> bytes:
    at, more = random.randrange(len(data) + 1), random.choice(BYTES)
    return random.choice((data[:at], data[at:], data[:at] + more + data[at:], data[:at] + more, data + data, b""))


def fault_of_written(case: Written, found: Answer) -> str:
    if fault := fault_of(found):
        return fault
    if case.as_it_stands and not found.started:
        return f"a right file is refused: {found.err}"
    if found.started or found.code == 0 or any(name in found.err for name in ("subject.toml", *case.files)):
        return ""
    return f"the file is not named: {found.err}"


def _changed_somewhere(random: Random, value: object) -> object:
    place = random.choice([place for place in places(value) if place])
    inner = value
    for key in place[:-1]:
        inner = inner[key]  # type: ignore[index]
    act = random.choice(("change", "change", "change", "drop", "add"))
    if act == "change" or not isinstance(inner, dict):
        return changed(value, place, drawn(random))
    if act == "drop":
        return changed(value, place[:-1], {key: each for key, each in inner.items() if key != place[-1]})
    return changed(value, place[:-1], inner | {random.choice(("more", "file", "address", "name", "a\nb", "日本", "")): drawn(random)})


def drawn(random: Random, depth: int = 2) -> object:
    kind = random.randrange(9 if depth else 7)
    if kind == 0:
        return random.choice((True, False))
    if kind < 3:
        return random.choice(INTEGERS)
    if kind == 3:
        return random.choice(FLOATS)
    if kind < 7:
        return random.choice(STRINGS)
    inner = [drawn(random, depth - 1) for _ in range(random.randrange(4))]
    return inner if kind == 7 else {random.choice(STRINGS): each for each in inner}


def places(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def changed(value: object, path: tuple[str | int, ...], new: object) -> object:
    """A place that an earlier change has taken away is left as it is."""
    if not path:
        return new
    if isinstance(value, dict) and path[0] in value:
        return value | {path[0]: changed(value[path[0]], path[1:], new)}
    if isinstance(value, list) and isinstance(path[0], int) and path[0] < len(value):
        return [changed(each, path[1:], new) if number == path[0] else each for number, each in enumerate(value)]
    return value


def toml_file(value: File) -> str:
    return "".join(f"{json.dumps(key, ensure_ascii=True)} = {toml(each)}\n" for key, each in value.items())


def toml(value: object) -> str:
    """Of one line; a table is an inline one."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")


def write(folder: Path, case: Written) -> None:
    (folder / "subject.toml").write_bytes(case.data)
