/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the program share. There is no global data: the program's memory is where it was told, and VTOR finds it again. */
#ifndef PSA_CALLS_H
#define PSA_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "console.h"
#include "params.h"

#define REG32(address) (*(volatile uint32_t *)(address))
#define SCB_ICSR  REG32(0xE000ED04U)
#define SCB_VTOR  REG32(0xE000ED08U)
#define SCB_SHPR3 REG32(0xE000ED20U)
#define SYST_CSR  REG32(0xE000E010U)
#define SYST_RVR  REG32(0xE000E014U)
#define SYST_CVR  REG32(0xE000E018U)

#define VECTORS      16U
#define MEMORY_ALIGN 1024U /* of a vector table, whatever the number of interrupts */

/* What a watcher sees in r0 of psa_framework_version(), which takes no argument; r1 and r2 are the mark's own. */
enum mark {
    MARK_CALL = 0x4c4d0001, /* call, iteration: the next call is the one that is measured */
    MARK_SHOT = 0x4c4d0003, /* call, instructions: the timer starts, and the interrupt is due so much later */
    MARK_FIRST = 0x4c4d0005, /* call: the first one, which is not measured */
};
#define MARK_END 1 /* one more than that of the beginning: the call has come back, and the interrupt where there was one */

struct memory {
    uint32_t vectors[VECTORS];
    const struct params *params;
    volatile uint32_t fired;
    uint8_t out[]; /* of the call under way, to the stack */
};

/* Every output, as a number: equal outputs have equal ones. */
struct answer {
    int32_t status;
    uint32_t digest;
};

void say(const struct memory *memory, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes the call once, with what goes before and after it. `mark` and `number` are told to the watcher right before the call and behind it;
 * with `ticks` > 0 the timer starts in between and the interrupt has come when this returns.
 */
struct answer call_once(struct memory *memory, uint32_t index, enum mark mark, uint32_t number, uint32_t ticks);

/* False where the firmware has no veneer for it. */
bool call_is_possible(const struct params *params, const struct call *call);

/* Interrupts the call at every instruction that the parameters say, and counts the answers that are not `right`. */
void sweep(struct memory *memory, uint32_t index, struct answer right, bool has_one_digest);

#endif
