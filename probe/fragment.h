/* SPDX-License-Identifier: BSD-3-Clause */
/* Fragments: stretches of code that run from their first instruction to their last once they are entered. They are what is counted. */
#ifndef PROBE_FRAGMENT_H
#define PROBE_FRAGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAGMENT_UNNUMBERED UINT32_MAX
#define FRAGMENT_CODE_MAX 8192 /* bytes */

struct fragment {
    uint64_t address; /* of its first instruction */
    uint32_t number; /* in the stream; FRAGMENT_UNNUMBERED where it is not measured */
    uint32_t instructions;
    uint32_t left; /* of a block that is counted whole: those behind the first place where it may be left early; else 0. Follows from the code */
    uint32_t context; /* context.h; 0 where that is not asked for */
    struct fragment *elsewhere; /* the same code in another context; NULL behind the last */
    uint32_t level; /* what the machine translated it for: world, without the security state on AArch64 */
    bool is_aarch32;
    bool is_looked_at; /* the core may take other interrupts when it is entered than before, whatever ran before */
    bool is_edge; /* stretches with masked interrupts began or ended in it */
    uint32_t code_bytes;
    const uint8_t *code;
};

struct fragment_table;

struct fragment_table *fragment_table_new(void);

/* The one fragment that is this code at this address for this level: `wanted.number` is ignored, `wanted.code` is copied. The same code
 * always gives the same fragment, however often QEMU translates it, so a long run keeps no more than the code there is. `is_new` says whether it was made by this call. Not for two threads at once. */
struct fragment *fragment_of(struct fragment_table *table, struct fragment wanted, bool *is_new);

/* Gives the fragment the next number, unless it has one. */
void fragment_give_number(struct fragment_table *table, struct fragment *fragment);

void fragment_table_free(struct fragment_table *table);

#endif
