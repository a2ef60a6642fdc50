/* SPDX-License-Identifier: BSD-3-Clause */
/* The bench's dummy service with a known fault: it masks interrupts for 100 instructions. The sweep has to find it. */
#include "psa_manifest/bench_service.h"

#include "bench_echo.h"

static __attribute__((noinline)) void planted_masked_window(void)
{
    __asm__ volatile("cpsid i\n\t"
                     ".rept 100\n\t"
                     "nop\n\t"
                     ".endr\n\t"
                     "cpsie i" ::: "memory");
}

psa_status_t bench_connected_sfn(psa_msg_t *msg)
{
    planted_masked_window();
    return bench_echo(msg);
}

psa_status_t bench_stateless_sfn(psa_msg_t *msg)
{
    return bench_echo(msg);
}
