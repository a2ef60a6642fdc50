/* SPDX-License-Identifier: BSD-3-Clause */
/* The boot core from its first C call to the normal world, over memory that lies where the machine's does. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch_el3.h"
#include "console.h"
#include "gic.h"
#include "harness.h"
#include "made_tree.h"
#include "parking.h"
#include "power_states.h"
#include "qemu_tree.h"
#include "registers.h"
#include "start.h"

#define PAGE 4096U
#define TREE_BYTES 0x100000U

char __text_start[1], __text_end[1], __const_start[1], __const_end[1];
struct monitor_platform monitor;
struct percpu percpus[1];
uint64_t start_counter_hz;

void platform_boot_core(void) __attribute__((noreturn));

static jmp_buf left;
static const struct psci_platform *psci;
static struct psci_entry entered;
static bool listens; /* whoever could end the emulator */

static char said[512];

static void *map(uintptr_t address, size_t bytes)
{
    void *at = mmap((void *)address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    CHECK(at == (void *)address);
    return at;
}

static void __attribute__((noreturn)) leave(const char *how)
{
    machine_note(how);
    longjmp(left, 1);
}

void console_init(void)
{
    machine_note("console");
}

void console_everywhere(void)
{
    machine_note("everywhere");
}

void console_text(const char *text)
{
    strcat(said, text);
}

void console_number(uint64_t value)
{
    char text[32];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    strcat(said, text);
}

void console_panic(const char *what, uint64_t a, uint64_t b, uint64_t c)
{
    snprintf(said, sizeof(said), "%s: %llx, %llx, %llx", what, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
}

void arch_exit(uint64_t status)
{
    machine_write("exit", status);
    if (listens) {
        leave("ended");
    }
}

void arch_clean_invalidate(const void *address)
{
    (void)address;
}

void arch_cache_power_down(unsigned level)
{
    machine_write("caches off", level);
}

void arch_enter_ns(const struct psci_entry *entry)
{
    entered = *entry;
    leave("normal world");
}

bool arch_has_gicv3(void)
{
    return machine_get("gic") == 3;
}

int64_t arch_workaround_feature(uint32_t id)
{
    return id;
}

void arch_workaround(uint32_t id)
{
    (void)id;
}

void start_percpus(unsigned cores, uintptr_t end)
{
    machine_write("percpus", cores);
    CHECK_EQUAL(end, SECURE_RAM_END);
}

void start_core(void)
{
    machine_write("start", start_counter_hz);
}

void start_clean_to_memory(void)
{
    machine_note("to memory");
}

const struct trace_ring *start_ring_of(unsigned core)
{
    (void)core;
    return NULL;
}

void parking_init(struct psci_platform *platform)
{
    CHECK(platform->topology != NULL);
    machine_write("gicd", platform_gicd);
    machine_write("gicc", platform_gicc);
    machine_write("gicr", platform_gicr);
}

void psci_init(const struct psci_platform *platform, unsigned boot_core)
{
    psci = platform;
    machine_write("psci", boot_core);
}

uint32_t trace_calibrate_mticks(void)
{
    return 1234;
}

bool qemu_tree_wanted(const char *name, char value[WANTED_BYTES])
{
    (void)name;
    (void)value;
    return false;
}

void machine_power_off(void)
{
    leave("power off");
}

void machine_reset(void)
{
    leave("reset");
}

void qemu_tree_tell_the_others(unsigned cores)
{
    machine_write("others", cores);
}

void qemu_tree_wipe(uint64_t base, uint64_t bytes)
{
    char line[64];

    snprintf(line, sizeof(line), "wipe %llx+%llx", (unsigned long long)base, (unsigned long long)bytes);
    machine_note(line);
}

uint64_t qemu_tree_random(void)
{
    return 7;
}

static uint32_t *payload, *payload_low;

static void put_machine(const struct described *machine)
{
    const void *tree = tree_of(machine);

    memcpy((void *)(uintptr_t)DRAM_BASE, tree, fdt_totalsize(tree));
}

void harness_before_each(void)
{
    struct described usual = described_usual();

    if (payload == NULL) {
        (void)map(DRAM_BASE, TREE_BYTES);
        payload = map(PAYLOAD_ENTRY, PAGE);
        payload_low = map(PAYLOAD_ENTRY_LOW, PAGE);
    }
    machine_clear();
    machine_set("gic", 3);
    machine_set("cntfrq_el0", 62500000);
    said[0] = '\0';
    listens = false;
    *payload = 1;
    *payload_low = 1;
    put_machine(&usual);
}

static void early(void)
{
    if (setjmp(left) == 0) {
        platform_early();
    }
}

static void boot(void)
{
    early();
    if (setjmp(left) == 0) {
        platform_boot_core();
    }
}

#define STARTS "console\npercpus=2\nstart=3b9aca0\ngicd=8000000\ngicc=1080a0000\ngicr=1080a0000\npsci=0\nto memory\nothers=2\nnormal world\n"

TEST(the_machine_is_set_up_before_the_others_are_told_and_the_normal_world_is_entered_last)
{
    boot();
    CHECK_TEXT(STARTS, machine_written());
    CHECK_EQUAL(entered.address, PAYLOAD_ENTRY);
    CHECK_EQUAL(entered.context_id, DRAM_BASE);
    CHECK_EQUAL(entered.attributes, 0);
    CHECK(fdt_path_offset((void *)(uintptr_t)DRAM_BASE, "/psci") > 0);
}

TEST(a_machine_with_little_memory_is_entered_lower)
{
    struct described machine = described_usual();

    machine.memory[0].bytes = 0x20000000;
    put_machine(&machine);
    *payload = 0;
    boot();
    CHECK_EQUAL(entered.address, PAYLOAD_ENTRY_LOW);
    machine.memory[0].bytes = 0x20000000 + sizeof(uint32_t) - 1;
    put_machine(&machine);
    boot();
    CHECK_EQUAL(entered.address, PAYLOAD_ENTRY_LOW);
}

TEST(the_core_knows_the_states_of_the_platform_and_its_power)
{
    boot();
    CHECK_EQUAL(psci->default_suspend_state, SUSPEND_CORE);
    CHECK_EQUAL(psci->system_suspend_state, SUSPEND_SYSTEM);
    CHECK(psci->core_of_mpidr == qemu_tree_core_of_mpidr);
    CHECK(psci->mpidr_of_core == qemu_tree_mpidr_of_core);
    CHECK(psci->is_ns_memory == qemu_tree_is_ns_memory);
    CHECK(psci->system_off == machine_power_off);
    CHECK_EQUAL(psci->topology->cores, 2);
}

TEST(the_services_know_what_this_machine_is)
{
    static const uint32_t uuid[] = { 0x6C61746C, 0x61625F6E, 0x6F745F73, 0x65637572 };

    memset(&monitor, 0xFF, sizeof(monitor));
    boot();
    CHECK_EQUAL(monitor.soc_version, 0x043B0000);
    CHECK_EQUAL(monitor.soc_revision, 0);
    assert_memory_equal(monitor.trng_uuid, uuid, sizeof(uuid));
    CHECK(monitor.random == qemu_tree_random);
    CHECK_TEXT("a build", monitor.build);
    CHECK_EQUAL(monitor.cores, 2);
    CHECK_EQUAL(monitor.capture_mticks, 1234);
    CHECK(monitor.location == qemu_tree_location);
    CHECK(monitor.core_of_mpidr == qemu_tree_core_of_mpidr);
    CHECK(monitor.ring == start_ring_of);
    CHECK(monitor.workaround == arch_workaround);
    CHECK(monitor.workaround_feature == arch_workaround_feature);
}

#define TRNG "\nTRNG: a seeded generator, not secure\n"

TEST(the_console_says_what_has_started)
{
    struct described machine = described_usual();

    boot();
    CHECK_TEXT("latlab EL3 firmware: a build, GICv3, capture costs 1234 thousandths of a tick" TRNG, said);
    harness_before_each();
    machine.gic = "arm,cortex-a15-gic";
    put_machine(&machine);
    machine_set("gic", 2);
    boot();
    CHECK_TEXT("latlab EL3 firmware: a build, GICv2, capture costs 1234 thousandths of a tick" TRNG, said);
}

TEST(the_map_of_el3_has_devices_its_ram_and_the_image_over_it)
{
    CHECK_EQUAL(platform_map_ranges, 4);
    CHECK_EQUAL(platform_map[0].base, DEVICES_BASE);
    CHECK_EQUAL(platform_map[0].end, DEVICES_END);
    CHECK_EQUAL(platform_map[0].kind, ARCH_MAP_DEVICE);
    CHECK_EQUAL(platform_map[1].base, SECURE_RAM_BASE);
    CHECK_EQUAL(platform_map[1].end, SECURE_RAM_END);
    CHECK_EQUAL(platform_map[1].kind, ARCH_MAP_DATA);
    CHECK_EQUAL(platform_map[2].base, (uintptr_t)__text_start);
    CHECK_EQUAL(platform_map[2].end, (uintptr_t)__text_end);
    CHECK_EQUAL(platform_map[2].kind, ARCH_MAP_CODE);
    CHECK_EQUAL(platform_map[3].base, (uintptr_t)__const_start);
    CHECK_EQUAL(platform_map[3].end, (uintptr_t)__const_end);
    CHECK_EQUAL(platform_map[3].kind, ARCH_MAP_CONST);
}

static void check_counter(uint64_t of_register, uint32_t of_tree, uint64_t taken)
{
    struct described machine = described_usual();

    machine.counter_hz = of_tree;
    put_machine(&machine);
    machine_set("cntfrq_el0", of_register);
    boot();
    CHECK_EQUAL(start_counter_hz, taken);
    CHECK_EQUAL(machine_get("start"), taken);
}

TEST(the_counter_runs_as_the_register_or_the_tree_says)
{
    check_counter(62500000, 62500000, 62500000);
    check_counter(24000000, 0, 24000000);
    check_counter(0, 19200000, 19200000);
}

/* A machine panics once: in a process of its own. Its words and what it did, from `start` on. */
static void check_panics(void (*start)(void), const char *because, const char *does)
{
    int status;
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        start();
        bool is_right = strcmp(said, because) == 0 && strcmp(machine_written(), does) == 0;

        if (!is_right) {
            fprintf(stderr, "said \"%s\"\n", said);
        }
        _exit(is_right ? 0 : 1);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
}

#define PANICS "console\neverywhere\nexit=1\npower off\n"

static void check_refused(const struct described *machine, const char *because)
{
    put_machine(machine);
    check_panics(boot, because, "console\n" PANICS);
}

TEST(a_counter_of_no_frequency_or_of_two_is_refused)
{
    struct described machine = described_usual();

    machine_set("cntfrq_el0", 24000000);
    check_refused(&machine, "CNTFRQ_EL0 and the device tree say different counter frequencies: 16e3600, 3b9aca0, 0");
    machine_set("cntfrq_el0", 0);
    machine.counter_hz = 0;
    check_refused(&machine, "neither CNTFRQ_EL0 nor the device tree says how fast the counter runs: 0, 0, 0");
}

TEST(what_is_wrong_with_the_tree_is_told_before_all_else)
{
    struct described machine = described_usual();

    machine.cores = 17;
    *payload = 0;
    check_refused(&machine, "the machine has more cores than the firmware keeps, which is 16: 0, 0, 0");
}

TEST(a_machine_without_a_program_at_the_entry_is_refused)
{
    struct described machine = described_usual();

    *payload = 0;
    check_refused(&machine, "there is no program for the normal world (at): 60000000, 0, 0");
    machine.memory[0].bytes = 0x200000;
    check_refused(&machine, "there is no program for the normal world (at): 40200000, 0, 0");
    machine.memory[0].bytes = 0x20000000;
    *payload_low = 0;
    check_refused(&machine, "there is no program for the normal world (at): 40200000, 0, 0");
}

TEST(a_tree_and_a_core_that_know_different_interrupt_controllers_are_refused)
{
    struct described machine = described_usual();

    machine_set("gic", 2);
    check_refused(&machine, "the device tree and the core know different interrupt controllers (tree's GICv): 3, 0, 0");
    machine_set("gic", 3);
    machine.gic = "arm,cortex-a15-gic";
    check_refused(&machine, "the device tree and the core know different interrupt controllers (tree's GICv): 2, 0, 0");
}

TEST(secure_ram_that_ends_below_what_the_firmware_uses_is_refused)
{
    struct described machine = described_usual();

    machine.secure_ram = (struct tree_range){ SECURE_RAM_BASE, SECURE_RAM_END - SECURE_RAM_BASE - 1 };
    check_refused(&machine, "the machine has less secure RAM than the firmware is for (base, bytes): e000000, ffffff, 0");
    machine.secure_ram.bytes++;
    put_machine(&machine);
    boot();
    CHECK_TEXT(STARTS, machine_written());
}

static void panic_where_somebody_listens(void)
{
    listens = true;
    if (setjmp(left) == 0) {
        platform_panic("why", 1, 2, 3);
    }
}

/* The call that would end the emulator is an exception, which panics. */
static void panic_again(void)
{
    for (unsigned times = 0; times < 2; times++) {
        if (setjmp(left) == 0) {
            platform_panic("why", 1, 2, 3);
        }
    }
}

TEST(a_panic_ends_the_emulator_or_the_machine_and_is_told_once)
{
    check_panics(panic_where_somebody_listens, "why: 1, 2, 3", "console\neverywhere\nexit=1\nended\n");
    check_panics(panic_again, "why: 1, 2, 3", PANICS "power off\n");
}

static void reset(bool alone)
{
    (void)machine_written();
    if (setjmp(left) == 0) {
        psci->system_reset(alone);
    }
}

static void check_next_boot(const char *does)
{
    (void)machine_written();
    early();
    CHECK_TEXT(does, machine_written());
}

#define WIPES "caches off=1\nwipe 40000000+40000000\nwipe 900000000+1000\nreset\n"

static void boot_with_two_ranges(void)
{
    struct described machine = described_usual();

    machine.ranges = 2;
    machine.memory[1] = (struct tree_range){ 0x900000000, 0x1000 };
    /* The second time without what another test has protected. */
    for (unsigned times = 0; times < 2; times++) {
        put_machine(&machine);
        boot();
        (void)psci->mem_protect(false);
    }
}

TEST(memory_that_is_not_protected_is_left_as_it_is)
{
    boot_with_two_ranges();
    reset(true);
    CHECK_TEXT("caches off=1\nreset\n", machine_written());
    check_next_boot("");
    CHECK(!psci->mem_protect(true));
    CHECK(psci->mem_protect(true));
    CHECK(psci->mem_protect(false));
    CHECK(!psci->mem_protect(false));
    reset(true);
    CHECK_TEXT("caches off=1\nreset\n", machine_written());
    check_next_boot("");
}

TEST(a_reset_of_the_last_core_wipes_protected_memory_and_the_next_boot_does_not)
{
    boot_with_two_ranges();
    (void)psci->mem_protect(true);
    reset(true);
    CHECK_TEXT(WIPES, machine_written());
    check_next_boot("");
    CHECK(psci->mem_protect(true));
}

TEST(what_a_reset_leaves_unwiped_the_next_boot_wipes_and_resets_once_more)
{
    boot_with_two_ranges();
    (void)psci->mem_protect(true);
    reset(false);
    CHECK_TEXT("caches off=1\nreset\n", machine_written());
    check_next_boot(WIPES);
    check_next_boot("");
    check_next_boot(WIPES); /* a reset that nobody announced */
    check_next_boot("");
}
