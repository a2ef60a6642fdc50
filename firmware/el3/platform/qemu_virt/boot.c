/* SPDX-License-Identifier: BSD-3-Clause */
/* From cold boot to the normal world, and the tables that say what this machine is. */
#include "arch.h"
#include "arch_el3.h"
#include "console.h"
#include "gic.h"
#include "qemu_virt.h"
#include "sysregs.h"

#define PAYLOAD_ENTRY 0x60000000ULL
#define SUSPEND_CORE 0x00010002U
#define SUSPEND_SYSTEM 0x02012222U

/* JEP-106 bank 4, code 0x3B (Arm), as the SMCCC asks for; the machine is no product and its number means nothing. */
#define SOC_VERSION 0x043B0000U

extern char __text_start[], __text_end[], __const_start[], __const_end[], __bss_end[], __ram_end[];

struct percpu percpus[BUILT_CORES];

/* Zero until the boot core has set everything up; then the number of cores. The others wait for it in flash. */
struct arch_shared platform_is_up;

const uintptr_t platform_gicd = GICD_BASE;
const uintptr_t platform_gicc = GICC_BASE;
const uintptr_t platform_gicr = GICR_BASE;

/* Later ranges overwrite earlier ones. */
const struct arch_map platform_map[] = {
    { DEVICES_BASE, DEVICES_END, ARCH_MAP_DEVICE },
    { SECURE_RAM_BASE, (uintptr_t)__ram_end, ARCH_MAP_DATA },
    { (uintptr_t)__text_start, (uintptr_t)__text_end, ARCH_MAP_CODE },
    { (uintptr_t)__const_start, (uintptr_t)__const_end, ARCH_MAP_CONST },
};
const unsigned platform_map_ranges = sizeof(platform_map) / sizeof(platform_map[0]);

/* Outside .bss: it outlives a reset, which leaves RAM as it is. */
static uint64_t mem_protect_word __attribute__((section(".noinit")));
#define MEM_PROTECT_ON 0x4D454D50524F5443ULL

static uint64_t dram_bytes;

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    return address >= DRAM_BASE && bytes <= dram_bytes && address - DRAM_BASE <= dram_bytes - bytes;
}

static bool mem_protect(bool enable)
{
    bool was_enabled = mem_protect_word == MEM_PROTECT_ON;

    mem_protect_word = enable ? MEM_PROTECT_ON : 0;
    return was_enabled;
}

/* What QEMU loaded comes back by itself at a reset; so the memory can be overwritten on the way down. */
static void __attribute__((noreturn)) system_reset(void)
{
    uint64_t wiped_bytes = mem_protect_word == MEM_PROTECT_ON ? dram_bytes : 0;

    arch_shared_store(&platform_is_up, 0);
    arch_cache_power_down(1);
    qemu_virt_wipe(DRAM_BASE, wiped_bytes);
    qemu_virt_reset();
}

static struct psci_platform psci_platform = {
    .default_suspend_state = SUSPEND_CORE,
    .system_suspend_state = SUSPEND_SYSTEM,
    .core_of_mpidr = qemu_virt_core_of_mpidr,
    .is_ns_memory = is_ns_memory,
    .system_off = qemu_virt_power_off,
    .system_reset = system_reset,
    .mem_protect = mem_protect,
};

static const struct trace_ring *ring_of(unsigned core)
{
    return &percpus[core].ring;
}

static void monitor_init(void)
{
    monitor = (struct monitor_platform){
        .soc_version = SOC_VERSION,
        .soc_revision = 0,
        .trng_uuid = { 0x6C61746C, 0x61625F6E, 0x6F745F73, 0x65637572 },
        .random = qemu_virt_random,
        .build = LATLAB_BUILD,
        .cores = psci_platform.topology->cores,
        .location = qemu_virt_location,
        .core_of_mpidr = qemu_virt_core_of_mpidr,
        .ring = ring_of,
        .capture_mticks = trace_calibrate_mticks(),
    };
}

static void check_core_count(unsigned cores)
{
    unsigned present = qemu_virt_core_count();

    if (present != cores) {
        platform_panic("this build is for another number of cores (built for, machine has)", cores, present, 0);
    }
}

static void say_hello(void)
{
    console_text("latlab EL3 firmware: " LATLAB_BUILD ", GICv");
    console_number(arch_has_gicv3() ? 3 : 2);
    console_text(", capture costs ");
    console_number(monitor.capture_mticks);
    console_text(" thousandths of a tick\nTRNG: a seeded generator, not secure\n");
}

static void init_core(void)
{
    SYSREG_WRITE("cntfrq_el0", COUNTER_HZ);
}

/* Before the normal world runs, which may ask for the ring of a core that has not run yet. */
static void init_percpus(void)
{
    for (unsigned core = 0; core < BUILT_CORES; core++) {
        percpus[core].core_index = core;
        trace_init(&percpus[core].ring);
    }
}

/* What never changes from here on is also read by cores whose caches are off. docs/locking.md, What runs at the same time. */
static void clean_to_memory(void)
{
    for (const char *line = __const_end; line < __bss_end; line += ARCH_CACHE_LINE) {
        arch_clean_invalidate(line);
    }
}

void platform_boot_core(void) __attribute__((noreturn));
void platform_secondary_core(unsigned core) __attribute__((noreturn));

void platform_boot_core(void)
{
    const struct psci_entry payload = { .address = PAYLOAD_ENTRY, .context_id = DRAM_BASE };

    init_core();
    init_percpus();
    console_init();
    dram_bytes = qemu_virt_dram_bytes();
    if (!is_ns_memory(PAYLOAD_ENTRY, 1)) {
        platform_panic("no memory at the payload's entry; give the machine 1 GiB (entry, memory has)", PAYLOAD_ENTRY, dram_bytes, 0);
    }
    psci_platform.topology = qemu_virt_topology();
    check_core_count(psci_platform.topology->cores);
    qemu_virt_power_init(&psci_platform);
    psci_init(&psci_platform, 0);
    monitor_init();
    say_hello();
    clean_to_memory();
    arch_shared_store(&platform_is_up, psci_platform.topology->cores);
    arch_event_send();
    arch_enter_ns(&payload);
}

void platform_secondary_core(unsigned core)
{
    init_core();
    qemu_virt_park(core);
}

void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    console_text("PANIC: ");
    console_text(what);
    console_text(": ");
    console_hex(a);
    console_text(", ");
    console_hex(b);
    console_text(", ");
    console_hex(c);
    console_text("\n");
    qemu_virt_power_off();
}

void arch_unexpected_exception(uint64_t esr, uint64_t elr, uint64_t far) __attribute__((noreturn));

void arch_unexpected_exception(uint64_t esr, uint64_t elr, uint64_t far)
{
    platform_panic("exception at EL3 (ESR, ELR, FAR)", esr, elr, far);
}
