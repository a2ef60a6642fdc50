/* SPDX-License-Identifier: BSD-3-Clause */
/* From the armstub's first C call to the kernel, and the tables that say what this board is. */
#include "arch_el3.h"
#include "console.h"
#include "gic.h"
#include "monitor.h"
#include "parking.h"
#include "power_states.h"
#include "raspi4.h"
#include "start.h"
#include "sysregs.h"

/* JEP-106 bank 4, code 0x3F (Broadcom), as the SMCCC asks for, and the number of the chip. */
#define SOC_VERSION 0x043F2711U

extern char __text_start[], __text_end[], __const_start[], __const_end[];
extern const uint32_t armstub_tree, armstub_kernel; /* reset.S; the board's firmware writes them before we run */

/* Later ranges overwrite earlier ones. */
const struct arch_map platform_map[] = {
    { DEVICES_BASE, DEVICES_END, ARCH_MAP_DEVICE },
    { FIRMWARE_BASE, FIRMWARE_END, ARCH_MAP_DATA },
    { (uintptr_t)__text_start, (uintptr_t)__text_end, ARCH_MAP_CODE },
    { (uintptr_t)__const_start, (uintptr_t)__const_end, ARCH_MAP_CONST },
};
const unsigned platform_map_ranges = sizeof(platform_map) / sizeof(platform_map[0]);

uintptr_t platform_gicd = GICD_BASE;
uintptr_t platform_gicc = GICC_BASE;
uintptr_t platform_gicr;

/* Set once by the boot core, before any other core runs. */
static struct raspi4_memory memory;
static bool has_tree;
static uint32_t kernel_begins_with;
static const char *refusal; /* why the board cannot be used; NULL: it can */

/* One cluster, which stays on: the board has no power controller that a core could ask. */
static const uint16_t domain_of_core[MAX_CORES];
static const struct psci_domain_shape shapes[] = {
    { .level = (enum psci_level)1, .parent = PSCI_NO_DOMAIN, .cores = MAX_CORES },
};
static const struct psci_topology topology = {
    .cores = MAX_CORES,
    .domains = 1,
    .top_level = PSCI_LEVEL_CORE,
    .domain_of_core = domain_of_core,
    .shapes = shapes,
};

static int core_of_mpidr(uint64_t mpidr)
{
    return mpidr < MAX_CORES ? (int)mpidr : -1;
}

static uint64_t mpidr_of_core(unsigned core)
{
    return core;
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < memory.ranges; i++) {
        const struct tree_range *range = &memory.range[i];

        if (address >= range->base && bytes <= range->bytes && address - range->base <= range->bytes - bytes) {
            return true;
        }
    }
    return false;
}

static struct psci_platform psci_platform = {
    .topology = &topology,
    .default_suspend_state = SUSPEND_CORE,
    .system_suspend_state = SUSPEND_CORE,
    .core_of_mpidr = core_of_mpidr,
    .mpidr_of_core = mpidr_of_core,
    .is_ns_memory = is_ns_memory,
    .system_off = raspi4_power_off,
    .system_reset = raspi4_reset,
};

static struct monitor_location location_of(unsigned core)
{
    return (struct monitor_location){ .mpidr = mpidr_of_core(core), .cluster = 0, .core = core };
}

static void monitor_init(void)
{
    monitor = (struct monitor_platform){
        .workaround_feature = arch_workaround_feature,
        .workaround = arch_workaround,
        .soc_version = SOC_VERSION,
        .soc_revision = 0,
        .build = LATLAB_BUILD,
        .cores = MAX_CORES,
        .location = location_of,
        .core_of_mpidr = core_of_mpidr,
        .ring = start_ring_of,
        .capture_mticks = trace_calibrate_mticks(),
    };
}

static void say_hello(void)
{
    console_text("latlab EL3 firmware: " LATLAB_BUILD ", counter at ");
    console_number(start_counter_hz);
    console_text(" Hz, capture costs ");
    console_number(monitor.capture_mticks);
    console_text(" thousandths of a tick\nkernel at ");
    console_hex(armstub_kernel);
    console_text(has_tree ? ", device tree at " : ", no device tree at ");
    console_hex(armstub_tree);
    console_text("\n");
}

void platform_boot_core(void) __attribute__((noreturn));

/* MMU off: the normal world's memory is not mapped later on. */
void platform_early(void)
{
    raspi4_counter_start();
    refusal = raspi4_use_tree((void *)(uintptr_t)armstub_tree, &memory, &has_tree);
    if (refusal == NULL && is_ns_memory(armstub_kernel, sizeof(uint32_t))) {
        kernel_begins_with = *(const uint32_t *)(uintptr_t)armstub_kernel;
    }
}

static void check_board(void)
{
    if (refusal != NULL) {
        platform_panic(refusal, armstub_tree, 0, 0);
    }
    if (kernel_begins_with == 0) {
        platform_panic("there is no program for the normal world (at)", armstub_kernel, 0, 0);
    }
    start_counter_hz = raspi4_counter_hz();
    if (start_counter_hz == 0) {
        platform_panic("the counter goes neither by CNTFRQ_EL0 nor by the crystal (Hz)", SYSREG_READ("cntfrq_el0"), CRYSTAL_HZ, 0);
    }
}

void platform_boot_core(void)
{
    struct psci_entry kernel = { .address = armstub_kernel, .context_id = has_tree ? armstub_tree : 0 };

    console_init();
    check_board();
    start_percpus(MAX_CORES, FIRMWARE_END);
    start_core();
    parking_init(&psci_platform);
    psci_init(&psci_platform, 0);
    monitor_init();
    say_hello();
    start_clean_to_memory();
    raspi4_tell_the_others();
    arch_enter_ns(&kernel);
}

void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    console_init();
    console_panic(what, a, b, c);
    raspi4_power_off();
}
