/* SPDX-License-Identifier: BSD-3-Clause */
/* A service that answers at once: what is left is the cost of the call. */
#include "psa/service.h"

psa_status_t latlab_prof_sfn(psa_msg_t *msg);
psa_status_t latlab_prof_stateless_sfn(psa_msg_t *msg);

psa_status_t latlab_prof_sfn(psa_msg_t *msg)
{
    (void)msg;
    return PSA_SUCCESS;
}

psa_status_t latlab_prof_stateless_sfn(psa_msg_t *msg)
{
    (void)msg;
    return PSA_SUCCESS;
}
