/* SPDX-License-Identifier: BSD-3-Clause */
#include "psa_manifest/test_server.h"

#include "test_server.h"

static uint32_t initialised;

psa_status_t test_server_init(void)
{
    initialised++;
    return PSA_SUCCESS;
}

static psa_status_t answer(const psa_msg_t *msg, psa_signal_t signal)
{
    return initialised == 1U ? test_server_answer(msg, signal) : PSA_ERROR_BAD_STATE;
}

psa_status_t test_connected_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_CONNECTED_SIGNAL);
}

psa_status_t test_strict_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_STRICT_SIGNAL);
}

psa_status_t test_stateless_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_STATELESS_SIGNAL);
}

psa_status_t test_secure_only_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_SECURE_ONLY_SIGNAL);
}

psa_status_t test_secure_stateless_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_SECURE_STATELESS_SIGNAL);
}

psa_status_t test_unused_sfn(psa_msg_t *msg)
{
    return answer(msg, TEST_UNUSED_SIGNAL);
}
