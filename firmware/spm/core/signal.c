/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals of a partition: services, interrupts, the doorbell.
 *
 *   gate -> spm_wait() -> spm_backend_wait() ... spm_signal_assert(), by a backend or an interrupt -> spm_backend_wake()
 *   gate -> spm_get(), spm_notify(), spm_clear()
 *
 * `asserted` and `waiting` are atomic because handlers change them in the middle of an API function. Nothing else here is shared.
 */
#include "spm.h"

/*
 * Interrupt handlers call this too. No section here masks anything (docs/explanation/spm.md). Of two handlers that both
 * find the partition waiting, the outer one's wake-up leaves the inner one's signal to the next wait.
 */
void spm_signal_assert(struct spm_partition *partition, psa_signal_t signal)
{
    psa_signal_t asserted = atomic_fetch_or(&partition->asserted, signal) | signal;
    psa_signal_t awaited = asserted & atomic_load(&partition->waiting);

    if (awaited != 0U) {
        atomic_store(&partition->waiting, 0U);
        spm_backend_wake(partition, awaited);
    }
}

static psa_signal_t signals_of(const struct spm_partition_info *info)
{
    return info->service_signals | info->irq_signals | PSA_DOORBELL;
}

static psa_signal_t asserted_of(struct spm_partition *partition)
{
    return atomic_load(&partition->asserted);
}

static bool is_one_bit(psa_signal_t signal)
{
    return signal != 0U && (signal & (signal - 1U)) == 0U;
}

spm_word spm_wait(spm_word mask, spm_word timeout)
{
    struct spm_partition *caller = spm_caller();
    psa_signal_t awaited = (psa_signal_t)mask & signals_of(caller->info);
    psa_signal_t asserted = asserted_of(caller) & awaited;

    spm_require(awaited != 0U, SPM_CAUSE_SIGNAL);
    if (asserted != 0U || ((uint32_t)timeout & PSA_BLOCK) == 0U) {
        return asserted;
    }
    return spm_backend_wait(caller, awaited);
}

spm_word spm_get(spm_word signal, spm_word message)
{
    struct spm_partition *caller = spm_caller();
    psa_signal_t wanted = (psa_signal_t)signal;
    psa_msg_t *out = (psa_msg_t *)message;

    spm_require(is_one_bit(wanted) && (wanted & caller->info->service_signals & asserted_of(caller)) != 0U, SPM_CAUSE_SIGNAL);
    spm_require((uintptr_t)out % _Alignof(psa_msg_t) == 0U && spm_arch_permits(caller, out, sizeof(*out), SPM_WRITE),
                SPM_CAUSE_POINTER);

    struct spm_connection *connection = spm_backend_take(caller, wanted);

    if (connection == NULL) {
        return (spm_word)(intptr_t)PSA_ERROR_DOES_NOT_EXIST;
    }
    spm_message_describe(connection, out);
    return (spm_word)PSA_SUCCESS;
}

spm_word spm_notify(spm_word partition_id)
{
    for (uint32_t i = 0; i < spm_partition_count; i++) {
        if (spm_partitions[i]->id == (int32_t)partition_id && spm_partitions[i]->info->ipc) {
            spm_signal_assert(spm_partitions[i], PSA_DOORBELL);
            return 0;
        }
    }
    spm_panic(SPM_CAUSE_NOTIFY);
}

spm_word spm_clear(void)
{
    struct spm_partition *caller = spm_caller();

    spm_require((asserted_of(caller) & PSA_DOORBELL) != 0U, SPM_CAUSE_DOORBELL);
    spm_signal_clear(caller, PSA_DOORBELL);
    return 0;
}

spm_word spm_partition_panic(void)
{
    spm_panic(SPM_CAUSE_PARTITION);
}

spm_word spm_rot_lifecycle_state(void)
{
    return PSA_LIFECYCLE_SECURED;
}
