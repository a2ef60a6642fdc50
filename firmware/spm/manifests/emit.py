# SPDX-License-Identifier: BSD-3-Clause
"""C and linker text from a checked set of manifests."""

from collections.abc import Mapping

from model import Irq, Partition, Region, Service, System

MADE = "/* Made from the partition manifests; do not edit. */\n"


def guarded(name: str, lines: list[str]) -> str:
    return "\n".join([MADE + f"#ifndef {name}", f"#define {name}", "", *lines, "", "#endif", ""])


def signal(bit: int) -> str:
    return f"{1 << bit:#010x}U"


def function_of(service: Service) -> str:
    return f"{service.name.lower()}_sfn"


def handler_of(irq: Irq) -> str:
    return f"{irq.name.lower()}_flih"


def prototypes(partition: Partition) -> list[str]:
    lines = []
    if partition.entry is not None:
        lines.append(f"void {partition.entry}(void);" if partition.ipc else f"psa_status_t {partition.entry}(void);")
    if not partition.ipc:
        lines += [f"psa_status_t {function_of(service)}(psa_msg_t *msg);" for service in partition.services]
    return lines + [f"psa_flih_result_t {handler_of(irq)}(void);" for irq in partition.irqs if irq.first_level]


def partition_header(partition: Partition) -> str:
    lines = ['#include "psa/service.h"', ""]
    lines += [f"#define {service.name}_SIGNAL {signal(service.signal_bit)}" for service in partition.services]
    if partition.heap_bytes:
        lines.append(f"#define {partition.name.upper()}_HEAP_BYTES {partition.heap_bytes}U")
        lines.append(f"extern uint8_t {partition.name}_heap[];")
    lines += [f"#define {irq.signal} {signal(irq.signal_bit)}" for irq in partition.irqs]
    return guarded(f"PSA_MANIFEST_{partition.name.upper()}_H", [*lines, "", *prototypes(partition)])


def sid_header(system: System) -> str:
    lines = []
    for service in system.services:
        lines += [f"#define {service.name}_SID {service.sid:#010x}U", f"#define {service.name}_VERSION {service.version}U"]
        if service.stateless:
            lines.append(f"#define {service.name}_HANDLE {service.handle:#010x}")
    return guarded("PSA_MANIFEST_SID_H", lines)


def pid_header(system: System) -> str:
    """FF-M asks for the plain names; with _PID they can be told from other macros."""
    names = [(f"{partition.name.upper()}{suffix}", partition.id) for partition in system.partitions for suffix in ("", "_PID")]
    return guarded("PSA_MANIFEST_PID_H", [f"#define {name} {number}" for name, number in names])


def feature_header(system: System) -> str:
    """Above level 1 no partition reaches a client's memory, so none can be mapped."""
    lines = [f"#define PSA_FRAMEWORK_ISOLATION_LEVEL {system.level}", f"#define PSA_FRAMEWORK_HAS_MM_IOVEC {int(system.level == 1)}"]
    return guarded("PSA_FRAMEWORK_FEATURE_H", lines)


def partition_memory(partition: Partition, system: System) -> str:
    """Stacks and, for an SFN partition that runs as a thread, the loop: they lie in the partition's own memory."""
    lines = [MADE + f'#include "psa_manifest/{partition.header}.h"', '#include "sfn_loop.h"', ""]
    if system.backend == "ipc":
        lines.append(f"uint8_t {partition.name}_stack[{partition.stack_bytes}] __attribute__((aligned(32)));")
    if partition.heap_bytes:
        lines.append(f"uint8_t {partition.name}_heap[{partition.heap_bytes}] __attribute__((aligned(32)));")
    if any(irq.first_level for irq in partition.irqs):
        lines.append(f"uint8_t {partition.name}_flih_stack[512] __attribute__((aligned(32)));")
    if system.backend == "ipc" and not partition.ipc:
        lines += ["", f"void {partition.name}_thread(void);", f"void {partition.name}_thread(void)", "{"]
        lines.append("    static const struct sfn_service services[] = {")
        lines += [f"        {{ {service.name}_SIGNAL, {function_of(service)} }}," for service in partition.services]
        lines += ["    };", "", f"    sfn_loop({partition.entry or '0'}, services, sizeof(services) / sizeof(services[0]));", "}"]
    return "\n".join([*lines, ""])


def stack_symbols(partition: Partition) -> list[str]:
    return [f"extern uint8_t {partition.name}_stack[], {partition.name}_flih_stack[], {partition.name}_start[], {partition.name}_end[];"]


def data_bounds(partition: Partition, system: System) -> tuple[str, str]:
    if system.level == 3:
        return f"{partition.name}_start", f"{partition.name}_end"
    return ("psa_rot_start" if partition.trusted else "app_rot_start"), "app_rot_end"


def device(region: Region) -> str:
    return f"SPM_ARCH_DEVICE{'_RO' if region.read_only else ''}({region.base:#x}U, {region.size:#x}U)"


def table(name: str, entries: list[str]) -> list[str]:
    joined = ",\n    ".join(entries)
    return [f"static const struct spm_arch_region {name}[] = {{\n    {joined},\n}};"]


def region_table(partition: Partition, system: System) -> list[str]:
    """What an unprivileged partition's threads see: four regions, or five."""
    start, end = data_bounds(partition, system)
    entries = [f"SPM_ARCH_MEMORY({start}, {end})", *map(device, partition.mapped)]
    entries += ["SPM_ARCH_NO_REGION"] * (4 - len(entries))
    return table(f"{partition.name}_regions", entries)


def memory_named(partition: Partition, system: System) -> list[str]:
    """What a privileged partition may name. Without threads all run on the stack of the NS agent."""
    entries = [f"SPM_ARCH_MEMORY({partition.name}_start, {partition.name}_end)"]
    if system.backend == "sfn":
        entries.append("SPM_ARCH_MEMORY(ns_agent_stack_limit, ns_agent_stack_top)")
    entries += ["SPM_ARCH_CONSTANTS(partition_code_start, partition_code_end)", *map(device, partition.mapped)]
    return table(f"{partition.name}_memory", entries)


def info_entry(partition: Partition, system: System) -> list[str]:
    name = partition.name
    services = sum(1 << service.signal_bit for service in partition.services)
    irqs = sum(1 << irq.signal_bit for irq in partition.irqs)
    lines = [f"static const struct spm_partition_info {name}_info = {{", f'    .name = "{name}",']
    lines.append(f"    .service_signals = {services:#x}U, .irq_signals = {irqs:#x}U,")
    lines.append(f"    .dependencies = {system.dependency_mask(partition):#x}U, .ipc = {str(partition.ipc).lower()},")
    if system.backend == "ipc":
        entry = partition.entry if partition.ipc else f"{name}_thread"
        lines.append(f"    .entry = {entry},")
        lines.append(f"    .stack_limit = (uintptr_t){name}_stack, .stack_top = (uintptr_t){name}_stack + {partition.stack_bytes}U,")
    elif partition.entry is not None:
        lines.append(f"    .initialise = {partition.entry},")
    if any(irq.first_level for irq in partition.irqs):
        lines.append(f"    .flih_stack_limit = (uintptr_t){name}_flih_stack, .flih_stack_top = (uintptr_t){name}_flih_stack + 512U,")
    array = f"{name}_regions" if system.level > 1 else f"{name}_memory"
    kind, count = ("regions", "region_count") if system.level > 1 else ("memory", "memory_count")
    lines.append(f"    .{kind} = {array}, .{count} = sizeof({array}) / sizeof({array}[0]),")
    return [*lines, "};", f"static struct spm_partition {name} = {{ .info = &{name}_info, .id = {partition.id} }};", ""]


def service_entry(service: Service, system: System) -> str:
    owner = system.owner(service)
    function = function_of(service) if system.backend == "sfn" else "NULL"
    flags = f".strict = {str(service.strict).lower()}, .stateless = {str(service.stateless).lower()}"
    flags += f", .non_secure_clients = {str(service.non_secure_clients).lower()}, .mm_iovec = {str(service.mm_iovec).lower()}"
    numbers = (
        f".sid = {service.sid:#010x}U, .version = {service.version}U, .signal = {signal(service.signal_bit)}, .index = {service.index}"
    )
    return f"    {{ {numbers}, {flags}, .owner = &{owner.name}, .function = {function} }},"


def tables(system: System) -> str:
    lines = [MADE + '#include "memory_sections.h"', '#include "spm.h"', ""]
    for partition in system.partitions:
        lines += prototypes(partition) + stack_symbols(partition)
        if system.backend == "ipc" and not partition.ipc:
            lines.append(f"void {partition.name}_thread(void);")
    lines += ["extern uint8_t psa_rot_start[], app_rot_start[], app_rot_end[];"]
    lines += ["extern uint32_t partition_code_start[], partition_code_end[], ns_agent_stack_limit[], ns_agent_stack_top[];", ""]
    for partition in system.partitions:
        lines += (region_table if system.level > 1 else memory_named)(partition, system) + info_entry(partition, system)
    lines += device_table(system)
    idle = ", &spm_idle" if system.backend == "ipc" else ""
    lines += ["struct spm_partition *const spm_partitions[] = {"]
    lines += [f"    &{partition.name}," for partition in system.partitions] + [f"    &spm_ns_agent{idle},", "};"]
    lines += ["const uint32_t spm_partition_count = sizeof(spm_partitions) / sizeof(spm_partitions[0]);", ""]
    lines += ["const struct spm_service spm_services[] = {", *(service_entry(service, system) for service in system.services), "};"]
    lines += [f"const uint32_t spm_service_count = {len(system.services)}U;", ""]
    lines += ["const struct spm_service *const spm_stateless[SPM_STATELESS_HANDLES] = {"]
    stateless = [service for service in system.services if service.stateless]
    lines += [f"    [{service.handle_index}] = &spm_services[{service.index}]," for service in stateless] + ["};", ""]
    lines += ["const struct spm_irq spm_irqs[] = {"]
    irqs = [(partition, irq) for partition in system.partitions for irq in partition.irqs]
    for partition, irq in irqs:
        handler = handler_of(irq) if irq.first_level else "NULL"
        owner = f".owner = &{partition.name}, .first_level = {handler}"
        lines.append(f"    {{ .line = {irq.line}U, .signal = {signal(irq.signal_bit)}, {owner} }},")
    lines += ["    { .line = 0xFFFFFFFFU },", "};", f"const uint32_t spm_irq_count = {len(irqs)}U;", ""]
    return "\n".join(lines + memory_table(system))


def device_table(system: System) -> list[str]:
    """At level 1 all devices that any manifest names are in the MPU for good."""
    entries = [device(region) for region in system.devices] if system.level == 1 else []
    lines = ["const struct spm_arch_region spm_device_regions[] = {"]
    lines += [f"    {entry}," for entry in [*entries, "SPM_ARCH_NO_REGION"]]
    return [*lines, "};", f"const uint32_t spm_device_region_count = {len(entries)}U;", ""]


def memory_table(system: System) -> list[str]:
    names = [partition.name for partition in system.partitions]
    lines = [f"extern uint32_t {name}_load[], {name}_words[], {name}_bss[], {name}_words_end[];" for name in names]
    lines.append("const struct memory_section partition_memory[] = {")
    lines += [f"    {{ {name}_load, {name}_words, {name}_bss, {name}_words_end }}," for name in names]
    return [*lines, "};", f"const uint32_t partition_memory_count = {len(names)}U;", ""]


def linker_fragment(system: System, archives: Mapping[str, str]) -> str:
    """Memory of the partitions: PSA RoT first, so that one region holds what each domain may use at level 2."""
    lines = []
    for trusted, symbol in ((True, "psa_rot_start"), (False, "app_rot_start")):
        lines.append(f"    . = ALIGN(32);\n    {symbol} = .;")
        for partition in (item for item in system.partitions if item.trusted is trusted):
            lines += partition_sections(partition.name, archives.get(partition.name))
    return "\n".join([*lines, "    app_rot_end = .;", ""])


def partition_sections(name: str, given: str | None) -> list[str]:
    """`given` is an archive that was built elsewhere; what is generated for the partition comes in one of its own."""
    archives = [f"*libpartition_{name}.a:*", *([f"*{given}:*"] if given else [])]

    def placed(sections: str) -> str:
        return " ".join(f"{archive}({sections})" for archive in archives)

    data, bss = placed(".data .data.*"), placed(".bss .bss.* COMMON")
    return [
        f"    .{name}_data : ALIGN(32)",
        f"    {{ {name}_start = .; {name}_words = .; {data} . = ALIGN(4); {name}_bss = .; }} > RAM AT > LOAD",
        f"    {name}_load = LOADADDR(.{name}_data);",
        f"    .{name}_bss (NOLOAD) :",
        f"    {{ {bss} . = ALIGN(32); {name}_end = .; {name}_words_end = .; }} > RAM",
    ]
