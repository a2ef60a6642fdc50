/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of Tarmac: of Arm's Fast Models and FVPs, of gem5, of RTL and cycle models. Pure: a line says the same wherever it stands, except
 * one that continues the line before. */
#ifndef PROBE_TRACES_TARMAC_LINE_H
#define PROBE_TRACES_TARMAC_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruction.h"
#include "world.h"

enum tarmac_kind {
    TARMAC_NOTHING, /* blank, or something that does not matter here: memory, caches, comments of the model */
    TARMAC_INSTRUCTION,
    TARMAC_REGISTER, /* a general one, or one that says why a world switch was */
    TARMAC_EXCEPTION, /* also a reset */
    TARMAC_BRANCH, /* where the last instruction branched: `value` */
    TARMAC_REFUSED, /* an instruction, or a register of those, that cannot be read: `reason` says why */
    TARMAC_STRANGE, /* no line of Tarmac that is known */
};

enum tarmac_dialect { TARMAC_NO_DIALECT, TARMAC_IT, TARMAC_ES };

enum tarmac_register { TARMAC_GENERAL, TARMAC_LINK, TARMAC_SYNDROME, TARMAC_RETURN_ADDRESS };

struct tarmac_text {
    const char *start; /* in the line */
    uint32_t bytes;
};

struct tarmac_line {
    enum tarmac_kind kind;
    const char *reason; /* of TARMAC_REFUSED, else NULL */
    bool has_time, is_fraction; /* the time is in millionths of the unit */
    uint64_t time;
    struct tarmac_text unit, component; /* empty: none */
    /* Of an instruction; without a world where its mode is not said, or not known. */
    enum tarmac_dialect dialect;
    struct trace_instruction instruction;
    enum arch arch; /* as its mode says; 0 without one */
    bool is_not_fetched; /* it was not executed */
    bool has_serial, is_as_gem5;
    uint64_t serial;
    /* Of a register. */
    enum tarmac_register what;
    uint32_t number; /* of a general register, or the level of a syndrome or a return address */
    uint64_t value; /* also of a branch, its target */
    bool has_value, is_narrow; /* no value: not known; narrow: 32 bits were written */
    bool is_reset; /* of an exception */
};

/* What a line must know of the one before. From zeros. */
struct tarmac_before {
    bool is_memory;
    size_t column; /* where the address of a memory line stands, under which the next may continue it */
};

/* Reads a line of `bytes` bytes, without its end. */
void tarmac_read(const char *text, size_t bytes, struct tarmac_before *before, struct tarmac_line *line);

#endif
