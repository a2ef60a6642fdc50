/* SPDX-License-Identifier: BSD-3-Clause */
/* IPC backend: a partition is a thread, a message blocks its client until the reply. */
#include "spm.h"

/* A switch is due if the caller may no longer run, or if somebody more urgent may. */
static void request_switch_to(const struct spm_partition *woken)
{
    uint32_t current_bit = spm_kernel.current->rank_bit;

    if ((atomic_load(&spm_kernel.ready) & current_bit) != 0U && woken->rank_bit < current_bit) {
        return;
    }
    /* Outside a call it is written down too: a mask of the non-secure side may keep the request from being met. */
    spm_kernel.switch_wanted = 1;
    if (spm_kernel.active == 0U) {
        spm_arch_request_switch();
    }
}

void spm_backend_wake(struct spm_partition *partition, spm_word result)
{
    partition->result = result;
    atomic_fetch_or(&spm_kernel.ready, partition->rank_bit);
    request_switch_to(partition);
}

static void block(struct spm_partition *partition)
{
    partition->deferred = 1;
    atomic_fetch_and(&spm_kernel.ready, ~partition->rank_bit);
    spm_kernel.switch_wanted = 1;
}

static void append(struct spm_partition *owner, struct spm_connection *connection)
{
    struct spm_connection **end = &owner->queue;

    while (*end != NULL) {
        end = &(*end)->next;
    }
    connection->next = NULL;
    *end = connection;
}

spm_word spm_backend_deliver(struct spm_connection *connection)
{
    struct spm_partition *owner = connection->service->owner;

    append(owner, connection);
    block(connection->client);
    spm_signal_assert(owner, connection->service->signal);
    return 0;
}

static bool is_queued(const struct spm_connection *queue, psa_signal_t signal)
{
    for (; queue != NULL; queue = queue->next) {
        if (queue->service->signal == signal) {
            return true;
        }
    }
    return false;
}

struct spm_connection *spm_backend_take(struct spm_partition *owner, psa_signal_t signal)
{
    for (struct spm_connection **place = &owner->queue; *place != NULL; place = &(*place)->next) {
        struct spm_connection *connection = *place;

        if (connection->service->signal != signal) {
            continue;
        }
        *place = connection->next;
        if (!is_queued(*place, signal)) {
            spm_signal_clear(owner, signal);
        }
        return connection;
    }
    return NULL;
}

/* An interrupt may assert a signal at any point here: it is seen by the handler or by the second look, or by both. */
spm_word spm_backend_wait(struct spm_partition *partition, psa_signal_t mask)
{
    block(partition);
    atomic_store(&partition->waiting, mask);

    psa_signal_t asserted = atomic_load(&partition->asserted) & mask;

    if (asserted != 0U) {
        atomic_store(&partition->waiting, 0U);
        spm_backend_wake(partition, asserted);
    }
    return 0;
}

void spm_backend_init(void)
{
    for (uint32_t i = 0; i < spm_partition_count; i++) {
        struct spm_partition *partition = spm_partitions[i];

        partition->rank_bit = 0x80000000U >> i;
        spm_kernel.by_rank[i] = partition;
        spm_kernel.ready |= partition->rank_bit;
        spm_arch_thread_init(partition, partition->info->entry);
    }
}
