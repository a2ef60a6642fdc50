/* SPDX-License-Identifier: BSD-3-Clause */
#include "sfn_loop.h"

static const struct sfn_service *service_of(const struct sfn_service *services, uint32_t count, psa_signal_t signals)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((services[i].signal & signals) != 0U) {
            return &services[i];
        }
    }
    psa_panic();
}

_Noreturn void sfn_loop(psa_status_t (*initialise)(void), const struct sfn_service *services, uint32_t count)
{
    psa_signal_t mask = 0;
    psa_msg_t message;

    if (initialise != NULL && initialise() != PSA_SUCCESS) {
        psa_panic();
    }
    for (uint32_t i = 0; i < count; i++) {
        mask |= services[i].signal;
    }
    for (;;) {
        const struct sfn_service *service = service_of(services, count, psa_wait(mask, PSA_BLOCK));

        if (psa_get(service->signal, &message) == PSA_SUCCESS) {
            psa_reply(message.handle, service->function(&message));
        }
    }
}
