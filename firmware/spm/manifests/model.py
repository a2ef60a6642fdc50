# SPDX-License-Identifier: BSD-3-Clause
"""What a set of partition manifests means: plain data, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from source import ManifestError

FIRST_SIGNAL_BIT = 4  # bits 0 to 3 belong to the framework; bit 3 is the doorbell
FIRST_PARTITION_ID = 256
STATELESS_HANDLES = 32
STATELESS_VERSION_LIMIT = 1 << 14
SERVICE_LIMIT = 32
PARTITION_LIMIT = 30  # the NS agent and the idle thread have a rank too
REGION_LIMIT = 4  # the MPU has five regions that change with the partition, one of them its data
PRIORITIES = ("HIGH", "NORMAL", "LOW")


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
    mm_iovec: bool
    where: str
    index: int = 0
    handle_index: int = 0

    @property
    def handle(self) -> int:
        return 1 << 30 | self.version << 8 | self.handle_index


@dataclass
class Irq:
    name: str
    signal: str
    line: int
    first_level: bool
    signal_bit: int
    where: str


@dataclass
class Region:
    base: int
    size: int
    read_only: bool
    where: str

    @property
    def end(self) -> int:
        return self.base + self.size


@dataclass
class Partition:
    name: str
    header: str
    where: str
    id: int
    trusted: bool
    priority: int
    ipc: bool
    entry: str | None
    stack_bytes: int
    heap_bytes: int
    services: list[Service]
    irqs: list[Irq]
    dependencies: list[tuple[str, str]]  # name and where
    weak_dependencies: list[tuple[str, str]]
    regions: list[Region]

    @property
    def mapped(self) -> list[Region]:
        """The regions as the MPU has them: neighbours with the same rights are one."""
        joined: list[Region] = []
        for region in sorted(self.regions, key=lambda item: item.base):
            if joined and joined[-1].end == region.base and joined[-1].read_only == region.read_only:
                joined[-1] = Region(joined[-1].base, joined[-1].size + region.size, region.read_only, joined[-1].where)
            else:
                joined.append(region)
        return joined


@dataclass
class System:
    partitions: list[Partition]  # most urgent first
    backend: str
    level: int
    services: list[Service]
    ram: range = range(0)

    @staticmethod
    def of(partitions: list[Partition], backend: str, level: int, ram: range = range(0)) -> System:
        ordered = sorted(partitions, key=lambda partition: partition.priority)
        services = [service for partition in ordered for service in partition.services]
        system = System(ordered, backend, level, services, ram)
        if len(services) > SERVICE_LIMIT:
            raise ManifestError(f"{services[SERVICE_LIMIT].where}: {len(services)} services in all; the limit is {SERVICE_LIMIT}")
        if len(partitions) > PARTITION_LIMIT:
            raise ManifestError(f"{partitions[PARTITION_LIMIT].where}: {len(partitions)} partitions; the limit is {PARTITION_LIMIT}")
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
        for region in (region for partition in self.partitions for region in partition.mapped):
            key = (region.base, region.size)
            found[key] = Region(*key, region.read_only and (key not in found or found[key].read_only), region.where)
        return list(found.values())

    def owner(self, service: Service) -> Partition:
        return next(partition for partition in self.partitions if service in partition.services)

    def dependency_mask(self, partition: Partition) -> int:
        names = {name for name, _ in [*partition.dependencies, *partition.weak_dependencies]}
        return sum(1 << service.index for service in self.services if service.name in names)


def check_unique(what: str, values: Sequence[tuple[object, str]]) -> None:
    seen: dict[object, str] = {}
    for value, where in values:
        if value in seen:
            raise ManifestError(f"{where}: the {what} {value} stands at {seen[value]} already; give each its own")
        seen[value] = where


def check_names(system: System) -> None:
    irqs = [irq for partition in system.partitions for irq in partition.irqs]
    check_unique("partition name", [(partition.name, partition.where) for partition in system.partitions])
    check_unique("header", [(f"psa_manifest/{partition.header}.h", partition.where) for partition in system.partitions])
    for partition in system.partitions:
        if partition.header in ("sid", "pid"):
            raise ManifestError(f"{partition.where}: psa_manifest/{partition.header}.h belongs to all partitions; name the file otherwise")
    check_unique("service name", [(service.name, service.where) for service in system.services])
    check_unique("sid", [(f"{service.sid:#010x}", service.where) for service in system.services])
    check_unique("interrupt line", [(irq.line, irq.where) for irq in irqs])
    signals = [(f"{service.name}_SIGNAL", service.where) for service in system.services]
    check_unique("signal", signals + [(irq.signal, irq.where) for irq in irqs])


def assign_handles(services: list[Service]) -> None:
    stateless = [service for service in services if service.stateless]
    check_unique("stateless_handle", [(service.wanted_handle, service.where) for service in stateless if service.wanted_handle])
    taken = {service.wanted_handle - 1 for service in stateless if service.wanted_handle is not None}
    free = iter(index for index in range(STATELESS_HANDLES) if index not in taken)
    for service in stateless:
        service.handle_index = next(free) if service.wanted_handle is None else service.wanted_handle - 1


def check_partition(partition: Partition, system: System) -> None:
    for service in partition.services:
        if service.mm_iovec and system.level != 1:
            raise ManifestError(
                f"{service.where}: {service.name} enables mm_iovec, which level {system.level} forbids; disable it or stay at level 1"
            )
    if system.backend == "sfn" and (partition.ipc or system.level != 1):
        raise ManifestError(f"{partition.where}: the SFN backend runs SFN partitions at level 1 only")
    if len(partition.mapped) > REGION_LIMIT:
        raise ManifestError(f"{partition.where}: {len(partition.mapped)} separate mmio regions; the limit is {REGION_LIMIT}")
    for before, region in pairwise(sorted(partition.regions, key=lambda item: item.base)):
        if region.base < before.end:
            raise ManifestError(f"{region.where}: the mmio region overlaps that of {before.where}")
    for name, where in partition.dependencies:
        if system.service(name) is None:
            raise ManifestError(f"{where}: depends on {name}, which no manifest has")


def check_order(system: System) -> None:
    """A circle of dependencies would wait for itself."""
    done: set[str] = set()
    open_: list[str] = []

    def visit(partition: Partition, where: str) -> None:
        if partition.name in open_:
            raise ManifestError(f"{where}: dependencies make a circle: {' -> '.join([*open_, partition.name])}")
        if partition.name in done:
            return
        open_.append(partition.name)
        for name, place in [*partition.dependencies, *partition.weak_dependencies]:
            service = system.service(name)
            if service is not None:
                visit(system.owner(service), place)
        open_.pop()
        done.add(partition.name)

    for partition in system.partitions:
        visit(partition, partition.where)


def check_devices(system: System) -> None:
    """At level 1 the MPU has four regions left for the devices of all partitions; RAM it holds anyway."""
    devices = sorted(system.devices, key=lambda item: item.base)
    outside = [region for region in devices if region.base not in system.ram]
    if system.level == 1 and len(outside) > REGION_LIMIT:
        raise ManifestError(f"{outside[REGION_LIMIT].where}: {len(outside)} mmio regions in all; at level 1 the limit is {REGION_LIMIT}")
    for before, region in pairwise(devices):
        if region.base < before.end and system.level == 1:
            raise ManifestError(f"{region.where}: the mmio region overlaps that of {before.where} in part; at level 1 name the same bounds")
