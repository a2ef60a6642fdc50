/* SPDX-License-Identifier: BSD-3-Clause */
#include "psa_manifest/bench_service.h"

#include "bench_echo.h"

void bench_service_main(void)
{
    psa_msg_t message;

    for (;;) {
        psa_signal_t signals = psa_wait(BENCH_CONNECTED_SIGNAL | BENCH_STATELESS_SIGNAL, PSA_BLOCK);
        psa_signal_t signal = signals & BENCH_STATELESS_SIGNAL ? BENCH_STATELESS_SIGNAL : BENCH_CONNECTED_SIGNAL;

        if (psa_get(signal, &message) == PSA_SUCCESS) {
            psa_reply(message.handle, bench_echo(&message));
        }
    }
}
