/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of the program, which its loader writes, and its memory; src/latlab/psa/targets/attack_params.py is the other side of both. An attack
 * is a list of steps. What it is good for, and what its outcome means, is decided outside.
 */
#ifndef PSA_ATTACKS_H
#define PSA_ATTACKS_H

#include <stdint.h>

#define PARAMS_MAGIC 0x3141434cU /* LCA1 */
#define STATE_MAGIC  0x41474149U
#define VECTORS      128U
#define MEMORY_BYTES 0x8000U /* the parameters lie behind it */

enum operation {
    STEP_CALL, /* branches to `target` with `r`, and tells the registers that come back */
    STEP_LOAD, /* tells the word at `target` */
    STEP_STORE, /* r[0] to the word at `target` */
    STEP_FILL, /* r[1] bytes of the parameters from r[0] on to `target` */
    STEP_POKES, /* what the timer's handler does: stores r[1] pairs of (address, word), which lie at r[0] of the parameters, then takes the step r[2] - 1 */
    STEP_GUESS, /* calls `target` with each of the r[1] words at r[0] of the parameters as handle, and r[2] */
};

enum flag {
    IN_HANDLER = 1, /* by SVC */
    WITH_KEPT = 2, /* r0, or the handle that is guessed, is the kept word exclusive-or what is given */
    KEEP = 4, /* the result is kept */
    WITH_TIMER = 8, /* the timer's interrupt comes, as much later as the shot says */
    WITH_FLOATS = 16, /* s0 to s31 hold patterns before and are told behind */
    QUIET = 32,
};

struct step {
    uint32_t operation;
    uint32_t flags;
    uint32_t target;
    uint32_t r[4];
};

struct attack {
    uint32_t first_step;
    uint32_t step_count;
    uint32_t first_shot; /* instructions behind the timer's start */
    uint32_t shot_step;
    uint32_t shots; /* how often it is made, 1 or more */
    uint32_t shown; /* memory that is told behind the last step */
    uint32_t shown_bytes;
};

struct params {
    uint32_t magic;
    uint32_t console;
    uint32_t attack_count;
    uint32_t first_attack;
    uint32_t first_shot; /* of the first attack */
    uint32_t step_offset; /* of the steps, from here */
    struct attack attacks[];
};

/* What a call left, in the order in which call_with_patterns() stores it. */
struct registers {
    uint32_t low[4];
    uint32_t high[8]; /* r4 to r11 */
    uint32_t r12;
    uint32_t apsr;
};

/* At the start of the non-secure RAM. */
struct memory {
    uint32_t vectors[VECTORS];
    volatile uint32_t mark[2]; /* 1 more than the attack's number, and the shot: who watches sees the stores */
    uint32_t state; /* STATE_MAGIC: the machine was reset under way */
    uint32_t resets; /* of the attack under way */
    uint32_t attack;
    const struct params *params;
    volatile uint32_t fired;
    uint32_t kept;
    uint32_t due;
    uint32_t handler_offset, handler_pairs, handler_step;
    uint32_t handler_saw; /* r0 to r12 of interrupted secure code, ORed */
    struct registers armed; /* of the SVC that asks for a call */
    uint32_t answers; /* lines of this attack so far */
    struct registers first;
    uint32_t first_digest;
    uint32_t floats[32];
};

/* In: the first four words the arguments, r12 the target, apsr what starts the timer. Out: all of it. */
void call_with_patterns(struct registers *registers);
void call_with_floats(struct registers *registers, uint32_t floats[32]);

#endif
