# SPDX-License-Identifier: BSD-3-Clause
"""One manifest, and the platform's names, from trees to plain data. Every error is one sentence with file and line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from model import FIRST_PARTITION_ID, FIRST_SIGNAL_BIT, PRIORITIES, STATELESS_VERSION_LIMIT, Irq, Partition, Region, Service
from source import Node, load

WORD = 1 << 32
MEMORY_LIMIT = 1 << 24
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
C_WORDS = frozenset(
    (
        "asm",
        "auto",
        "bool",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "main",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
    )
)
STACK_LEAST = 128  # a frame with extra state, the seal, and a call or two


@dataclass(frozen=True)
class Platform:
    """What manifests may name instead of numbers: devices and interrupt lines; how many lines there are."""

    regions: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    irqs: Mapping[str, int] = field(default_factory=dict)
    line_count: int = 480
    ram: range = range(0)  # of the secure side


class Fields:
    """The keys of one object of a manifest. Each is asked for once; a key that nobody asks for is refused."""

    def __init__(self, node: Node, what: str) -> None:
        if not isinstance(node.value, dict):
            raise node.error(f"{what} has to be an object with keys, not {shown(node)}")
        self.node = node
        self.what = what
        self.rest: dict[str, Node] = dict(node.value)
        self.rest.pop("description", None)

    def take(self, key: str) -> Node | None:
        return self.rest.pop(key, None)

    def need(self, key: str) -> Node:
        node = self.take(key)
        if node is None:
            raise self.node.error(f"{self.what} has no {key}; add it")
        return node

    def name(self, key: str) -> str:
        node = self.need(key)
        if not isinstance(node.value, str) or not NAME.fullmatch(node.value) or len(node.value) > 64:
            raise node.error(f"{key} is {shown(node)}; give a name of at most 64 letters, digits and underscores")
        if node.value.lower() in C_WORDS or node.value.lower().startswith(("spm_", "psa_")):
            raise node.error(f"{key} is {shown(node)}, which is a word of C or of the SPM; give another name")
        return node.value

    def choice(self, key: str, allowed: tuple[str, ...], default: str | None = None) -> str:
        node = self.take(key) if default is not None else self.need(key)
        if node is None:
            assert default is not None
            return default
        if not isinstance(node.value, str) or node.value not in allowed:
            raise node.error(f"{key} is {shown(node)}; give one of {', '.join(allowed)}")
        return node.value

    def flag(self, key: str, default: bool) -> bool:
        node = self.take(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            raise node.error(f"{key} is {shown(node)}; give true or false")
        return node.value

    def items(self, key: str) -> list[Node]:
        node = self.take(key)
        if node is None:
            return []
        if not isinstance(node.value, list):
            raise node.error(f"{key} is {shown(node)}; give a list")
        return node.value

    def end(self) -> None:
        for key, node in self.rest.items():
            raise node.error(f"{self.what} has the key {key!r}, which means nothing here; mend or remove it")


def shown(node: Node) -> str:
    if isinstance(node.value, dict | list):
        return "an object" if isinstance(node.value, dict) else "a list"
    text = repr(node.value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def number(node: Node, what: str, low: int, high: int) -> int:
    value = node.value
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            value = None
    if isinstance(value, bool) or not isinstance(value, int):
        raise node.error(f"{what} is {shown(node)}; give a whole number")
    if not low <= value <= high:
        raise node.error(f"{what} is {shown(node)}; give a number from {low} to {high:#x}")
    return value


def service_from(node: Node, signal_bit: int) -> Service:
    fields = Fields(node, "a service")
    name = fields.name("name")
    fields.what = f"the service {name}"
    sid = number(fields.need("sid"), "sid", 0, WORD - 1)
    version_node = fields.take("version")
    version = 1 if version_node is None else number(version_node, "version", 1, WORD - 1)
    stateless = not fields.flag("connection_based", True)
    handle = fields.take("stateless_handle")
    if stateless and version >= STATELESS_VERSION_LIMIT:
        raise (version_node or node).error(f"version {version} does not fit a stateless handle; stay below {STATELESS_VERSION_LIMIT}")
    if handle is not None and not stateless:
        raise handle.error("stateless_handle is of no use to a service with connections; remove it, or set connection_based to false")
    service = Service(
        name=name,
        sid=sid,
        version=version,
        strict=fields.choice("version_policy", ("STRICT", "RELAXED"), "STRICT") == "STRICT",
        non_secure_clients=fields.flag("non_secure_clients", False),
        stateless=stateless,
        wanted_handle=None if handle is None or handle.value == "auto" else number(handle, "stateless_handle", 1, 32),
        signal_bit=signal_bit,
        mm_iovec=fields.choice("mm_iovec", ("enable", "disable"), "disable") == "enable",
        where=node.where,
    )
    fields.end()
    return service


def irq_from(node: Node, signal_bit: int, platform: Platform, is_first_version: bool) -> Irq:
    """In version 1.0 an interrupt's signal has its whole name in the manifest; from 1.1 on it is named after the interrupt."""
    fields = Fields(node, "an irq")
    source = fields.need("source")
    if isinstance(source.value, str) and NAME.fullmatch(source.value):
        if source.value not in platform.irqs:
            raise source.error(f"the platform has no interrupt {source.value}; give a number, or name it in a platform file")
        line = platform.irqs[source.value]
    else:
        line = number(source, "source", 0, platform.line_count - 1)
    if is_first_version:
        signal = fields.name("signal")
        irq = Irq(signal.removesuffix("_SIGNAL"), signal, line, False, signal_bit, node.where)
    else:
        name = fields.name("name")
        handling = fields.choice("handling", ("FLIH", "SLIH"))
        irq = Irq(name, f"{name}_SIGNAL", line, handling == "FLIH", signal_bit, node.where)
    fields.end()
    return irq


def region_from(node: Node, platform: Platform) -> Region:
    fields = Fields(node, "an mmio region")
    read_only = fields.choice("permission", ("READ-ONLY", "READ-WRITE")) == "READ-ONLY"
    base_node, size_node = fields.take("base"), fields.take("size")
    if base_node is None or size_node is None:
        name = fields.name("name")
        if base_node is not None or size_node is not None:
            raise node.error(f"the mmio region {name} needs both base and size, or neither where the platform knows the name")
        if name not in platform.regions:
            raise node.error(f"the platform has no device {name}; give base and size, or name it in a platform file")
        base, size = platform.regions[name]
    else:
        fields.take("name")
        base, size = number(base_node, "base", 0, WORD - 1), number(size_node, "size", 1, WORD - 1)
    fields.end()
    region = Region(base, size, read_only, node.where)
    if base % 32 or size % 32 or region.end > WORD:
        raise node.error(f"the mmio region {base:#x} of {size:#x} bytes does not begin and end at a multiple of 32 in 32 bits of address")
    return region


def memory(fields: Fields, key: str, least: int, default: int | None = None) -> int:
    node = fields.need(key) if default is None else fields.take(key)
    if node is None:
        assert default is not None
        return default
    return number(node, key, least, MEMORY_LIMIT) + 31 & ~31


def framework_version(fields: Fields) -> str:
    node = fields.need("psa_framework_version")
    if isinstance(node.value, bool) or str(node.value) not in ("1.0", "1.1"):
        raise node.error(f"psa_framework_version is {shown(node)}; give 1.0 or 1.1")
    return str(node.value)


def names(fields: Fields, key: str) -> list[tuple[str, str]]:
    found = []
    for node in fields.items(key):
        if not isinstance(node.value, str) or not NAME.fullmatch(node.value):
            raise node.error(f"{key} holds {shown(node)}; give names of services")
        found.append((node.value, node.where))
    return found


def partition_from(root: Node, index: int, platform: Platform) -> Partition:
    fields = Fields(root, "a manifest")
    is_first_version = framework_version(fields) == "1.0"
    name = fields.name("name").lower()
    fields.what = f"the partition {name}"
    trusted = fields.choice("type", ("PSA-ROT", "APPLICATION-ROT")) == "PSA-ROT"
    priority = PRIORITIES.index(fields.choice("priority", PRIORITIES))
    ipc = is_first_version or fields.choice("model", ("IPC", "SFN"), "IPC") == "IPC"
    if ipc:
        entry: str | None = fields.name("entry_point")
    else:
        entry = fields.name("entry_init") if "entry_init" in fields.rest else None
    services = [service_from(item, FIRST_SIGNAL_BIT + i) for i, item in enumerate(fields.items("services"))]
    first_irq = FIRST_SIGNAL_BIT + len(services)
    irqs = [irq_from(item, first_irq + i, platform, is_first_version) for i, item in enumerate(fields.items("irqs"))]
    if first_irq + len(irqs) > 32:
        raise root.error(f"{len(services)} services and {len(irqs)} irqs do not fit the {32 - FIRST_SIGNAL_BIT} signals of a partition")
    if not services and not irqs and not ipc:
        raise root.error("an SFN partition without a service and without an irq never runs; give it one")
    partition = Partition(
        name=name,
        header=Path(root.file).stem,
        where=root.where,
        id=FIRST_PARTITION_ID + index,
        trusted=trusted,
        priority=priority,
        ipc=ipc,
        entry=entry,
        stack_bytes=memory(fields, "stack_size", STACK_LEAST),
        heap_bytes=memory(fields, "heap_size", 0, 0),
        services=services,
        irqs=irqs,
        dependencies=names(fields, "dependencies"),
        weak_dependencies=names(fields, "weak_dependencies"),
        regions=[region_from(item, platform) for item in fields.items("mmio_regions")],
    )
    fields.end()
    return partition


def read_partition(path: Path, index: int, platform: Platform) -> Partition:
    return partition_from(load(path), index, platform)


def read_platform(paths: list[Path]) -> Platform:
    """Platform files, the later ones adding to the earlier: interrupts, ram, and the names of irqs and mmio_regions."""
    regions: dict[str, tuple[int, int]] = {}
    irqs: dict[str, int] = {}
    line_count, ram = Platform.line_count, Platform.ram
    for path in paths:
        fields = Fields(load(path), "a platform file")
        interrupts = fields.take("interrupts")
        line_count = line_count if interrupts is None else number(interrupts, "interrupts", 1, 480)
        given_ram = fields.take("ram")
        if given_ram is not None:
            base, size = span(given_ram, "ram")
            ram = range(base, base + size)
        given_irqs, given_regions = fields.take("irqs"), fields.take("mmio_regions")
        for name, node in (Fields(given_irqs, "irqs").rest if given_irqs else {}).items():
            irqs[name] = number(node, name, 0, line_count - 1)
        for name, node in (Fields(given_regions, "mmio_regions").rest if given_regions else {}).items():
            regions[name] = span(node, name)
        fields.end()
    return Platform(regions, irqs, line_count, ram)


def span(node: Node, what: str) -> tuple[int, int]:
    fields = Fields(node, what)
    found = (number(fields.need("base"), "base", 0, WORD - 1), number(fields.need("size"), "size", 1, WORD - 1))
    fields.end()
    return found
