/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of Tarmac to what writer.h asks: whose core a line is of, whether anything is missing before it, what of it is counted. */
#ifndef PROBE_TRACES_TARMAC_READER_H
#define PROBE_TRACES_TARMAC_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tarmac_line.h"
#include "writer.h"

#define TARMAC_NAME_BYTES 64
#define TARMAC_REASONS 24U

/* Lines of one kind that are not counted: how many, and the first. */
struct tarmac_refusal {
    const char *reason;
    uint64_t count, first_line;
    uint32_t input;
    char text[TARMAC_NAME_BYTES];
};

struct tarmac_options {
    FILE *out;
    const char *out_name;
    uint64_t limit_bytes;
    bool has_all_code;
};

struct tarmac_summary {
    const char *name; /* of the dialect; NULL where no instruction was read */
    const char *unit; /* of its clock, empty: none */
    uint64_t instructions;
    uint32_t cores;
    struct tarmac_refusal refusals[TARMAC_REASONS];
    uint32_t refusal_count;
};

/* Where a line stands. */
struct tarmac_place {
    uint32_t input; /* its number: lines without a core's name are of this input's core */
    uint64_t line;
};

/* Before the others are called. */
void tarmac_start(const struct tarmac_options *options);

/* Takes the next line. `text` of `bytes` bytes is what `line` was read from; the last of an input is `is_cut` where it has no end. */
void tarmac_take(const struct tarmac_line *line, const char *text, size_t bytes, struct tarmac_place place, bool is_cut);

/* Ends the stream, and says what was read. Valid until the next start. */
const struct tarmac_summary *tarmac_finish(void);

/* The name of a core, as the trace has it; empty where it has none. */
const char *tarmac_core_name(uint32_t core);

#endif
