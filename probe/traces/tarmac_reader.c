/* SPDX-License-Identifier: BSD-3-Clause */
#include "tarmac_reader.h"

#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "result.h"

#define PICO 1000ULL /* femtoseconds */
#define NANO 1000000ULL
#define MICRO 1000000000ULL
#define MILLI 1000000000000ULL
#define FRACTIONS 1000000ULL
#define CLUSTER_SHIFT 8
#define NO_GAP 0
#define WORLDS 16U
#define TAG_BITS 8
#define VECTOR_BYTES 0x80U
#define ARGUMENT_REGISTERS ((1U << TRACE_REGISTERS) - 1)

static const char strange[] = "a line of unknown form";

/* The numbers of instructions as far as they were read. */
struct numbering {
    bool has_any, is_whole; /* whole: from the first one on */
    uint64_t next;
};

struct tarmac_core {
    char name[TARMAC_NAME_BYTES];
    uint32_t name_bytes, input, number; /* the number in the stream */
    struct trace_core *trace; /* NULL before its first instruction */
    bool has_last, may_jump, was_reset, has_branched;
    uint64_t branched_to; /* since the last instruction, as a line says */
    struct trace_instruction last;
    struct numbering numbering; /* where the cores do not share one */
    uint32_t writes; /* of x0 to x7 those that the last instruction writes, and of which no value came yet */
    uint32_t may_write; /* those that it may have written */
    uint32_t stale; /* of these the ones of which no value came yet */
    uint64_t vectors[WORLDS];
    uint32_t has_vectors; /* a bit for each world */
    struct general_registers general; /* before the last instruction, and what came of it */
    struct trace_gap gap; /* before the next instruction; kind 0: none */
    uint64_t values[TRACE_REGISTERS + 1];
    uint32_t known; /* of them, before the core's first instruction */
};

struct unit {
    const char *name;
    uint64_t femtoseconds;
};

static const struct unit units[] = {
    { "clk", 0 }, { "cyc", 0 }, { "tic", 0 }, { "cs", 0 }, { "fs", 1 }, { "ps", PICO }, { "ns", NANO }, { "us", MICRO }, { "ms", MILLI },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

static struct tarmac_options options;
static struct tarmac_summary summary;
static struct tarmac_core *cores[TRACE_CORES_MAX];
static uint32_t core_count;
static struct tarmac_core *current; /* of the last line that named one, or of its input's only one */
static enum tarmac_dialect dialect;
static enum arch arch;
static struct trace_source source;
static bool has_registers, has_branches; /* the trace shows them */
static bool shares_numbers; /* gem5 counts the instructions of all cores together */
static struct numbering shared;
static uint64_t first_address; /* of the first core */
static struct tarmac_text unit;
static bool is_fraction;

void tarmac_start(const struct tarmac_options *of)
{
    options = *of;
    summary = (struct tarmac_summary) { .unit = "" };
    for (uint32_t i = 0; i < core_count; i++) {
        free(cores[i]);
    }
    core_count = 0;
    current = NULL;
    dialect = TARMAC_NO_DIALECT;
    source = (struct trace_source) { .name = NULL };
    has_registers = false;
    has_branches = false;
    shares_numbers = false;
    shared = (struct numbering) { .has_any = false };
}

static void note_refusal(const char *reason, const char *text, size_t bytes, struct tarmac_place place)
{
    struct tarmac_refusal *refusal;
    uint32_t i = 0;

    while (i < summary.refusal_count && summary.refusals[i].reason != reason) {
        i++;
    }
    if (i == TARMAC_REASONS) {
        return;
    }
    refusal = &summary.refusals[i];
    if (i == summary.refusal_count) {
        summary.refusal_count++;
        *refusal = (struct tarmac_refusal) { .reason = reason, .first_line = place.line, .input = place.input };
        memcpy(refusal->text, text, bytes < TARMAC_NAME_BYTES ? bytes : TARMAC_NAME_BYTES - 1);
    }
    refusal->count++;
}

static struct tarmac_core *add_core(struct tarmac_text name, uint32_t input)
{
    struct tarmac_core *core;

    if (core_count == TRACE_CORES_MAX) {
        return NULL;
    }
    core = calloc(1, sizeof(*core));
    if (core == NULL) {
        abort();
    }
    core->name_bytes = name.bytes < TARMAC_NAME_BYTES ? name.bytes : TARMAC_NAME_BYTES - 1;
    memcpy(core->name, name.start, core->name_bytes);
    core->input = input;
    cores[core_count++] = core;
    return core;
}

static bool is_named(const struct tarmac_core *core, struct tarmac_text name, uint32_t input)
{
    return core->name_bytes == name.bytes && (name.bytes > 0 || core->input == input) && memcmp(core->name, name.start, name.bytes) == 0;
}

/* The core of a line: by its name, or by its input where it names none. */
static struct tarmac_core *core_of(struct tarmac_text name, uint32_t input)
{
    if (name.bytes == 0 && current != NULL && current->input == input) {
        return current;
    }
    if (name.bytes >= TARMAC_NAME_BYTES) {
        name.bytes = TARMAC_NAME_BYTES - 1;
    }
    if (current != NULL && is_named(current, name, input)) {
        return current;
    }
    for (uint32_t i = 0; i < core_count; i++) {
        if (is_named(cores[i], name, input)) {
            return cores[i];
        }
    }
    return add_core(name, input);
}

/* The core of an input whose lines name none; NULL where they do. */
static struct tarmac_core *unnamed_core(uint32_t input)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i]->name_bytes == 0 && cores[i]->input == input && cores[i]->trace != NULL) {
            return cores[i];
        }
    }
    return NULL;
}

/* A gap before the next instruction of the core; more of one kind in a row are one. */
static void note_gap(struct tarmac_core *core, enum trace_gap_kind kind, uint64_t instructions, uint64_t place)
{
    if (core->gap.kind == kind && core->gap.instructions != TRACE_UNKNOWN && instructions != TRACE_UNKNOWN) {
        core->gap.instructions += instructions;
        return;
    }
    if (core->gap.kind == NO_GAP) {
        core->gap = (struct trace_gap) { .kind = kind, .world = WORLD_NONE, .instructions = instructions, .until = TRACE_UNKNOWN, .place = place };
    }
}

static struct numbering *numbering_of(struct tarmac_core *core)
{
    return shares_numbers ? &shared : &core->numbering;
}

static uint64_t number_behind(const char *name, const char *word, uint64_t otherwise)
{
    const char *at = strstr(name, word);

    return at != NULL ? strtoull(at + strlen(word), NULL, 10) : otherwise;
}

/* `cluster1.cpu2` is core 2 of cluster 1; a name without numbers is the next core of cluster 0. */
static uint64_t identity_of(const struct tarmac_core *core, uint64_t otherwise)
{
    return number_behind(core->name, "cluster", 0) << CLUSTER_SHIFT | number_behind(core->name, "cpu", otherwise);
}

static const char *name_of_dialect(const struct tarmac_line *line)
{
    if (line->dialect == TARMAC_ES) {
        return "Tarmac of RTL or a cycle model";
    }
    return line->is_as_gem5 ? "Tarmac of gem5" : "Tarmac of Fast Models";
}

static void set_unit(const struct tarmac_line *line)
{
    for (size_t i = 0; i < UNITS; i++) {
        if (strlen(units[i].name) == line->unit.bytes && memcmp(units[i].name, line->unit.start, line->unit.bytes) == 0) {
            unit = (struct tarmac_text) { units[i].name, line->unit.bytes };
            source.unit = units[i].name;
            source.femtoseconds = units[i].femtoseconds;
        }
    }
    is_fraction = line->is_fraction;
    if (is_fraction) {
        source.unit = source.femtoseconds >= MICRO ? "ps" : "fs";
        source.femtoseconds = source.femtoseconds >= MICRO ? source.femtoseconds / FRACTIONS : 1;
    }
}

/* By the first instruction that says its world. */
static void open_stream(const struct tarmac_line *line)
{
    arch = line->arch;
    source.name = name_of_dialect(line);
    source.unit = "";
    source.arch = arch;
    source.has_all_code = options.has_all_code;
    source.unknown = line->has_serial ? 0 : SOURCE_NO_SERIALS;
    if (line->has_time && line->unit.bytes > 0) {
        set_unit(line);
    } else {
        source.unknown |= SOURCE_NO_TIME;
    }
    shares_numbers = line->is_as_gem5 && line->has_serial;
    if (line->is_as_gem5 && strcmp(source.unit, "clk") == 0) {
        source.unit = "ticks"; /* gem5 writes its ticks, whatever the clock of the core is */
    }
    writer_open(options.out, options.out_name, options.limit_bytes, &source);
    summary.name = source.name;
    summary.unit = source.unit;
}

/* By its number: it is the first one, or of a later core that counts on from the others and begins where the first one did. */
static bool begins_whole(struct tarmac_core *core, const struct tarmac_line *line)
{
    const struct numbering *numbering = numbering_of(core);

    if (!line->has_serial || !numbering->has_any) {
        return line->has_serial && line->serial <= 1;
    }
    return numbering->is_whole && line->serial == numbering->next && line->instruction.address == first_address;
}

static bool begin_core(struct tarmac_core *core, const struct tarmac_line *line, uint64_t place)
{
    if (source.name == NULL) {
        open_stream(line);
        first_address = line->instruction.address;
    }
    core->trace = writer_core(identity_of(core, summary.cores));
    if (core->trace == NULL) {
        return false;
    }
    core->number = summary.cores++;
    if (!core->was_reset && !begins_whole(core, line)) {
        note_gap(core, GAP_START, TRACE_UNKNOWN, place);
    }
    return true;
}

static bool has_unit(const struct tarmac_line *line)
{
    return line->unit.bytes == unit.bytes && memcmp(line->unit.start, unit.start, unit.bytes) == 0 && line->is_fraction == is_fraction;
}

/* False for an exception that is taken elsewhere than where the vectors of the world are. */
static bool is_at_vector(const struct tarmac_core *core, const struct trace_instruction *next)
{
    if (!flow_is_exception(&core->last, next) || (core->has_vectors & 1U << next->world % WORLDS) == 0) {
        return true;
    }
    return core->vectors[next->world % WORLDS] == flow_vectors(next);
}

/* False where the last instruction branched to a register that points elsewhere, except to an exception. The upper byte may be a tag. */
static bool is_at_target(const struct tarmac_core *core, const struct trace_instruction *next)
{
    uint64_t target;

    if (next->world != core->last.world || !result_target(&core->last, &core->general, &target)) {
        return true;
    }
    return (next->address ^ target) << TAG_BITS == 0 || next->address % VECTOR_BYTES == 0;
}

/* Whether the instruction follows the last one, as far as that is known. A trace that shows branches shows each that was taken. */
static bool follows(const struct tarmac_core *core, const struct trace_instruction *instruction)
{
    if (!core->has_last || core->may_jump) {
        return true;
    }
    if (core->has_branched || has_branches) {
        uint64_t next = core->last.address + core->last.bytes;

        if (instruction->address != (core->has_branched ? core->branched_to : next)) {
            return false;
        }
    }
    return flow_leads_to(&core->last, instruction) && is_at_vector(core, instruction) && is_at_target(core, instruction);
}

/* Where the vectors of a world are, as its calls show. */
static void learn_vectors(struct tarmac_core *core, const struct trace_instruction *next)
{
    uint64_t syndrome;

    if (flow_moves_vectors(next)) {
        core->has_vectors = 0;
    } else if (core->has_last && flow_is_exception(&core->last, next) && flow_call(&core->last, &syndrome)) {
        core->vectors[next->world % WORLDS] = flow_vectors(next);
        core->has_vectors |= 1U << next->world % WORLDS;
    }
}

/* Numbers are missing. Where cores share them, those of any core may be: then how many of one is not known. */
static void note_lost(struct tarmac_core *core, uint64_t instructions, uint64_t place)
{
    bool is_only = !shares_numbers || summary.cores <= 1;

    note_gap(core, GAP_LOST, is_only ? instructions : TRACE_UNKNOWN, place);
    for (uint32_t i = 0; !is_only && i < core_count; i++) {
        if (cores[i] != core && cores[i]->trace != NULL) {
            note_gap(cores[i], GAP_LOST, TRACE_UNKNOWN, place);
        }
    }
}

static void check_number(struct tarmac_core *core, const struct tarmac_line *line, uint64_t place)
{
    struct numbering *numbering = numbering_of(core);

    if (numbering->has_any && !line->has_serial) {
        note_gap(core, GAP_FOREIGN, TRACE_UNKNOWN, place);
    } else if (numbering->has_any && line->serial > numbering->next) {
        note_lost(core, line->serial - numbering->next, place);
        numbering->is_whole = false;
    } else if (numbering->has_any && line->serial < numbering->next) {
        note_gap(core, GAP_ORDER, TRACE_UNKNOWN, place);
        numbering->is_whole = false;
    }
}

/* What is missing before this instruction, by its number, its time and where the one before leads. */
static void check(struct tarmac_core *core, const struct tarmac_line *line, uint64_t place)
{
    const struct trace_instruction *instruction = &line->instruction;

    check_number(core, line, place);
    if (core->has_last && instruction->time < core->last.time && core->last.time != TRACE_UNKNOWN) {
        note_gap(core, GAP_ORDER, TRACE_UNKNOWN, place);
    }
    if (!follows(core, instruction)) {
        note_gap(core, GAP_JUMP, TRACE_UNKNOWN, place);
    }
}

static void count_number(struct tarmac_core *core, const struct tarmac_line *line)
{
    struct numbering *numbering = numbering_of(core);

    if (!numbering->has_any) {
        numbering->is_whole = line->has_serial && line->serial <= 1;
    }
    numbering->has_any = line->has_serial;
    numbering->next = line->serial + 1;
}

static void put_gap(struct tarmac_core *core, const struct trace_instruction *instruction)
{
    if (core->gap.kind == NO_GAP) {
        return;
    }
    core->gap.until = instruction->time;
    writer_gap(core->trace, &core->gap);
    core->gap.kind = NO_GAP;
    core->writes = 0;
    core->general.known = 0;
    core->has_vectors = 0;
}

static void tell_registers(struct tarmac_core *core)
{
    for (uint32_t i = 0; i <= TRACE_REGISTERS; i++) {
        if (core->known & 1U << i) {
            writer_register(core->trace, i, core->values[i]);
        }
    }
    core->known = 0;
}

/* Of the registers that the last instruction wrote a value should have come. */
static void forget_unwritten(struct tarmac_core *core)
{
    for (uint32_t i = 0; has_registers && core->writes != 0; i++, core->writes >>= 1) {
        if (core->writes & 1U) {
            writer_register_unknown(core->trace, i);
        }
    }
    core->writes = 0;
}

static void take_instruction(struct tarmac_core *core, const struct tarmac_line *line, struct tarmac_place place)
{
    struct trace_instruction instruction = line->instruction;

    instruction.time = line->has_time && source.unit[0] != '\0' ? line->time : TRACE_UNKNOWN;
    check(core, &(struct tarmac_line) { .instruction = instruction, .has_serial = line->has_serial, .serial = line->serial }, place.line);
    learn_vectors(core, &instruction);
    put_gap(core, &instruction);
    tell_registers(core);
    forget_unwritten(core);
    writer_executed(core->trace, &instruction);
    summary.instructions++;
    core->last = instruction;
    core->has_last = true;
    core->may_jump = false;
    core->has_branched = false;
    count_number(core, line);
    core->writes = flow_writes(&instruction) & ARGUMENT_REGISTERS;
    core->may_write = flow_may_write(&instruction);
    core->general.known &= ~core->stale;
    core->stale = core->may_write;
}

/* Why an instruction that could be read is not counted; NULL where it is. */
static const char *objection(const struct tarmac_line *line, enum trace_gap_kind *kind)
{
    *kind = GAP_FOREIGN;
    if (line->dialect != dialect) {
        return "an instruction of another dialect than the first";
    }
    *kind = GAP_NO_WORLD;
    if (line->instruction.world == WORLD_NONE) {
        return "an instruction without a mode that is known";
    }
    *kind = GAP_FOREIGN;
    if (source.name != NULL && line->arch != arch) {
        return "an instruction of another architecture than the first";
    }
    if (source.name != NULL && source.unit[0] != '\0' && (!line->has_time || !has_unit(line))) {
        return "an instruction with another unit of time than the first";
    }
    return NULL;
}

static void instruction(struct tarmac_core *core, const struct tarmac_line *line, const char *text, size_t bytes, struct tarmac_place place)
{
    struct numbering *numbering = numbering_of(core);
    enum trace_gap_kind kind;
    const char *reason;

    if (dialect == TARMAC_NO_DIALECT) {
        dialect = line->dialect;
    }
    if (line->is_not_fetched) {
        core->may_jump = true;
        numbering->next++;
        return;
    }
    reason = objection(line, &kind);
    if (reason != NULL) {
        note_refusal(reason, text, bytes, place);
        note_gap(core, kind, 1, place.line);
        numbering->next = line->serial + (numbering->has_any && line->has_serial);
        return;
    }
    if (core->trace == NULL && !begin_core(core, line, place.line)) {
        note_refusal("an instruction of more cores than can be followed", text, bytes, place);
        return;
    }
    take_instruction(core, line, place);
}

static void set_general(struct tarmac_core *core, uint32_t number, uint64_t value, bool has_value)
{
    core->writes &= ~(1U << number);
    if (core->trace == NULL) {
        core->values[number] = value;
        core->known = has_value ? core->known | 1U << number : core->known & ~(1U << number);
    } else if (has_value) {
        writer_register(core->trace, number, value);
    } else {
        writer_register_unknown(core->trace, number);
    }
}

/* Whether the last instruction wrote the register, and when. Else the line stands in the wrong place, and which value is right is not known. */
static bool is_in_place(struct tarmac_core *core, const struct tarmac_line *line)
{
    bool is_other_time = numbering_of(core)->has_any ? line->time != core->last.time : line->time < core->last.time;

    if (!core->has_last) {
        return true;
    }
    if (line->has_time && core->last.time != TRACE_UNKNOWN && is_other_time) {
        return false;
    }
    return line->what == TARMAC_LINK || (core->may_write & 1U << line->number) != 0;
}

/* Whether the last instruction may have given the register this value, by what is known of the registers before it. */
static bool may_have_value(const struct tarmac_core *core, const struct tarmac_line *line)
{
    uint32_t number;
    uint64_t value;

    if (!core->has_last || (core->stale & 1U << line->number) == 0 || !result_of(&core->last, &core->general, &number, &value)) {
        return true;
    }
    return number != line->number || value == line->value;
}

static void know_general(struct tarmac_core *core, uint32_t number, uint64_t value, bool has_value)
{
    core->stale &= ~(1U << number);
    core->general.values[number] = value;
    core->general.known = has_value ? core->general.known | 1U << number : core->general.known & ~(1U << number);
}

/* A value that the instructions do not give is a damaged line, or instructions are missing before. Which one is not known. */
static void take_general(struct tarmac_core *core, const struct tarmac_line *line, uint64_t place)
{
    bool has_value = line->has_value && is_in_place(core, line);

    if (has_value && !may_have_value(core, line)) {
        note_gap(core, GAP_VALUE, TRACE_UNKNOWN, place);
        has_value = false;
    }
    know_general(core, line->number, line->value, has_value);
    if (line->number < TRACE_REGISTERS) {
        set_general(core, line->number, line->value, has_value);
    }
}

static void take_register(struct tarmac_core *core, const struct tarmac_line *line, uint64_t place)
{
    has_registers = true;
    if (line->what == TARMAC_GENERAL) {
        take_general(core, line, place);
    } else if (line->what == TARMAC_LINK) {
        set_general(core, TRACE_LINK, line->value, line->has_value && is_in_place(core, line));
    } else if (core->trace != NULL && line->has_value && line->what == TARMAC_SYNDROME) {
        writer_syndrome(core->trace, line->number, line->value);
    } else if (core->trace != NULL && line->has_value) {
        writer_return_address(core->trace, line->number, line->value);
    }
}

static void take_exception(struct tarmac_core *core, const struct tarmac_line *line)
{
    core->may_jump = true;
    core->was_reset |= line->is_reset;
    if (line->is_reset) {
        core->general.known = 0;
        core->has_vectors = 0;
    }
}

static void take_branch(struct tarmac_core *core, uint64_t target)
{
    has_branches = true;
    core->has_branched = true;
    core->branched_to = target;
}

static void refused(struct tarmac_core *core, const struct tarmac_line *line, struct tarmac_place place)
{
    if (line->dialect != TARMAC_NO_DIALECT) {
        note_gap(core, GAP_UNREADABLE, 1, place.line);
        return;
    }
    if (line->what == TARMAC_LINK) {
        set_general(core, TRACE_LINK, 0, false);
    } else if (line->what == TARMAC_GENERAL && line->number < TRACE_REGISTERS) {
        set_general(core, line->number, 0, false);
    }
}

void tarmac_take(const struct tarmac_line *line, const char *text, size_t bytes, struct tarmac_place place, bool is_cut)
{
    struct tarmac_core *core, *unnamed;

    if (line->kind == TARMAC_NOTHING) {
        return;
    }
    if (line->kind == TARMAC_STRANGE || (line->kind == TARMAC_REFUSED && is_cut)) {
        note_refusal(is_cut ? "a last line that is cut off" : strange, text, bytes, place);
        return;
    }
    core = core_of(line->component, place.input);
    if (core == NULL) {
        note_refusal("a line of more cores than can be followed", text, bytes, place);
        return;
    }
    if (core->trace == NULL && core->name_bytes > 0 && (unnamed = unnamed_core(place.input)) != NULL) {
        note_refusal("a line with the name of a core, in a trace without names", text, bytes, place);
        refused(unnamed, line, place);
        return;
    }
    if (line->kind == TARMAC_INSTRUCTION || core->trace != NULL || current == NULL) {
        current = core;
    }
    switch (line->kind) {
    case TARMAC_INSTRUCTION:
        instruction(core, line, text, bytes, place);
        break;
    case TARMAC_REGISTER:
        take_register(core, line, place.line);
        break;
    case TARMAC_EXCEPTION:
        take_exception(core, line);
        break;
    case TARMAC_BRANCH:
        take_branch(core, line->value);
        break;
    case TARMAC_REFUSED:
        note_refusal(line->reason, text, bytes, place);
        refused(core, line, place);
        break;
    case TARMAC_NOTHING:
    case TARMAC_STRANGE:
        break;
    }
}

const struct tarmac_summary *tarmac_finish(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i]->trace != NULL && cores[i]->gap.kind != NO_GAP) {
            writer_gap(cores[i]->trace, &cores[i]->gap);
        }
    }
    if (source.name != NULL) {
        writer_close();
    }
    return &summary;
}

const char *tarmac_core_name(uint32_t core)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (cores[i]->trace != NULL && cores[i]->number == core) {
            return cores[i]->name;
        }
    }
    return "";
}
