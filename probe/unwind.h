/* SPDX-License-Identifier: BSD-3-Clause */
/* Who called, on M-profile, where no frame records are: out of the stack and the code that it points to. */
#ifndef PROBE_UNWIND_H
#define PROBE_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False where it cannot be read. Is called for addresses of memory only, by the architecture's map. */
typedef bool (*unwind_read)(uint64_t address, void *to, size_t bytes);

/* Whether a link register holds how to return from an exception, and not where to. */
bool unwind_is_exception(uint64_t link);

/* The link register that an exception put onto the stack at `*frame`, 0 where that cannot be read; `*frame` is then the stack before it. */
uint64_t unwind_exception(uint64_t exception, uint64_t *frame, unwind_read read);

/* The next return address on the stack: of a call to code a little before `inside`, so that it may be one of the function around that. 0
 * where there is none before the frame of an exception; else `*stack` is behind it. */
uint64_t unwind_caller(uint64_t *stack, uint64_t inside, unwind_read read);

#endif
