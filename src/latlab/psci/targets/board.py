# SPDX-License-Identifier: BSD-3-Clause
"""A platform file: the shape of a board and what each operation costs there. Pure: TOML text in, a Board or its plain text out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from latlab.core.errors import UsageError
from latlab.core.model.run import CoreId, Topology

CLASS_COSTS = (
    "call_ns",
    "entry_ns",
    "entry_deep_ns",
    "exit_ns",
    "exit_deep_ns",
    "exit_on_ns",
    "flush_core_ns",
    "flush_cluster_ns",
    "flush_crowd_ns",
    "cluster_up_ns",
    "system_up_ns",
)
SYSTEM_COSTS = (
    "lock_acquire_ns",
    "lock_acquire_core_ns",
    "lock_handover_ns",
    "lock_handover_core_ns",
    "shared_ns",
    "capture_ns",
    "message_ns",
    "busy_core_ns",
    "busy_cluster_ns",
    "busy_off_ns",
    "wake_ns",
    "wake_each_ns",
    "stagger_ns",
)
CHOICES = {
    "lock": ("ticket", "bakery", "compare-and-swap"),
    "lock_scope": ("coordination", "transition"),
    "channel": ("shared", "per-core"),
}
NOISE = ("noise_ns", "seed")
KEYS = {"name", "lead", "cluster", "class", "system", "held", *CHOICES}
MAX_CORES = 1024
MAX_CLASSES = 8
MAX_NS = 10**12


@dataclass(frozen=True, slots=True)
class Board:
    """`costs` maps `CLASS.COST` and `COST` of the system to nanoseconds; `held` says why a cost is not fitted."""

    name: str
    clusters: tuple[tuple[int, str], ...]
    lead: CoreId
    lock: str
    lock_scope: str
    channel: str
    costs: Mapping[str, int]
    held: Mapping[str, str] = field(default_factory=dict)
    noise_ns: int = 0
    seed: int = 0
    flush_always_cluster: bool = False

    @property
    def topology(self) -> Topology:
        return Topology(tuple(cores for cores, _ in self.clusters))

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(kind for _, kind in self.clusters))

    def with_costs(self, changed: Mapping[str, int]) -> Board:
        return replace(self, costs={**self.costs, **changed})

    def is_held(self, cost: str) -> bool:
        return cost in self.held or cost.rpartition(".")[2] in self.held


def load_board(text: str) -> Board:
    """`NAME` of the catalogue or `FILE.toml`, with changes after commas: `juno,lock_scope=coordination,message_ns=2000`."""
    name, *changes = text.split(",")
    board = _load(name)
    for change in changes:
        key, equals, value = change.partition("=")
        if not key or not equals:
            raise UsageError(
                f"{text!r}: {change!r} is not a change of a platform", "write it as key=value, such as message_ns=2000", value=text
            )
        board = _changed(board, key, value)
    return board


def _changed(board: Board, key: str, value: str) -> Board:
    if key in CHOICES:
        if value not in CHOICES[key]:
            raise UsageError(f"{key}={value}: it is one of {', '.join(CHOICES[key])}")
        return Board(**{**_fields(board), key: value})
    if key == "clusters":
        kinds = [kind for _, kind in board.clusters]
        sizes = value.split("+")
        if not all(size.isdecimal() and int(size) > 0 for size in sizes) or sum(map(int, sizes)) > MAX_CORES:
            raise UsageError(f"clusters={value}: cores of each cluster joined by +, such as 2+4, at most {MAX_CORES} in all")
        clusters = tuple((int(size), kinds[min(number, len(kinds) - 1)]) for number, size in enumerate(sizes))
        used = {kind for _, kind in clusters}
        costs = {cost: ns for cost, ns in board.costs.items() if "." not in cost or cost.rpartition(".")[0] in used}
        return replace(board, clusters=clusters, lead=CoreId(0, 0), costs=costs)
    matching = [cost for cost in board.costs if key in (cost, cost.rpartition(".")[2])]
    if not matching and key not in NOISE:
        names = ", ".join((*CHOICES, "clusters", *NOISE, *board.costs))
        raise UsageError(f"{key}={value}: platform {board.name} has no such cost or choice; it has {names}")
    if not value.isdecimal() or int(value) > MAX_NS:
        raise UsageError(f"{key}={value}: it is a whole number from 0 to {MAX_NS}, of nanoseconds where it is a cost")
    if key in NOISE:
        return Board(**{**_fields(board), key: int(value)})
    return board.with_costs({cost: int(value) for cost in matching})


def _fields(board: Board) -> dict[str, Any]:
    return {field.name: getattr(board, field.name) for field in fields(board)}


def _load(name: str) -> Board:
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise UsageError(f"{path} is not a file", f"name a platform file or one of {', '.join(platform_names())}")
        return parse_board(path.read_bytes(), str(path))
    entry = resources.files("latlab.catalog") / "platforms" / f"{name}.toml"
    if not entry.is_file():
        raise UsageError(f"{name!r} is not a platform; the catalogue has {', '.join(platform_names())}, or name a .toml file", value=name)
    return parse_board(entry.read_bytes(), f"{name}.toml")


def platform_names() -> list[str]:
    folder = resources.files("latlab.catalog") / "platforms"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def parse_board(text: bytes, source: str) -> Board:
    """Raises UsageError with the key, its value and the file if the text does not describe a board."""
    try:
        data = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, or a number of more digits than Python reads
        raise UsageError(str(error), "correct the file", place=source) from error
    _refuse_unknown(data, KEYS, source, "the file")
    clusters = _clusters(data, source)
    classes = tuple(dict.fromkeys(kind for _, kind in clusters))
    board = Board(
        name=_text(data, "name", source),
        clusters=clusters,
        lead=_lead(_text(data, "lead", source), clusters, source),
        lock=_choice(data, "lock", source),
        lock_scope=_choice(data, "lock_scope", source),
        channel=_choice(data, "channel", source),
        costs=_costs(data, classes, source),
        held=_held(data, classes, source),
    )
    return board


def board_text(board: Board, orders: Mapping[int, Sequence[CoreId]] | None = None) -> str:
    """The description as the program of the virtual-time platform reads it. `orders`: by test number, how its cores start."""
    numbers = {core: index for index, core in enumerate(board.topology.cores)}
    lines = [f"cluster {cores} {board.classes.index(kind)}" for cores, kind in board.clusters]
    lines += [f"lead {numbers[board.lead]}", f"lock {board.lock}", f"scope {board.lock_scope}", f"channel {board.channel}"]
    for cost, value in board.costs.items():
        kind, _, name = cost.rpartition(".")
        lines.append(f"class {board.classes.index(kind)} {name} {value}" if kind else f"{name} {value}")
    lines += [f"noise_ns {board.noise_ns}", f"seed {board.seed}", f"flush_always_cluster {int(board.flush_always_cluster)}"]
    lines += [f"order {test} " + " ".join(str(numbers[core]) for core in order) for test, order in (orders or {}).items()]
    return "\n".join(lines) + "\n"


def board_digest(board: Board) -> str:
    """Two runs are of one model where this is the same."""
    return sha256(board_text(board).encode()).hexdigest()[:12]


def _clusters(data: Mapping[str, object], source: str) -> tuple[tuple[int, str], ...]:
    tables = data.get("cluster")
    if not isinstance(tables, list) or not tables:
        raise UsageError("no [[cluster]]; a board has at least one, with `cores` and `class`", place=source)
    cluster_kinds = []
    for number, table in enumerate(tables):
        where = f"[[cluster]] {number}"
        _refuse_unknown(table, {"cores", "class"}, source, where)
        cores, kind = table.get("cores"), table.get("class")
        if not isinstance(cores, int) or cores < 1:
            raise UsageError(f"{where} has cores = {cores!r}; a cluster has at least one core", place=source)
        if not isinstance(kind, str) or not isinstance(data.get("class"), dict) or kind not in data["class"]:  # type: ignore[operator]
            raise UsageError(f"{where} is of class {kind!r}, which has no [class.{kind}]", "add its costs", place=source)
        cluster_kinds.append((cores, kind))
    total = sum(cores for cores, _ in cluster_kinds)
    if total > MAX_CORES:
        raise UsageError(f"{total} cores; the virtual-time platform has at most {MAX_CORES}", place=source)
    if len({kind for _, kind in cluster_kinds}) > MAX_CLASSES:
        raise UsageError(f"more than {MAX_CLASSES} classes of cores", "join those that cost the same", place=source)
    return tuple(cluster_kinds)


def _costs(data: Mapping[str, object], classes: tuple[str, ...], source: str) -> dict[str, int]:
    tables = data["class"]
    assert isinstance(tables, dict)
    unused = sorted(set(tables) - set(classes))
    if unused:
        raise UsageError(f"[class.{unused[0]}] is used by no cluster", "remove it or name it in a [[cluster]]", place=source)
    costs: dict[str, int] = {}
    for kind in classes:
        costs |= {f"{kind}.{key}": value for key, value in _cost_table(tables[kind], CLASS_COSTS, source, f"[class.{kind}]").items()}
    return costs | _cost_table(data.get("system"), SYSTEM_COSTS, source, "[system]")


def _cost_table(table: object, names: tuple[str, ...], source: str, where: str) -> dict[str, int]:
    if not isinstance(table, dict):
        raise UsageError(f"no {where}; it must give {', '.join(names)}", place=source)
    _refuse_unknown(table, set(names), source, where)
    for name in names:
        value = table.get(name)
        if name not in table:
            raise UsageError(f"{where} lacks {name}", "give it in nanoseconds", place=source)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_NS:
            raise UsageError(f"{where} has {name} = {value!r}; a cost is a whole number of nanoseconds from 0 to {MAX_NS}", place=source)
    return {name: table[name] for name in names}


def _held(data: Mapping[str, object], classes: tuple[str, ...], source: str) -> dict[str, str]:
    table = data.get("held", {})
    if not isinstance(table, dict) or not all(isinstance(reason, str) for reason in table.values()):
        raise UsageError('[held] is a table of cost = "reason"', place=source)
    _refuse_unknown(table, {*CLASS_COSTS, *SYSTEM_COSTS, *(f"{kind}.{cost}" for kind in classes for cost in CLASS_COSTS)}, source, "[held]")
    return dict(table)


def _lead(text: str, clusters: tuple[tuple[int, str], ...], source: str) -> CoreId:
    cluster, _, core = text.partition(".")
    if cluster.isdecimal() and core.isdecimal() and int(cluster) < len(clusters) and int(core) < clusters[int(cluster)][0]:
        return CoreId(int(cluster), int(core))
    raise UsageError(f"lead = {text!r} is not a core of this board", "write cluster.core", value=text, place=source)


def _choice(data: Mapping[str, object], key: str, source: str) -> str:
    value = _text(data, key, source)
    if value not in CHOICES[key]:
        raise UsageError(f"{key} = {value!r}; it is one of {', '.join(CHOICES[key])}", place=source)
    return value


def _text(data: Mapping[str, object], key: str, source: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UsageError(f"{key} = {value!r}; it must be given as text", place=source)
    return value


def _refuse_unknown(table: object, allowed: set[str], source: str, where: str) -> None:
    if not isinstance(table, Mapping):
        raise UsageError(f"{where} is not a table", place=source)
    unknown = sorted(set(table) - allowed)
    if unknown:
        raise UsageError(f"unknown key {unknown[0]!r} in {where}; it knows {', '.join(sorted(allowed))}", value=unknown[0], place=source)
