/* SPDX-License-Identifier: BSD-3-Clause */
/* What the fuzzer knows of the SPM: its own connections, and the answer that the specification asks for. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "psa/client.h"

struct call {
    psa_handle_t handle;
    int32_t type;
    size_t in_count;
    size_t out_count;
    psa_invec in[PSA_MAX_IOVEC];
    psa_outvec out[PSA_MAX_IOVEC];
};

void model_start(void);
uint32_t random_below(uint32_t limit);

void random_vectors(struct call *call);
void random_call(struct call *call);
psa_status_t expected_of(const struct call *call);

/*
 * Before a call: what all memory that its vectors may name will hold after it, and the lengths that it will report.
 * After it: whether that came true.
 */
void model_foresee(const struct call *call, psa_status_t expected);
bool model_came_true(const struct call *call);

/* Each makes one random request and says whether the answer was right. */
bool random_connect(void);
bool random_close(void);
bool random_version(void);

/* Closes everything; every connection of the SPM can be had then, and not one more. */
bool pool_is_whole(void);

#endif
