/* SPDX-License-Identifier: BSD-3-Clause */
/* SFN backend: a service is a function, called on the client's stack. There are no threads and nothing blocks. */
#include "spm.h"

static void initialise(struct spm_partition *partition)
{
    if (partition->initialised) {
        return;
    }
    partition->initialised = true;
    if (partition->info->initialise != NULL) {
        spm_require(partition->info->initialise() == PSA_SUCCESS, SPM_CAUSE_INITIALISE);
    }
}

spm_word spm_backend_deliver(struct spm_connection *connection)
{
    struct spm_partition *client = spm_kernel.current;
    struct spm_partition *owner = connection->service->owner;
    psa_msg_t message;

    spm_kernel.current = owner;
    initialise(owner);
    spm_message_describe(connection, &message);

    psa_status_t status = connection->service->function(&message);

    spm_kernel.current = client;
    return (spm_word)(intptr_t)spm_message_end(connection, status);
}

/* A service function gets its message as an argument and replies by returning. */
struct spm_connection *spm_backend_take(struct spm_partition *owner, psa_signal_t signal)
{
    (void)owner;
    (void)signal;
    return NULL;
}

void spm_backend_wake(struct spm_partition *partition, spm_word result)
{
    (void)partition;
    (void)result;
    spm_panic(SPM_CAUSE_MESSAGE);
}

spm_word spm_backend_wait(struct spm_partition *partition, psa_signal_t mask)
{
    psa_signal_t asserted = atomic_load(&partition->asserted) & mask;

    while (asserted == 0U) {
        spm_arch_wait();
        asserted = atomic_load(&partition->asserted) & mask;
    }
    return asserted;
}

void spm_backend_init(void)
{
}
