/* SPDX-License-Identifier: BSD-3-Clause */
#include "psa_manifest/test_server.h"

#include "test_server.h"

#define SERVICES \
    (TEST_CONNECTED_SIGNAL | TEST_STRICT_SIGNAL | TEST_STATELESS_SIGNAL | TEST_SECURE_ONLY_SIGNAL | TEST_SECURE_STATELESS_SIGNAL | TEST_UNUSED_SIGNAL)

void test_server_main(void)
{
    psa_msg_t message;

    for (;;) {
        psa_signal_t signals = psa_wait(SERVICES | PSA_DOORBELL, PSA_BLOCK);

        if ((signals & PSA_DOORBELL) != 0U) {
            psa_clear();
            test_server_doorbells++;
            continue;
        }
        psa_signal_t signal = signals & (0U - signals);

        if (test_server_misplaces_message) {
            psa_get(signal, test_server_next_message);
        }
        if (psa_get(signal, &message) == PSA_SUCCESS) {
            psa_reply(message.handle, test_server_answer(&message, signal));
        }
    }
}
