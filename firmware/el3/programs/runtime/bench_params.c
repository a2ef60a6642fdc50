/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_params.h"

#define DEFAULT_ITERATIONS 20
#define DEFAULT_SEED 1

struct bench_params bench_params_read(void)
{
    struct bench_params params = *(const volatile struct bench_params *)BENCH_PARAMS_ADDRESS;

    if (params.magic == BENCH_PARAMS_MAGIC) {
        return params;
    }
    return (struct bench_params) { .magic = BENCH_PARAMS_MAGIC, .iterations = DEFAULT_ITERATIONS, .seed = DEFAULT_SEED };
}
