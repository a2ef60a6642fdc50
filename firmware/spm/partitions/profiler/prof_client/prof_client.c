/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the cases once, as a secure client, when it is initialised. The non-secure side prints what came of them. */
#include "prof_intf_s.h"
#include "psa/service.h"

#define PROF_TOPIC PROF_TOPIC_SECURE
#include "prof_cases.h"

psa_status_t latlab_prof_client_init(void);
psa_status_t latlab_prof_start_sfn(psa_msg_t *msg);

psa_status_t latlab_prof_client_init(void)
{
    PROFILING_INIT();
    return prof_run_cases() ? PSA_SUCCESS : PSA_ERROR_GENERIC_ERROR;
}

/* An SPM that initialises a partition when it is called has done so now. */
psa_status_t latlab_prof_start_sfn(psa_msg_t *msg)
{
    (void)msg;
    return PSA_SUCCESS;
}
