/* SPDX-License-Identifier: BSD-3-Clause */
/* From cold boot to the normal world, and the tables that say what this machine is. */
#include "arch.h"
#include "arch_el3.h"
#include "console.h"
#if LATLAB_DELAYS
#include "delays.h"
#endif
#include "gic.h"
#include "parking.h"
#include "power_states.h"
#include "qemu_tree.h"
#include "start.h"
#include "sysregs.h"

/* JEP-106 bank 4, code 0x3B (Arm), as the SMCCC asks for; the machine is no product and its number means nothing. */
#define SOC_VERSION 0x043B0000U

extern char __text_start[], __text_end[], __const_start[], __const_end[];

/* Set once by the boot core, before any other core runs. */
uintptr_t platform_gicd;
uintptr_t platform_gicc;
uintptr_t platform_gicr;
static uint64_t payload_entry;
static uint32_t payload_begins_with;
static const char *refusal; /* why the machine cannot be used; NULL: it can */

/* Later ranges overwrite earlier ones. */
const struct arch_map platform_map[] = {
    { DEVICES_BASE, DEVICES_END, ARCH_MAP_DEVICE },
    { SECURE_RAM_BASE, SECURE_RAM_END, ARCH_MAP_DATA },
    { (uintptr_t)__text_start, (uintptr_t)__text_end, ARCH_MAP_CODE },
    { (uintptr_t)__const_start, (uintptr_t)__const_end, ARCH_MAP_CONST },
};
const unsigned platform_map_ranges = sizeof(platform_map) / sizeof(platform_map[0]);

/*
 * Outside .bss: they outlive a reset, which leaves RAM as it is. A reset that the firmware was asked for, with every other core off,
 * wipes protected memory on the way down. What any other leaves the next boot wipes, and resets once more, so that QEMU loads again
 * what was in it. A word is in memory as soon as it is stored: nobody says when a reset comes, and caches do not outlive it.
 */
static uint64_t mem_protect_word __attribute__((section(".noinit")));
static uint64_t wiped_word __attribute__((section(".noinit")));
#define MEM_PROTECT_ON 0x4D454D50524F5443ULL
#define MEM_WIPED 0x4D454D5749504544ULL

static bool mem_protect(bool enable)
{
    bool was_enabled = mem_protect_word == MEM_PROTECT_ON;

    mem_protect_word = enable ? MEM_PROTECT_ON : 0;
    arch_clean_invalidate(&mem_protect_word);
    return was_enabled;
}

/* Caches off. The mark comes last: a reset that comes in between leaves what is not wiped yet. */
static void wipe(void)
{
    for (unsigned i = 0; i < qemu_tree_machine.ranges; i++) {
        qemu_tree_wipe(qemu_tree_machine.memory[i].base, qemu_tree_machine.memory[i].bytes);
    }
    wiped_word = MEM_WIPED;
}

static void __attribute__((noreturn)) system_reset(bool alone)
{
    bool wipes = alone && mem_protect_word == MEM_PROTECT_ON;

    arch_cache_power_down(1);
    if (wipes) {
        wipe();
    }
    machine_reset();
}

/* Protected memory that no orderly reset has wiped. What QEMU had loaded for this boot goes with it. */
static void wipe_what_a_reset_left(void)
{
    bool is_left = mem_protect_word == MEM_PROTECT_ON && wiped_word != MEM_WIPED;

    wiped_word = 0;
    if (is_left) {
        system_reset(true); /* the others still wait in flash */
    }
}

static struct psci_platform psci_platform = {
    .default_suspend_state = SUSPEND_CORE,
    .system_suspend_state = SUSPEND_SYSTEM,
    .core_of_mpidr = qemu_tree_core_of_mpidr,
    .mpidr_of_core = qemu_tree_mpidr_of_core,
    .is_ns_memory = qemu_tree_is_ns_memory,
    .system_off = machine_power_off,
    .system_reset = system_reset,
    .mem_protect = mem_protect,
};

static void monitor_init(void)
{
    monitor = (struct monitor_platform){
        .workaround_feature = arch_workaround_feature,
        .workaround = arch_workaround,
        .soc_version = SOC_VERSION,
        .soc_revision = 0,
        .trng_uuid = { 0x6C61746C, 0x61625F6E, 0x6F745F73, 0x65637572 },
        .random = qemu_tree_random,
        .build = LATLAB_BUILD,
        .cores = psci_platform.topology->cores,
        .location = qemu_tree_location,
        .core_of_mpidr = qemu_tree_core_of_mpidr,
        .ring = start_ring_of,
        .capture_mticks = trace_calibrate_mticks(),
    };
}

static void say_hello(void)
{
    console_text("latlab EL3 firmware: " LATLAB_BUILD ", GICv");
    console_number(arch_has_gicv3() ? 3 : 2);
    console_text(", capture costs ");
    console_number(monitor.capture_mticks);
    console_text(" thousandths of a tick\nTRNG: a seeded generator, not secure\n");
}

#if LATLAB_DELAYS
/* Decimal, of at most 18 digits; what is not a digit ends it. */
static void seed_delays(void)
{
    char wanted[WANTED_BYTES];

    if (!qemu_tree_wanted("opt/latlab/delays", wanted)) {
        return;
    }
    for (unsigned i = 0; i < 18U && wanted[i] >= '0' && wanted[i] <= '9'; i++) {
        delays_seed = 10U * delays_seed + (uint64_t)(wanted[i] - '0');
    }
}
#else
static void seed_delays(void)
{
}
#endif

void platform_boot_core(void) __attribute__((noreturn));

/*
 * The counter's frequency is what the register says after a reset, or the device tree; time would be wrong for everybody if
 * they differed.
 */
static void find_counter_frequency(void)
{
    uint64_t of_register = SYSREG_READ("cntfrq_el0");

    if (of_register == 0 && qemu_tree_machine.counter_hz == 0) {
        platform_panic("neither CNTFRQ_EL0 nor the device tree says how fast the counter runs", 0, 0, 0);
    }
    if (of_register != 0 && qemu_tree_machine.counter_hz != 0 && of_register != qemu_tree_machine.counter_hz) {
        platform_panic("CNTFRQ_EL0 and the device tree say different counter frequencies", of_register, qemu_tree_machine.counter_hz, 0);
    }
    start_counter_hz = of_register != 0 ? of_register : qemu_tree_machine.counter_hz;
}

/* MMU off: the normal world's memory is not mapped later on. */
void platform_early(void)
{
    void *tree = (void *)(uintptr_t)DRAM_BASE;

    refusal = tree_read(tree, &qemu_tree_machine);
    if (refusal != NULL) {
        return;
    }
    wipe_what_a_reset_left();
    payload_entry = qemu_tree_is_ns_memory(PAYLOAD_ENTRY, sizeof(uint32_t)) ? PAYLOAD_ENTRY : PAYLOAD_ENTRY_LOW;
    payload_begins_with = qemu_tree_is_ns_memory(payload_entry, sizeof(uint32_t)) ? *(const uint32_t *)(uintptr_t)payload_entry : 0;
    refusal = tree_add_firmware(tree, &qemu_tree_machine);
}

static void check_machine(void)
{
    if (refusal != NULL) {
        platform_panic(refusal, 0, 0, 0);
    }
    if (payload_begins_with == 0) {
        platform_panic("there is no program for the normal world (at)", payload_entry, 0, 0);
    }
    if ((qemu_tree_machine.gic == 3) != arch_has_gicv3()) {
        platform_panic("the device tree and the core know different interrupt controllers (tree's GICv)", qemu_tree_machine.gic, 0, 0);
    }
    if (qemu_tree_machine.secure_ram.bytes != 0 && qemu_tree_machine.secure_ram.base + qemu_tree_machine.secure_ram.bytes < SECURE_RAM_END) {
        platform_panic("the machine has less secure RAM than the firmware is for (base, bytes)", qemu_tree_machine.secure_ram.base,
                       qemu_tree_machine.secure_ram.bytes, 0);
    }
}

void platform_boot_core(void)
{
    struct psci_entry payload = { .context_id = DRAM_BASE };

    console_init();
    check_machine();
    find_counter_frequency();
    start_percpus(qemu_tree_machine.cores, SECURE_RAM_END);
    start_core();
    payload.address = payload_entry;
    platform_gicd = qemu_tree_machine.gicd;
    platform_gicc = qemu_tree_machine.gicc_or_gicr;
    platform_gicr = qemu_tree_machine.gicc_or_gicr;
    psci_platform.topology = qemu_tree_topology(&qemu_tree_machine);
    parking_init(&psci_platform);
    psci_init(&psci_platform, 0);
    monitor_init();
    say_hello();
    seed_delays();
    start_clean_to_memory();
    qemu_tree_tell_the_others(qemu_tree_machine.cores);
    arch_enter_ns(&payload);
}

/* The emulator ends with a failure where it listens to semihosting; where not, that was an exception, and comes here again. */
void platform_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    static bool has_tried_to_exit;

    if (has_tried_to_exit) {
        machine_power_off();
    }
    console_init();
    console_everywhere();
    console_panic(what, a, b, c);
    has_tried_to_exit = true;
    arch_exit(1);
    machine_power_off();
}
