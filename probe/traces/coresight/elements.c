/* SPDX-License-Identifier: BSD-3-Clause */
#include "elements.h"

#include <string.h>

#include "memory.h"

#define A32_BYTES 4U
#define T32_BYTES 2U
#define T32_LONG 0xe800U /* a first halfword from here on has a second */

static void add_gap(struct element_stream *stream, enum trace_gap_kind kind, uint8_t world, uint64_t missing, uint64_t place)
{
    struct trace_gap gap = { .kind = kind, .world = world, .instructions = missing, .until = TRACE_UNKNOWN, .place = place };

    writer_gap(stream->core, &gap);
    stream->has_return_address = false;
    stream->is_dated = false;
}

/* The core is one of the trace as soon as there is something to say of it. What it ran before the trace began is not known. */
static void begin(struct element_stream *stream)
{
    if (stream->core == NULL) {
        stream->core = writer_core(stream->identity);
        add_gap(stream, GAP_START, WORLD_NONE, TRACE_UNKNOWN, stream->start_place);
    }
}

static void settle_unknown(struct element_stream *stream)
{
    if (stream->unknown == 0) {
        return;
    }
    begin(stream);
    add_gap(stream, GAP_NO_WORLD, WORLD_NONE, stream->unknown, stream->unknown_place);
    stream->unknown = 0;
}

static void take_gap(struct element_stream *stream, enum trace_gap_kind kind, uint64_t missing, uint64_t place)
{
    settle_unknown(stream);
    begin(stream);
    add_gap(stream, kind, stream->world, missing, place);
}

static void take_no_sync(struct element_stream *stream, const struct element *element)
{
    bool is_start = element->reason == REASON_START && stream->core == NULL && stream->unknown == 0;
    enum trace_gap_kind kind = element->reason == REASON_OVERFLOW   ? GAP_OVERFLOW
                               : element->reason == REASON_BAD_DATA ? GAP_BAD_DATA
                                                                    : GAP_NO_SYNC;

    if (is_start) {
        stream->start_place = element->place;
    } else {
        take_gap(stream, kind, TRACE_UNKNOWN, element->place);
    }
    stream->world = WORLD_NONE;
    stream->is_unsynchronised = true;
}

static void take_trace_on(struct element_stream *stream, const struct element *element)
{
    enum trace_gap_kind kind = element->reason == REASON_OVERFLOW ? GAP_OVERFLOW : GAP_OFF;
    bool is_start = stream->core == NULL && stream->unknown == 0;

    if (is_start && !stream->is_unsynchronised) {
        stream->start_place = element->place;
    } else if (!stream->is_unsynchronised) {
        take_gap(stream, kind, TRACE_UNKNOWN, element->place);
    }
    stream->is_unsynchronised = false;
}

static void take_context(struct element_stream *stream, const struct element *element)
{
    if (!stream->has_worlds) {
        return;
    }
    settle_unknown(stream);
    stream->world = element->world;
}

static uint32_t halfword(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint8_t fetch_t32(const uint8_t *bytes, uint64_t available, uint32_t *opcode)
{
    *opcode = available < T32_BYTES ? 0 : halfword(bytes);
    if (available < T32_BYTES) {
        return 0;
    }
    if (*opcode < T32_LONG) {
        return T32_BYTES;
    }
    if (available < A32_BYTES) {
        return 0;
    }
    *opcode = *opcode << 16 | halfword(bytes + T32_BYTES);
    return A32_BYTES;
}

/* The opcode and its bytes; 0 where the memory does not have it. */
static uint8_t fetch(uint8_t isa, const uint8_t *bytes, uint64_t available, uint32_t *opcode)
{
    if (isa == TRACE_T32) {
        return fetch_t32(bytes, available, opcode);
    }
    if (available < A32_BYTES) {
        *opcode = 0;
        return 0;
    }
    *opcode = halfword(bytes) | halfword(bytes + 2) << 16;
    return A32_BYTES;
}

static void run(struct element_stream *stream, const struct element *element)
{
    struct trace_instruction instruction = {
        .address = element->address,
        .time = stream->is_dated ? stream->clock : TRACE_UNKNOWN,
        .world = stream->world,
        .isa = element->isa,
    };
    uint32_t space = memory_space(stream->world);
    uint64_t available = 0;
    const uint8_t *bytes = NULL;

    for (uint32_t i = 0; i < element->instructions; i++) {
        if (available < A32_BYTES) {
            bytes = memory_at(instruction.address, space, &available);
        }
        instruction.bytes = fetch(element->isa, bytes, available, &instruction.opcode);
        writer_executed(stream->core, &instruction);
        instruction.address += instruction.bytes != 0 ? instruction.bytes : element->isa == TRACE_T32 ? T32_BYTES : A32_BYTES;
        bytes = instruction.bytes != 0 ? bytes + instruction.bytes : NULL;
        available -= instruction.bytes != 0 ? instruction.bytes : available;
    }
}

/* Whether so many instructions can be in so many bytes. */
static bool fits(const struct element *element)
{
    uint64_t bytes = element->end - element->address;

    if (element->end < element->address) {
        return false;
    }
    if (element->isa == TRACE_T32) {
        return bytes >= (uint64_t)element->instructions * T32_BYTES && bytes <= (uint64_t)element->instructions * A32_BYTES;
    }
    return bytes == (uint64_t)element->instructions * A32_BYTES;
}

static void take_range(struct element_stream *stream, const struct element *element)
{
    bool is_higher;

    if (!fits(element)) {
        take_gap(stream, GAP_UNREADABLE, TRACE_UNKNOWN, element->place);
        return;
    }
    stream->counts.ranges++;
    stream->counts.instructions += element->instructions;
    if (stream->world == WORLD_NONE) {
        stream->unknown_place = stream->unknown == 0 ? element->place : stream->unknown_place;
        stream->unknown += element->instructions;
        return;
    }
    begin(stream);
    is_higher = writer_world(stream->core) != WORLD_NONE &&
                (stream->world & WORLD_LEVEL_MASK) > (writer_world(stream->core) & WORLD_LEVEL_MASK);
    if (stream->has_return_address && is_higher) {
        writer_return_address(stream->core, stream->world & WORLD_LEVEL_MASK, stream->return_address);
    }
    stream->has_return_address = false;
    run(stream, element);
    stream->is_dated = false;
}

static void take_no_memory(struct element_stream *stream, const struct element *element)
{
    if (stream->counts.no_memory++ == 0) {
        stream->counts.first_no_memory = element->address;
        stream->counts.first_place = element->place;
    }
    take_gap(stream, GAP_NO_MEMORY, TRACE_UNKNOWN, element->place);
}

static void take_exception(struct element_stream *stream, const struct element *element)
{
    stream->has_return_address = element->has_address && stream->core != NULL;
    stream->return_address = element->address;
}

static void take_cycles(struct element_stream *stream, const struct element *element)
{
    if (element->has_cycles) {
        stream->clock += element->cycles;
        stream->is_dated = stream->has_clock;
    }
}

void elements_start(struct element_stream *stream, uint64_t identity, bool has_worlds, bool has_clock)
{
    *stream = (struct element_stream) {
        .identity = identity, .has_worlds = has_worlds, .has_clock = has_clock, .is_used = true, .world = WORLD_NONE,
    };
}

void elements_take(struct element_stream *stream, const struct element *element)
{
    switch (element->kind) {
    case ELEMENT_NO_SYNC:
        take_no_sync(stream, element);
        break;
    case ELEMENT_TRACE_ON:
        take_trace_on(stream, element);
        break;
    case ELEMENT_CONTEXT:
        take_context(stream, element);
        break;
    case ELEMENT_RANGE:
        take_range(stream, element);
        break;
    case ELEMENT_NO_PATH:
        take_gap(stream, GAP_LOST, element->instructions, element->place);
        break;
    case ELEMENT_NO_MEMORY:
        take_no_memory(stream, element);
        break;
    case ELEMENT_NO_ADDRESS:
        take_gap(stream, GAP_NO_SYNC, TRACE_UNKNOWN, element->place);
        break;
    case ELEMENT_EXCEPTION:
        take_exception(stream, element);
        break;
    default:
        break;
    }
    if (element->kind >= ELEMENT_RANGE) {
        stream->is_unsynchronised = false;
    }
    take_cycles(stream, element);
}

void elements_finish(struct element_stream *stream)
{
    settle_unknown(stream);
}
