/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin of QEMU that looks at each instruction by itself and shares no code with the probe but its way to QEMU: a line where registers that mask
 * interrupts are others than at the core's instruction before, and where an exception may begin.
 *
 *   H arch has_el3 has_el2          1 AArch64, 2 Armv8-M, 3 RISC-V
 *   E core instructions address address_before code_before bytes_before link state0 .. state3 is_exception saved      all hexadecimal
 *
 * stepped_masks.py says what the lines mean. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"

#define CORES_MAX 16
#define STATES 4
#define EVENTS_MAX 2000000
#define AARCH64 1
#define ARMV8M 2
#define RISCV 3

typedef struct qemu_plugin_register *handle;

struct instruction {
    uint64_t address;
    uint32_t bytes, code;
};

struct core {
    uint64_t name, instructions, link, state[STATES];
    const struct instruction *before;
};

static qemu_plugin_id_t own_id;
static FILE *out;
static int arch, has_trustzone, events;
static struct core cores[CORES_MAX], *cores_end = cores;
static handle name, link_register, level, switches, hypervisor;
static handle vectors[4], saved[4], returns[4], masks[6];

static uint64_t value_of(handle from)
{
    static GByteArray *buffer;
    uint64_t value = 0;

    if (from == NULL) {
        return 0;
    }
    if (buffer == NULL) {
        buffer = g_byte_array_new();
    }
    g_byte_array_set_size(buffer, 0);
    qemu_plugin_read_register(from, buffer);
    memcpy(&value, buffer->data, buffer->len < sizeof(value) ? buffer->len : sizeof(value));
    return value;
}

static struct core *core_here(void)
{
    uint64_t wanted = value_of(name);
    struct core *core = cores;

    while (core < cores_end && core->name != wanted) {
        core++;
    }
    if (core == cores_end) {
        cores_end++;
        core->name = wanted;
    }
    return core;
}

static void read_state(uint64_t address, uint64_t state[STATES])
{
    if (arch == AARCH64) {
        state[0] = value_of(level) & 0xcc;
        state[1] = value_of(switches) & (1ULL << 62 | 1ULL << 18 | 7);
        state[2] = value_of(hypervisor) & (1ULL << 34 | 1ULL << 27 | 3ULL << 3);
    } else if (arch == ARMV8M) {
        state[0] = (value_of(level) & 0x1ff) != 0;
        state[1] = has_trustzone ? address >> 28 & 1 : 0;
        state[2] = (value_of(masks[0]) | value_of(masks[1]) | value_of(masks[2]) | value_of(masks[3])) & 1;
        state[3] = value_of(masks[4]) | value_of(masks[5]);
    } else {
        state[0] = value_of(level);
        state[1] = value_of(switches) & 0xa;
        state[2] = value_of(hypervisor) != 0;
    }
}

/* The level that the instruction returned from, 0 where it is no return. */
static unsigned returned_from(const struct core *core)
{
    uint32_t code = core->before == NULL ? 0 : core->before->code;

    if (arch == AARCH64) {
        return (code & 0xffc00000) == 0xd6800000 ? core->state[0] >> 2 & 3 : 0;
    }
    return code == 0x30200073 ? 3 : code == 0x10200073 ? 1 : 0;
}

static int is_vector(uint64_t address, uint64_t base)
{
    if (arch == AARCH64) {
        return address - base < 0x800 && address % 0x80 == 0;
    }
    return address == (base & ~3ULL) || ((base & 3) == 1 && address - (base & ~3ULL) < 0x100);
}

static int is_exception(const struct core *core, uint64_t address, unsigned at)
{
    unsigned from = returned_from(core);

    if (arch == ARMV8M || at == 0 || core->before == NULL || core->before->address + core->before->bytes == address) {
        return 0;
    }
    return is_vector(address, value_of(vectors[at])) && !(from != 0 && value_of(returns[from]) == address);
}

static int masks_on_m(const struct instruction *one)
{
    if (one->bytes == 2) {
        return (one->code & 0xffe8) == 0xb660;
    }
    return (one->code & 0xd000ffe0) == 0x8000f380;
}

/* Where an exception of M-profile comes right behind, the link register is what it was before. */
static uint64_t link_of(const struct core *core, uint64_t address, uint64_t now)
{
    const struct instruction *before = core->before;

    if (arch != ARMV8M || before == NULL || before->address + before->bytes == address || now >> 24 != 0xff ||
        !masks_on_m(before)) {
        return now;
    }
    return core->link;
}

static void tell(const struct core *core, uint64_t address, uint64_t link, const uint64_t state[STATES], int exception,
                 uint64_t was)
{
    static const struct instruction nothing;
    const struct instruction *before = core->before == NULL ? &nothing : core->before;

    if (++events > EVENTS_MAX) {
        abort();
    }
    fprintf(out,
            "E %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %x %x %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
            " %d %" PRIx64 "\n",
            core->name, core->instructions, address, before->address, before->code, before->bytes, link, state[0], state[1],
            state[2], state[3], exception, was);
}

static void step(unsigned int vcpu, void *data)
{
    const struct instruction *one = data;
    struct core *core = core_here();
    uint64_t state[STATES] = { 0 }, link = value_of(link_register);
    unsigned at;
    int exception;

    (void)vcpu;
    read_state(one->address, state);
    at = (unsigned)(arch == AARCH64 ? state[0] >> 2 : state[0]) & 3;
    exception = is_exception(core, one->address, at);
    if (core->before == NULL || exception || memcmp(state, core->state, sizeof(state)) != 0) {
        tell(core, one->address, link_of(core, one->address, link), state, exception,
             value_of(arch == RISCV ? switches : saved[at]));
    }
    memcpy(core->state, state, sizeof(state));
    core->link = link;
    core->before = one;
    core->instructions++;
}

static void translated(struct qemu_plugin_tb *block)
{
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
        struct qemu_plugin_insn *from = qemu_plugin_tb_get_insn(block, i);
        struct instruction *one = g_new0(struct instruction, 1);

        one->address = qemu_plugin_insn_vaddr(from);
        one->bytes = (uint32_t)qemu_plugin_insn_size(from);
        qemu_plugin_insn_data(from, &one->code, sizeof(one->code));
        qemu_plugin_register_vcpu_insn_exec_cb(from, step, QEMU_PLUGIN_CB_R_REGS, one);
    }
}

static handle find(const char *wanted)
{
    GArray *registers = qemu_plugin_get_registers();
    handle found = interface_register(registers, wanted);

    g_array_free(registers, TRUE);
    return found;
}

static void find_each(handle to[], const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = find(names[i]);
    }
}

static void find_m(void)
{
    arch = ARMV8M;
    has_trustzone = find("msp_s") != NULL;
    link_register = find("lr");
    if (has_trustzone) {
        find_each(masks,
                  (const char *const[]) { "primask_ns", "primask_s", "faultmask_ns", "faultmask_s", "basepri_ns", "basepri_s" },
                  6);
    } else {
        find_each(masks, (const char *const[]) { "primask", "", "faultmask", "", "basepri", "" }, 6);
    }
}

static void find_aarch64(void)
{
    arch = AARCH64;
    name = find("VMPIDR_EL2");
    link_register = find("x30");
    switches = find("SCR_EL3");
    hypervisor = find("HCR_EL2");
    find_each(vectors + 1, (const char *const[]) { find("VBAR_EL1") != NULL ? "VBAR_EL1" : "VBAR", "VBAR_EL2", "VBAR_EL3" }, 3);
    find_each(saved + 1, (const char *const[]) { "SPSR_EL1", "SPSR_EL2", "SPSR_EL3" }, 3);
    find_each(returns + 1, (const char *const[]) { "ELR_EL1", "ELR_EL2", "ELR_EL3" }, 3);
}

static void find_riscv(void)
{
    arch = RISCV;
    level = find("priv");
    name = find("mhartid");
    link_register = find("ra");
    switches = find("mstatus");
    hypervisor = find("hgatp");
    find_each(vectors, (const char *const[]) { "", "stvec", "", "mtvec" }, 4);
    find_each(returns, (const char *const[]) { "", "sepc", "", "mepc" }, 4);
}

static void made(unsigned int vcpu)
{
    (void)vcpu;
    if (arch != 0) {
        return;
    }
    if ((level = find("xpsr")) != NULL) {
        find_m();
    } else if ((level = find("cpsr")) != NULL) {
        find_aarch64();
    } else {
        find_riscv();
    }
    fprintf(out, "H %d %d %d\n", arch, switches != NULL, hypervisor != NULL);
    interface_on_block(own_id, translated);
}

static void finish(void)
{
    fclose(out);
}

int interface_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    out = argc == 1 && strncmp(argv[0], "out=", 4) == 0 ? fopen(argv[0] + 4, "w") : NULL;
    if (out == NULL) {
        return -1;
    }
    own_id = id;
    interface_on_core(id, made);
    interface_at_exit(id, finish);
    return 0;
}
