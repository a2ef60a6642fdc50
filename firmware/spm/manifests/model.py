# SPDX-License-Identifier: BSD-3-Clause
"""What a set of partition manifests means: plain data, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

FIRST_SIGNAL_BIT = 4  # bits 0 to 3 belong to the framework; bit 3 is the doorbell
FIRST_PARTITION_ID = 256
STATELESS_HANDLES = 32
STATELESS_VERSION_LIMIT = 1 << 14
SERVICE_LIMIT = 32
REGION_LIMIT = 4  # the MPU has five regions that change with the partition, one of them its data
PRIORITIES = ("HIGH", "NORMAL", "LOW")


class ManifestError(Exception):
    pass


@dataclass
class Service:
    name: str
    sid: int
    version: int
    strict: bool
    non_secure_clients: bool
    stateless: bool
    wanted_handle: int | None
    signal_bit: int
    index: int = 0
    handle_index: int = 0

    @property
    def handle(self) -> int:
        return 1 << 30 | self.version << 8 | self.handle_index


@dataclass
class Irq:
    name: str
    line: int
    first_level: bool
    signal_bit: int


@dataclass
class Region:
    base: int
    size: int
    read_only: bool = False

    @property
    def end(self) -> int:
        return self.base + self.size


@dataclass
class Partition:
    name: str
    source: str
    id: int
    trusted: bool
    priority: int
    ipc: bool
    entry: str | None
    stack_bytes: int
    services: list[Service]
    irqs: list[Irq]
    dependencies: list[str]
    regions: list[Region] = field(default_factory=list)


def integer(value: object, what: str) -> int:
    try:
        return int(value, 0) if isinstance(value, str) else int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ManifestError(f"{what} is {value!r}; give a number") from None


def one_of(value: object, allowed: tuple[str, ...], what: str) -> str:
    if value not in allowed:
        raise ManifestError(f"{what} is {value!r}; give one of {', '.join(allowed)}")
    return str(value)


def service_from(data: dict[str, Any], source: str, signal_bit: int) -> Service:
    where = f"{source}: service {data.get('name')}"
    stateless = not data.get("connection_based", True)
    handle = data.get("stateless_handle", "auto")
    version = integer(data.get("version", 1), f"{where}: version")
    if stateless and version >= STATELESS_VERSION_LIMIT:
        raise ManifestError(f"{where}: version {version} does not fit a stateless handle; stay below {STATELESS_VERSION_LIMIT}")
    return Service(
        name=data["name"],
        sid=integer(data["sid"], f"{where}: sid"),
        version=version,
        strict=one_of(data.get("version_policy", "STRICT"), ("STRICT", "RELAXED"), f"{where}: version_policy") == "STRICT",
        non_secure_clients=bool(data.get("non_secure_clients", False)),
        stateless=stateless,
        wanted_handle=None if handle == "auto" else integer(handle, f"{where}: stateless_handle"),
        signal_bit=signal_bit,
    )


def irq_from(data: dict[str, Any], source: str, signal_bit: int) -> Irq:
    where = f"{source}: irq {data.get('name')}"
    handling = one_of(data.get("handling", "SLIH"), ("FLIH", "SLIH"), f"{where}: handling")
    return Irq(data["name"], integer(data["source"], f"{where}: source"), handling == "FLIH", signal_bit)


def region_from(data: dict[str, Any], source: str) -> Region:
    permission = one_of(data.get("permission"), ("READ-ONLY", "READ-WRITE"), f"{source}: mmio permission")
    region = Region(integer(data["base"], f"{source}: mmio base"), integer(data["size"], f"{source}: mmio size"), permission == "READ-ONLY")
    if region.base % 32 or region.size % 32 or not region.size:
        raise ManifestError(f"{source}: mmio region {region.base:#x} of {region.size:#x} bytes is not in steps of 32 bytes")
    return region


def partition_from(data: dict[str, Any], source: str, index: int) -> Partition:
    for key in ("name", "type", "priority", "stack_size"):
        if key not in data:
            raise ManifestError(f"{source}: the key {key} is missing")
    if str(data.get("psa_framework_version")) != "1.1":
        raise ManifestError(f"{source}: psa_framework_version is {data.get('psa_framework_version')!r}; give 1.1")
    ipc = one_of(data.get("model", "IPC"), ("IPC", "SFN"), f"{source}: model") == "IPC"
    services = [service_from(item, source, FIRST_SIGNAL_BIT + i) for i, item in enumerate(data.get("services", []))]
    first_irq_bit = FIRST_SIGNAL_BIT + len(services)
    irqs = [irq_from(item, source, first_irq_bit + i) for i, item in enumerate(data.get("irqs", []))]
    if first_irq_bit + len(irqs) > 32:
        raise ManifestError(f"{source}: {len(services)} services and {len(irqs)} irqs do not fit the {32 - FIRST_SIGNAL_BIT} signals")
    return Partition(
        name=data["name"].lower(),
        source=source,
        id=FIRST_PARTITION_ID + index,
        trusted=one_of(data["type"], ("PSA-ROT", "APPLICATION-ROT"), f"{source}: type") == "PSA-ROT",
        priority=PRIORITIES.index(one_of(data["priority"], PRIORITIES, f"{source}: priority")),
        ipc=ipc,
        entry=data.get("entry_point") if ipc else data.get("entry_init"),
        stack_bytes=integer(data["stack_size"], f"{source}: stack_size") + 31 & ~31,
        services=services,
        irqs=irqs,
        dependencies=data.get("dependencies", []),
        regions=[region_from(item, source) for item in data.get("mmio_regions", [])],
    )


@dataclass
class System:
    partitions: list[Partition]  # most urgent first
    backend: str
    level: int
    services: list[Service]

    @staticmethod
    def of(partitions: list[Partition], backend: str, level: int) -> "System":
        ordered = sorted(partitions, key=lambda partition: partition.priority)
        services = [service for partition in ordered for service in partition.services]
        system = System(ordered, backend, level, services)
        if len(services) > SERVICE_LIMIT:
            raise ManifestError(f"{len(services)} services; the limit is {SERVICE_LIMIT}")
        for index, service in enumerate(services):
            service.index = index
        check_names(system)
        assign_handles(services)
        for partition in ordered:
            check_partition(partition, system)
        check_order(system)
        check_devices(system)
        return system

    def service(self, name: str) -> Service | None:
        return next((service for service in self.services if service.name == name), None)

    @property
    def devices(self) -> list[Region]:
        """The regions of all partitions, each once; writable if anybody may write."""
        found: dict[tuple[int, int], Region] = {}
        for region in (region for partition in self.partitions for region in partition.regions):
            key = (region.base, region.size)
            found[key] = Region(*key, region.read_only and (key not in found or found[key].read_only))
        return list(found.values())

    def owner(self, service: Service) -> Partition:
        return next(partition for partition in self.partitions if service in partition.services)

    def dependency_mask(self, partition: Partition) -> int:
        return sum(1 << service.index for service in self.services if service.name in partition.dependencies)


def check_names(system: System) -> None:
    keys: dict[str, Sequence[object]] = {
        "partition name": [partition.name for partition in system.partitions],
        "service name": [service.name for service in system.services],
        "sid": [f"{service.sid:#010x}" for service in system.services],
        "interrupt line": [irq.line for partition in system.partitions for irq in partition.irqs],
    }
    for what, values in keys.items():
        for value in values:
            if values.count(value) > 1:
                raise ManifestError(f"the {what} {value} stands twice; give each its own")


def assign_handles(services: list[Service]) -> None:
    stateless = [service for service in services if service.stateless]
    taken = [service.wanted_handle - 1 for service in stateless if service.wanted_handle is not None]
    for index in taken:
        if not 0 <= index < STATELESS_HANDLES or taken.count(index) > 1:
            raise ManifestError(f"stateless_handle {index + 1} is outside 1 to {STATELESS_HANDLES} or stands twice")
    free = iter(index for index in range(STATELESS_HANDLES) if index not in taken)
    for service in stateless:
        try:
            service.handle_index = next(free) if service.wanted_handle is None else service.wanted_handle - 1
        except StopIteration:
            raise ManifestError(f"service {service.name}: all {STATELESS_HANDLES} stateless handles are taken") from None


def check_partition(partition: Partition, system: System) -> None:
    if system.backend == "sfn" and (partition.ipc or system.level != 1):
        raise ManifestError(f"{partition.source}: the SFN backend runs SFN partitions at level 1 only")
    if partition.ipc and partition.entry is None:
        raise ManifestError(f"{partition.source}: the key entry_point is missing")
    if len(partition.regions) > REGION_LIMIT:
        raise ManifestError(f"{partition.source}: {len(partition.regions)} mmio regions; the limit is {REGION_LIMIT}")
    for name in partition.dependencies:
        if system.service(name) is None:
            raise ManifestError(f"{partition.source}: depends on {name}, which no manifest has")


def check_order(system: System) -> None:
    """A circle of dependencies would wait for itself."""
    done: set[str] = set()
    open_: list[str] = []

    def visit(partition: Partition) -> None:
        if partition.name in open_:
            raise ManifestError(f"{partition.source}: dependencies make a circle: {' -> '.join([*open_, partition.name])}")
        if partition.name in done:
            return
        open_.append(partition.name)
        for name in partition.dependencies:
            service = system.service(name)
            assert service is not None
            visit(system.owner(service))
        open_.pop()
        done.add(partition.name)

    for partition in system.partitions:
        visit(partition)


def check_devices(system: System) -> None:
    if system.level == 1 and len(system.devices) > REGION_LIMIT:
        raise ManifestError(f"the partitions name {len(system.devices)} mmio regions; at level 1 the limit is {REGION_LIMIT} for all together")
