/* SPDX-License-Identifier: BSD-3-Clause */
/* It stands where QEMU stands for the plugin: it says what cores.h, registers.h and turns.h ask of whoever runs the machine, and the records
 * are those of changes.c. */
#include "writer.h"

#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "context.h"
#include "core.h"
#include "flow.h"
#include "known.h"
#include "opcodes.h"
#include "records.h"
#include "registers.h"

#define STRETCH_BYTES_MAX 256U
#define CACHED 65536U
#define LEVELS 4U
#define SYNDROME_REGISTER 8U
#define RETURN_REGISTER 9U
#define ALL_UNKNOWN 0x1ffU
#define ENTERS_AARCH32 (1U << 31)
#define M_PROFILE_ARGUMENTS 4U
#define TEXT_MAX 64U

/* What a core runs since it came to `address`, and is no fragment yet. */
struct stretch {
    uint64_t address, next, since;
    uint32_t instructions, code_bytes;
    uint8_t world, isa;
    bool is_open, has_code;
    uint8_t code[STRETCH_BYTES_MAX];
};

/* A register of an exception level, as it was written when the core had executed `at` instructions. */
struct written {
    uint64_t value, at;
    bool is_there;
};

struct trace_core {
    struct core core;
    uint64_t registers[TRACE_REGISTERS + 1];
    uint32_t unknown; /* of them */
    struct written syndromes[LEVELS], returns[LEVELS];
    struct trace_instruction last;
    struct stretch stretch;
};

static struct trace_core *cores[TRACE_CORES_MAX];
static uint32_t core_count;
static const struct trace_core *current;
static struct trace_instruction next; /* of the current core: what it executes now */
static struct trace_source source;
static uint64_t executed;
static const struct fragment *cached[CACHED];

uint64_t cores_total(void)
{
    return executed;
}

void cores_watch(struct core *core)
{
    (void)core;
}

uint64_t turns_not_run(void)
{
    return 0;
}

uint32_t registers_world(uint32_t level)
{
    return level;
}

uint64_t registers_timer_fired(void)
{
    return 0;
}

void registers_doubt(uint32_t from, uint32_t to, uint64_t address)
{
    (void)from;
    (void)to;
    (void)address;
}

uint32_t registers_context(uint32_t level)
{
    (void)level;
    return 0;
}

static bool is_fresh(const struct written *written)
{
    return written->is_there && written->at == *current->core.instructions;
}

/* Why the core is at a higher level now, and where it goes on: as its registers say, or the call that it executed last. */
static uint32_t put_cause(uint32_t level, uint64_t *syndrome, uint64_t *return_address)
{
    uint32_t unknown = 0;
    bool is_call = flow_call(&current->last, syndrome);

    *return_address = current->last.address + current->last.bytes;
    if (is_fresh(&current->syndromes[level])) {
        *syndrome = current->syndromes[level].value;
    } else if (!is_call) {
        unknown |= 1U << SYNDROME_REGISTER;
        *syndrome = 0;
    }
    if (is_fresh(&current->returns[level])) {
        *return_address = current->returns[level].value;
    } else if (!is_call) {
        unknown |= 1U << RETURN_REGISTER;
        *return_address = 0;
    }
    return unknown;
}

size_t registers_of_crossing(uint32_t from, uint32_t to, uint64_t out[CROSSING_REGISTERS_MAX], uint32_t *unknown)
{
    uint32_t level = to & WORLD_LEVEL_MASK;
    size_t count = source.arch == ARCH_ARMV8M ? M_PROFILE_ARGUMENTS : TRACE_REGISTERS;

    *unknown = 0;
    if (!world_change_has_registers(source.arch, from, to)) {
        return 0;
    }
    *unknown = current->unknown & ((1U << count) - 1);
    memcpy(out, current->registers, count * sizeof(*out));
    if (source.arch == ARCH_ARMV8M) {
        out[count] = current->registers[TRACE_LINK];
        *unknown |= current->unknown >> TRACE_LINK << count;
        return count + 1;
    }
    *unknown |= next.isa != TRACE_A64 ? ENTERS_AARCH32 : 0;
    if (level > (from & WORLD_LEVEL_MASK)) {
        *unknown |= put_cause(level, &out[SYNDROME_REGISTER], &out[RETURN_REGISTER]);
        count = RETURN_REGISTER + 1;
    }
    return count;
}

static void put_source(void)
{
    struct {
        uint32_t unknown;
        uint16_t name_bytes, unit_bytes;
        uint64_t femtoseconds;
        char text[2 * TEXT_MAX];
    } body = { .unknown = source.unknown, .femtoseconds = source.femtoseconds };

    body.name_bytes = (uint16_t)strnlen(source.name, TEXT_MAX);
    body.unit_bytes = (uint16_t)strnlen(source.unit, TEXT_MAX);
    memcpy(body.text, source.name, body.name_bytes);
    memcpy(body.text + body.name_bytes, source.unit, body.unit_bytes);
    records_put(RECORD_SOURCE, 0, &body, sizeof(body) - sizeof(body.text) + body.name_bytes + body.unit_bytes);
}

void writer_open(FILE *file, const char *file_name, uint64_t limit_bytes, const struct trace_source *of)
{
    struct stream_header header = {
        .magic = STREAM_MAGIC, .version = STREAM_VERSION, .bytes = sizeof(header), .arch = (uint16_t)of->arch, .wanted = HEADER_FUNCTIONS,
    };

    source = *of;
    executed = 0;
    memset(cached, 0, sizeof(cached));
    known_start();
    changes_start(source.arch, true, false);
    records_open(file, file_name, limit_bytes, &header, sizeof(header));
    put_source();
}

static void *allocated(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

struct trace_core *writer_core(uint64_t identity)
{
    struct trace_core *core;

    if (core_count == TRACE_CORES_MAX) {
        return NULL;
    }
    core = allocated(sizeof(*core));
    core->core = (struct core) { .number = core_count, .level = WATCHED_NOTHING, .world = WORLD_NONE, .watched = WATCHED_NOTHING };
    core->core.instructions = &core->core.own_instructions;
    core->core.path = allocated(sizeof(*core->core.path));
    core->core.profile = allocated(sizeof(*core->core.profile));
    core->core.has_clock = (source.unknown & SOURCE_NO_TIME) == 0;
    core->core.spent = core->core.has_clock ? allocated(sizeof(*core->core.spent)) : NULL;
    core->core.time = TRACE_UNKNOWN;
    core->unknown = ALL_UNKNOWN;
    cores[core_count++] = core;
    records_put(RECORD_CORE, core->core.number, &identity, sizeof(identity));
    return core;
}

uint32_t writer_core_number(const struct trace_core *core)
{
    return core->core.number;
}

uint64_t writer_instructions(const struct trace_core *core)
{
    return *core->core.instructions;
}

uint32_t writer_world(const struct trace_core *core)
{
    return core->core.world;
}

static struct fragment fragment_of_stretch(const struct stretch *stretch)
{
    bool is_aarch32 = source.arch == ARCH_AARCH64 && stretch->isa != TRACE_A64;

    return (struct fragment) { .address = stretch->address,
                               .instructions = stretch->instructions,
                               .context = is_aarch32 ? CONTEXT_AARCH32 | (stretch->isa == TRACE_T32 ? CONTEXT_THUMB : 0) : 0,
                               .level = source.arch == ARCH_AARCH64 ? stretch->world & WORLD_LEVEL_MASK : stretch->world,
                               .is_aarch32 = is_aarch32,
                               .code_bytes = stretch->code_bytes,
                               .code = stretch->code };
}

static uint32_t number_of(const struct stretch *stretch)
{
    struct fragment wanted = fragment_of_stretch(stretch);
    const struct fragment **slot = &cached[(stretch->address >> 1 ^ stretch->address >> 17 ^ wanted.level) % CACHED], *found = *slot;

    if (found == NULL || found->address != wanted.address || found->level != wanted.level || found->context != wanted.context ||
        found->code_bytes != wanted.code_bytes || memcmp(found->code, wanted.code, wanted.code_bytes) != 0) {
        found = *slot = known_fragment(wanted, true);
    }
    return found->number;
}

/* The stretch is over, and what comes behind it runs at `time`. */
static void settle(struct trace_core *of, uint64_t time)
{
    struct stretch *stretch = &of->stretch;
    struct core *core = &of->core;
    uint32_t number = FRAGMENT_UNNUMBERED;

    if (!stretch->is_open) {
        return;
    }
    stretch->is_open = false;
    if (!core->is_measured) {
        return;
    }
    if (stretch->has_code) {
        number = number_of(stretch);
        core_ran(core, number, stretch->instructions);
    } else {
        profile_note(core->profile, number, stretch->instructions);
    }
    if (core->spent != NULL && time != TRACE_UNKNOWN && stretch->since != TRACE_UNKNOWN) {
        spent_note(core->spent, number, time - stretch->since);
    }
}

static struct opcode in_memory(const struct trace_instruction *instruction)
{
    uint32_t bits = instruction->opcode;

    if (instruction->isa == TRACE_T32 && instruction->bytes == 4) {
        bits = bits << 16 | bits >> 16;
    }
    return (struct opcode) { .bits = bits, .bytes = instruction->bytes };
}

static bool goes_on(const struct stretch *stretch, const struct trace_instruction *instruction)
{
    return stretch->is_open && stretch->next == instruction->address && stretch->isa == instruction->isa &&
           stretch->has_code == (instruction->bytes != 0) && stretch->code_bytes + instruction->bytes <= STRETCH_BYTES_MAX;
}

static void begin(struct stretch *stretch, const struct trace_instruction *instruction)
{
    stretch->is_open = true;
    stretch->address = instruction->address;
    stretch->since = instruction->time;
    stretch->instructions = 0;
    stretch->code_bytes = 0;
    stretch->world = instruction->world;
    stretch->isa = instruction->isa;
    stretch->has_code = instruction->bytes != 0;
}

static void append(struct stretch *stretch, const struct trace_instruction *instruction, struct opcode opcode)
{
    memcpy(stretch->code + stretch->code_bytes, &opcode.bits, opcode.bytes);
    stretch->code_bytes += (uint32_t)opcode.bytes;
    stretch->instructions++;
    /* Where a stretch ends its next instruction is none, so that one is never continued. */
    stretch->next = flow_may_end(instruction) ? TRACE_UNKNOWN : instruction->address + instruction->bytes;
}

static void goes_elsewhere(struct trace_core *of, const struct trace_instruction *instruction)
{
    struct fragment at = { .address = instruction->address, .level = instruction->world };

    settle(of, instruction->time);
    current = of;
    next = *instruction;
    of->core.time = instruction->time;
    changes_note(&of->core, &at);
    of->core.is_measured |= source.has_all_code;
}

void writer_executed(struct trace_core *of, const struct trace_instruction *instruction)
{
    struct core *core = &of->core;
    struct opcode opcode = in_memory(instruction);
    bool is_aarch32 = instruction->isa != TRACE_A64;
    enum sleep how = instruction->bytes != 0 ? opcode_sleep(source.arch, is_aarch32, opcode) : SLEEP_NONE;

    if (core->level != instruction->world || core->is_asleep) {
        goes_elsewhere(of, instruction);
    }
    if (!goes_on(&of->stretch, instruction)) {
        settle(of, instruction->time);
        begin(&of->stretch, instruction);
    }
    append(&of->stretch, instruction, opcode);
    core->time = instruction->time;
    of->last = *instruction;
    core->own_instructions++;
    executed++;
    if (how != SLEEP_NONE) {
        settle(of, instruction->time);
        changes_sleep(core, instruction->address, how);
    }
}

void writer_register(struct trace_core *core, uint32_t number, uint64_t value)
{
    core->registers[number] = value;
    core->unknown &= ~(1U << number);
}

void writer_register_unknown(struct trace_core *core, uint32_t number)
{
    core->registers[number] = 0;
    core->unknown |= 1U << number;
}

void writer_syndrome(struct trace_core *core, uint32_t level, uint64_t syndrome)
{
    core->syndromes[level % LEVELS] = (struct written) { .value = syndrome, .at = *core->core.instructions, .is_there = true };
}

void writer_return_address(struct trace_core *core, uint32_t level, uint64_t address)
{
    core->returns[level % LEVELS] = (struct written) { .value = address, .at = *core->core.instructions, .is_there = true };
}

void writer_settle(struct trace_core *core)
{
    settle(core, core->core.time);
}

static void put_gap(const struct trace_core *core, const struct trace_gap *gap)
{
    struct {
        uint8_t kind, world;
        uint8_t zeros[6];
        uint64_t instructions, missing, time, until, place;
    } body = {
        .kind = (uint8_t)gap->kind,
        .world = gap->world,
        .instructions = *core->core.instructions,
        .missing = gap->instructions,
        .time = core->core.time,
        .until = gap->until,
        .place = gap->place,
    };

    records_put(RECORD_GAP, core->core.number, &body, sizeof(body));
}

void writer_gap(struct trace_core *core, const struct trace_gap *gap)
{
    settle(core, core->core.time);
    changes_cut(&core->core);
    put_gap(core, gap);
    memset(core->registers, 0, sizeof(core->registers));
    core->unknown = ALL_UNKNOWN;
    core->last = (struct trace_instruction) { 0 };
}

static void release(struct trace_core *core)
{
    free(core->core.path);
    free(core->core.profile);
    free(core->core.spent);
    free(core->core.naps);
    free(core);
}

void writer_close(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        struct trace_gap stop = { .kind = GAP_STOP, .world = (uint8_t)cores[i]->core.world, .until = TRACE_UNKNOWN };

        writer_gap(cores[i], &stop);
        release(cores[i]);
    }
    core_count = 0;
    records_close(true);
}
