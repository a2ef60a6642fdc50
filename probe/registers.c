/* SPDX-License-Identifier: BSD-3-Clause */
#include "registers.h"

#include <string.h>

#include "context.h"
#include "interface.h"
#include "unwind.h"

#define SIGN_32 0x80000000U
#define CAUSE_INTERRUPT (1ULL << 63)
#define ARGUMENTS_MAX 8
#define LEVELS 4
#define PSTATE_AARCH32 0x10U
#define STATES 2 /* of security */
#define EL3 (WORLD_SECURE | 3U)
/* ENABLE and ISTATUS of a timer's control register. */
#define TIMER_FIRED (1ULL << 0 | 1ULL << 2)
#define SCR_EEL2 (1ULL << 18)
/* DC, TGE, CD and ID. */
#define HCR_CACHES (1ULL << 12 | 1ULL << 27 | 1ULL << 32 | 1ULL << 33)
#define REGISTER_BITS_32 32
#define FRAME_ALIGNMENT 16U
#define STACK_BYTES_MAX 0x10000U
#define EXCEPTION_OF_PROCESS (1U << 2) /* in the link register of M-profile: the stack that has the frame, and of which state */
#define EXCEPTION_OF_SECURE (1U << 6)

typedef struct qemu_plugin_register *handle;

static enum arch machine;
static handle state, security, identity, counter;
static handle arguments[ARGUMENTS_MAX];
static size_t argument_count;
static handle timer_control, timer_due;
static bool has_trustzone; /* of an M-profile core */
static bool is_guest_hidden;
static handle causes[LEVELS], returns[LEVELS], saved[LEVELS];
static handle vectors[LEVELS], switches[LEVELS];
static handle hypervisor, status, status_above, extensions, link_register, frame_pointer, stack_pointer;
static handle primasks[STATES], faultmasks[STATES], basepris[STATES];
static handle main_stacks[STATES], process_stacks[STATES];

static void find_arguments(const GArray *registers, const char *const names[], size_t count)
{
    argument_count = count;
    for (size_t i = 0; i < count; i++) {
        arguments[i] = interface_register(registers, names[i]);
    }
}

/* QEMU has other names for EL1's registers up to some version after 10. */
static handle of_el1(const GArray *registers, const char *name, const char *older)
{
    handle found = interface_register(registers, name);

    return found != NULL ? found : interface_register(registers, older);
}

static bool find_aarch64(const GArray *registers)
{
    static const char *const names[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7" };

    state = interface_register(registers, "cpsr");
    security = interface_register(registers, "SCR_EL3");
    hypervisor = interface_register(registers, "HCR_EL2");
    link_register = interface_register(registers, "x30");
    frame_pointer = interface_register(registers, "x29");
    stack_pointer = interface_register(registers, "sp");
    identity = interface_register(registers, "VMPIDR_EL2");
    counter = interface_register(registers, "pc");
    timer_control = interface_register(registers, "CNTV_CTL_EL0");
    timer_due = interface_register(registers, "CNTV_CVAL_EL0");
    saved[1] = interface_register(registers, "SPSR_EL1");
    saved[2] = interface_register(registers, "SPSR_EL2");
    saved[3] = interface_register(registers, "SPSR_EL3");
    find_arguments(registers, names, ARGUMENTS_MAX);
    causes[1] = interface_register(registers, "ESR_EL1");
    causes[2] = interface_register(registers, "ESR_EL2");
    causes[3] = interface_register(registers, "ESR_EL3");
    vectors[1] = of_el1(registers, "VBAR_EL1", "VBAR");
    vectors[2] = interface_register(registers, "VBAR_EL2");
    vectors[3] = interface_register(registers, "VBAR_EL3");
    switches[1] = of_el1(registers, "SCTLR_EL1", "SCTLR");
    switches[2] = interface_register(registers, "SCTLR_EL2");
    switches[3] = interface_register(registers, "SCTLR_EL3");
    returns[1] = interface_register(registers, "ELR_EL1");
    returns[2] = interface_register(registers, "ELR_EL2");
    returns[3] = interface_register(registers, "ELR_EL3");
    return state != NULL && arguments[0] != NULL;
}

static bool find_armv8m(const GArray *registers)
{
    static const char *const names[] = { "r0", "r1", "r2", "r3", "lr" };

    state = interface_register(registers, "xpsr");
    has_trustzone = interface_register(registers, "msp_s") != NULL;
    link_register = interface_register(registers, "lr");
    primasks[0] = interface_register(registers, has_trustzone ? "primask_ns" : "primask");
    primasks[1] = interface_register(registers, "primask_s");
    faultmasks[0] = interface_register(registers, has_trustzone ? "faultmask_ns" : "faultmask");
    faultmasks[1] = interface_register(registers, "faultmask_s");
    basepris[0] = interface_register(registers, has_trustzone ? "basepri_ns" : "basepri");
    basepris[1] = interface_register(registers, "basepri_s");
    stack_pointer = interface_register(registers, "sp");
    main_stacks[0] = interface_register(registers, has_trustzone ? "msp_ns" : "msp");
    main_stacks[1] = interface_register(registers, "msp_s");
    process_stacks[0] = interface_register(registers, has_trustzone ? "psp_ns" : "psp");
    process_stacks[1] = interface_register(registers, "psp_s");
    find_arguments(registers, names, sizeof(names) / sizeof(names[0]));
    return state != NULL;
}

static bool find_riscv(const GArray *registers)
{
    static const char *const names[] = { "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7" };

    state = interface_register(registers, "priv");
    identity = interface_register(registers, "mhartid");
    status = interface_register(registers, "mstatus");
    status_above = interface_register(registers, "mstatush"); /* of 32 bits alone */
    hypervisor = interface_register(registers, "hstatus");
    extensions = interface_register(registers, "misa");
    link_register = interface_register(registers, "ra");
    find_arguments(registers, names, ARGUMENTS_MAX);
    causes[1] = causes[2] = interface_register(registers, "scause");
    causes[3] = interface_register(registers, "mcause");
    vectors[1] = vectors[2] = interface_register(registers, "stvec");
    vectors[3] = interface_register(registers, "mtvec");
    returns[1] = returns[2] = interface_register(registers, "sepc");
    returns[3] = interface_register(registers, "mepc");
    return state != NULL;
}

static const char *unknown(const GArray *registers)
{
    return interface_register(registers, "cpsr") != NULL ? "knows AArch32 alone, which the probe does not follow"
                                           : "is none of AArch64, M-profile and RISC-V, which the probe follows";
}

const char *registers_find(enum arch *arch)
{
    GArray *registers = qemu_plugin_get_registers();
    const char *refusal = NULL;

    if (find_armv8m(registers)) {
        machine = ARCH_ARMV8M;
    } else if (find_aarch64(registers)) {
        machine = ARCH_AARCH64;
    } else if (find_riscv(registers)) {
        machine = ARCH_RISCV;
    } else {
        refusal = unknown(registers);
    }
    g_array_free(registers, TRUE);
    *arch = machine;
    return refusal;
}

/* One buffer a thread: QEMU's threads read at the same time. */
static uint64_t read_wide(handle from, size_t *bytes)
{
    static __thread GByteArray *buffer;
    uint64_t value = 0;

    *bytes = sizeof(value);
    if (from == NULL) {
        return 0;
    }
    if (buffer == NULL) {
        buffer = g_byte_array_new();
    }
    g_byte_array_set_size(buffer, 0);
    qemu_plugin_read_register(from, buffer);
    *bytes = buffer->len < sizeof(value) ? buffer->len : sizeof(value);
    memcpy(&value, buffer->data, *bytes);
    return value;
}

static uint64_t read(handle from)
{
    size_t bytes;

    return read_wide(from, &bytes);
}

/* An argument or a cause: of a hart of 32 bits as one of 64 has the same. */
static uint64_t read_widened(handle from, bool is_cause)
{
    size_t bytes;
    uint64_t value = read_wide(from, &bytes);

    if (machine != ARCH_RISCV || bytes != sizeof(uint32_t) || (value & SIGN_32) == 0) {
        return value;
    }
    return is_cause ? (value & ~(uint64_t)SIGN_32) | CAUSE_INTERRUPT : value | ~(uint64_t)UINT32_MAX;
}

/* QEMU shows the registers of AArch64 in AArch32 state too, as they were when AArch64 was left: then the program counter is another. */
static bool is_left(uint64_t address)
{
    return counter != NULL && read(counter) != address;
}

uint32_t registers_level(uint64_t address, bool *is_aarch32)
{
    uint64_t value = read(state);

    *is_aarch32 = false;
    switch (machine) {
    case ARCH_ARMV8M: return world_of_armv8m(value, has_trustzone ? address : 0);
    case ARCH_RISCV: return world_of_riscv(value, read(extensions));
    case ARCH_AARCH64: break;
    }
    if (is_left(address)) {
        uint32_t from = world_level_of_cpsr(value);

        *is_aarch32 = true;
        return world_level_of_aarch32(from, read(saved[from]));
    }
    return world_level_of_cpsr(value);
}

uint32_t registers_world(uint32_t level)
{
    if (machine != ARCH_AARCH64) {
        return level;
    }
    return world_of_aarch64(level, security != NULL ? read(security) : SCR_NS);
}

uint64_t registers_identity(uint64_t otherwise)
{
    return identity != NULL ? read(identity) : otherwise;
}

uint64_t registers_timer_fired(void)
{
    if (timer_due == NULL || (read(timer_control) & TIMER_FIRED) != TIMER_FIRED) {
        return 0;
    }
    return read(timer_due);
}

size_t registers_of_crossing(uint32_t from, uint32_t to, uint64_t out[CROSSING_REGISTERS_MAX], uint32_t *unknown)
{
    uint32_t to_level = to & WORLD_LEVEL_MASK;
    size_t count = 0;

    *unknown = 0;
    if (!world_change_has_registers(machine, from, to)) {
        return 0;
    }
    while (count < argument_count) {
        out[count] = read_widened(arguments[count], false);
        count++;
    }
    if (machine != ARCH_ARMV8M && to_level > (from & WORLD_LEVEL_MASK)) {
        out[count++] = read_widened(causes[to_level], true);
        out[count++] = read(returns[to_level]);
    } else if (timer_control != NULL && from == EL3 && (to & WORLD_SECURE) != 0) {
        out[count++] = read(timer_control);
    }
    return count;
}

/* Whether EL2 has a say in the caches of EL0 and EL1, or EL0 is EL2's own. */
static bool is_governed(uint32_t level)
{
    bool has_el2 = security == NULL || (read(security) & (SCR_NS | SCR_EEL2)) != 0;

    return level <= 1 && has_el2 && (read(hypervisor) & HCR_CACHES) != 0;
}

uint32_t registers_context(uint32_t level)
{
    uint32_t at = level == 0 ? 1 : level;

    if (machine != ARCH_AARCH64 || switches[at] == NULL || is_governed(level)) {
        return CONTEXT_TOLD;
    }
    return context_of_sctlr(read(switches[at]));
}

static uint64_t of_both(const handle states[STATES])
{
    return read(states[0]) | read(states[1]);
}

static struct masks masks_of_a_profile(uint32_t level, bool is_aarch32, uint64_t pstate)
{
    struct masks_aarch64 core = {
        .level = level,
        .is_aarch32 = is_aarch32,
        .has_el2 = hypervisor != NULL,
        .pstate = pstate,
        .scr_el3 = security != NULL ? read(security) : SCR_NS,
        .hcr_el2 = read(hypervisor),
    };

    return masks_of_aarch64(&core);
}

struct masks registers_masks(uint32_t level, bool is_aarch32)
{
    switch (machine) {
    case ARCH_ARMV8M: return masks_of_armv8m(of_both(primasks), of_both(faultmasks), of_both(basepris));
    case ARCH_RISCV: return masks_of_riscv(level, read(status));
    case ARCH_AARCH64: break;
    }
    return masks_of_a_profile(level, is_aarch32, read(state));
}

/* As after the first return of a firmware to a system whose vectors are, for the time being, where it begins. */
static bool is_returned_to(uint64_t address)
{
    return address == read(returns[1]) || address == read(returns[2]) || address == read(returns[3]);
}

static bool is_at_vector(uint32_t level, uint64_t address)
{
    handle vector = vectors[level & WORLD_LEVEL_MASK];

    return vector != NULL && masks_is_vector(machine, read(vector), address);
}

static struct trap trap_into(uint32_t world)
{
    return (struct trap) { .world = world, .mstatus = read(status) | read(status_above) << REGISTER_BITS_32, .hstatus = read(hypervisor) };
}

void registers_doubt(uint32_t from, uint32_t to, uint64_t address)
{
    struct trap trap;

    if (machine != ARCH_RISCV || hypervisor == NULL || from >= to || !is_at_vector(to, address)) {
        return;
    }
    trap = trap_into(to);
    if (masks_trap_denies(&trap, from)) {
        __atomic_store_n(&is_guest_hidden, true, __ATOMIC_RELAXED);
    }
}

static bool has_all_of_el1(void)
{
    return saved[1] != NULL && causes[1] != NULL && returns[1] != NULL && vectors[1] != NULL && switches[1] != NULL;
}

const char *registers_doubts(void)
{
    if (machine == ARCH_AARCH64 && state != NULL && !has_all_of_el1()) {
        return "this QEMU does not show every register of EL1 by a name that the probe knows: masked times and classes there may be wrong";
    }
    return __atomic_load_n(&is_guest_hidden, __ATOMIC_RELAXED)
               ? "this QEMU does not show which code a guest runs: what counts as HS and U may be VS and VU"
               : NULL;
}

bool registers_masks_before(uint32_t level, uint64_t address, struct masks *masks)
{
    uint64_t before;

    if (machine == ARCH_ARMV8M || !is_at_vector(level, address) || is_returned_to(address)) {
        return false;
    }
    if (machine == ARCH_RISCV) {
        struct trap trap = trap_into(level);

        *masks = masks_before_trap(&trap);
        return true;
    }
    before = read(saved[level]);
    *masks = masks_of_a_profile(world_level_of_cpsr(before), (before & PSTATE_AARCH32) != 0, before);
    return true;
}

static bool read_memory(uint64_t address, void *to, size_t bytes)
{
    static __thread GByteArray *buffer;

    if (buffer == NULL) {
        buffer = g_byte_array_new();
    }
    if (!qemu_plugin_read_memory_vaddr(address, buffer, bytes)) {
        return false;
    }
    memcpy(to, buffer->data, bytes);
    return true;
}

/* Right behind an exception of M-profile: the link register as it was before, and in `stack` where that stood. */
static uint64_t link_before(uint64_t *stack)
{
    uint64_t link = read(link_register);
    const handle *stacks = link & EXCEPTION_OF_PROCESS ? process_stacks : main_stacks;

    if (!unwind_is_exception(link)) {
        return 0;
    }
    *stack = read(stacks[has_trustzone && link & EXCEPTION_OF_SECURE ? 1 : 0]);
    return unwind_exception(link, stack, read_memory);
}

uint64_t registers_link(bool is_behind_exception)
{
    uint64_t stack;

    return is_behind_exception ? link_before(&stack) : read(link_register);
}

/* A frame record of the procedure call standard: the caller's one and the return address. False outside the stack: what lies there may be
 * a device, which would notice. */
static bool read_frame(uint64_t stack, uint64_t address, uint64_t record[2])
{
    if (address % FRAME_ALIGNMENT != 0 || address - stack >= STACK_BYTES_MAX) {
        return false;
    }
    return read_memory(address, record, 2 * sizeof(record[0]));
}

static void trail_of_calls(uint64_t trail[MASKED_TRAIL], uint64_t link, uint64_t stack)
{
    memset(trail, 0, MASKED_TRAIL * sizeof(trail[0]));
    trail[0] = link;
    for (size_t i = 1; i < MASKED_TRAIL && trail[i - 1] != 0 && !unwind_is_exception(trail[i - 1]); i++) {
        trail[i] = unwind_caller(&stack, trail[i - 1], read_memory);
    }
}

void registers_trail_before(uint64_t trail[MASKED_TRAIL])
{
    uint64_t stack = 0, link = link_before(&stack);

    trail_of_calls(trail, link, stack);
}

void registers_trail(uint64_t trail[MASKED_TRAIL])
{
    uint64_t record[2], stack = read(stack_pointer), frame = read(frame_pointer);

    if (machine == ARCH_ARMV8M) {
        trail_of_calls(trail, read(link_register), stack);
        return;
    }
    memset(trail, 0, MASKED_TRAIL * sizeof(trail[0]));
    trail[0] = read(link_register);
    for (size_t i = 1; i < MASKED_TRAIL && frame_pointer != NULL && read_frame(stack, frame, record) && record[1] != 0; i++) {
        trail[i] = record[1];
        stack = frame + 1;
        frame = record[0];
    }
}
