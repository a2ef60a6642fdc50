/* SPDX-License-Identifier: BSD-3-Clause */
/* A number that only grows, in memory that no client reaches. */
#include "psa/service.h"
#include "psa_manifest/counter.h"

static uint32_t last;

static psa_status_t give_next(const psa_msg_t *msg)
{
    if (msg->out_size[0] != sizeof(last)) {
        return PSA_ERROR_INVALID_ARGUMENT;
    }
    last++;
    psa_write(msg->handle, 0, &last, sizeof(last));
    return PSA_SUCCESS;
}

void counter_main(void)
{
    psa_msg_t msg;

    for (;;) {
        psa_wait(PSA_WAIT_ANY, PSA_BLOCK);
        if (psa_get(COUNTER_NEXT_SIGNAL, &msg) == PSA_SUCCESS) {
            psa_reply(msg.handle, give_next(&msg));
        }
    }
}
