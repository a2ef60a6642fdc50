/* SPDX-License-Identifier: BSD-3-Clause */
/* A measured call and what whoever watches from outside is to call it beside its function number. */
#ifndef SMC_CALLS_NAMED_CALL_H
#define SMC_CALLS_NAMED_CALL_H

#include <stdint.h>

#define NAME_LENGTH 16U

struct call {
    uint64_t x[8];
};

/* What follows is called so: up to NAME_LENGTH characters; empty: the function says it all. */
void name_calls(const char *name);
/* Makes the call with interrupts of the normal world open. All eight registers come back. */
void make_call(struct call *call);

#endif
