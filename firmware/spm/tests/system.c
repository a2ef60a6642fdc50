/* SPDX-License-Identifier: BSD-3-Clause */
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spm_panic.h"

psa_flih_result_t system_flih(void);

static const struct spm_partition_info server_info = {
    .name = "server", .service_signals = 0x130U, .irq_signals = 0xC0U, .ipc = true,
};
static const struct spm_partition_info client_info = { .name = "client", .dependencies = 3U, .ipc = true };
struct spm_partition server = { .info = &server_info, .id = 256 };
struct spm_partition client = { .info = &client_info, .id = 257 };

struct spm_partition *const spm_partitions[] = { &server, &client, &spm_ns_agent };
const uint32_t spm_partition_count = 3;
const struct spm_service spm_services[] = {
    { .sid = SID_CONNECTED, .version = 3, .signal = SERVER_SIGNAL_CONNECTED, .non_secure_clients = true, .index = 0, .owner = &server },
    { .sid = SID_STATELESS, .version = 2, .signal = SERVER_SIGNAL_STATELESS, .strict = true, .stateless = true, .non_secure_clients = true,
      .index = 1, .owner = &server },
    { .sid = SID_MAPPED, .version = 1, .signal = SERVER_SIGNAL_MAPPED, .strict = true, .stateless = true, .non_secure_clients = true,
      .mm_iovec = true, .index = 2, .owner = &server },
};
const uint32_t spm_service_count = 3;
const struct spm_service *const spm_stateless[SPM_STATELESS_HANDLES] = { [0] = &spm_services[1], [1] = &spm_services[2] };
const struct spm_irq spm_irqs[] = {
    { .line = LINE_FLIH, .signal = SERVER_SIGNAL_FLIH, .owner = &server, .first_level = system_flih },
    { .line = LINE_SLIH, .signal = SERVER_SIGNAL_SLIH, .owner = &server },
};
const uint32_t spm_irq_count = 2;

_Noreturn void psa_panic(void)
{
    abort();
}

psa_flih_result_t system_flih(void)
{
    return PSA_FLIH_SIGNAL;
}

void system_start(void)
{
    for (uint32_t i = 0; i < spm_partition_count; i++) {
        const struct spm_partition_info *info = spm_partitions[i]->info;
        int32_t id = spm_partitions[i]->id;

        memset(spm_partitions[i], 0, sizeof(*spm_partitions[i]));
        spm_partitions[i]->info = info;
        spm_partitions[i]->id = id;
    }
    memset(&spm_kernel, 0, sizeof(spm_kernel));
    spm_host_memory_count = 0;
    spm_host_after_copy = NULL;
    spm_init();
    run_as(&spm_ns_agent);
}

void run_as(struct spm_partition *partition)
{
    spm_kernel.current = partition;
    spm_kernel.active = 1;
}

void grant(const struct spm_partition *owner, const void *base, size_t bytes, bool writable)
{
    CHECK(spm_host_memory_count < sizeof(spm_host_memory) / sizeof(spm_host_memory[0]));
    spm_host_memory[spm_host_memory_count++] = (struct spm_host_memory){ owner, base, bytes, writable };
}

spm_word woken(struct spm_partition *partition)
{
    CHECK(partition->deferred == 1U && (spm_kernel.ready & partition->rank_bit) != 0U);
    partition->deferred = 0;
    return partition->result;
}

psa_msg_t take(psa_signal_t signal)
{
    psa_msg_t *message = calloc(1, sizeof(*message));
    psa_msg_t taken;

    run_as(&server);
    grant(&server, message, sizeof(*message), true);
    CHECK(spm_get(signal, (spm_word)message) == 0U);
    spm_host_memory_count--;
    taken = *message;
    free(message);
    return taken;
}

psa_handle_t connected(struct spm_partition *from)
{
    run_as(from);
    spm_connect(SID_CONNECTED, 3);
    CHECK(from->deferred == 1U && (spm_kernel.ready & from->rank_bit) == 0U);

    psa_msg_t message = take(SERVER_SIGNAL_CONNECTED);

    CHECK(message.type == PSA_IPC_CONNECT && message.client_id == from->id);
    spm_reply((spm_word)message.handle, PSA_SUCCESS);
    run_as(from);
    return (psa_handle_t)woken(from);
}

enum spm_cause panic_of(void (*body)(void))
{
    if (setjmp(spm_host_reset) == 0) {
        body();
        return SPM_CAUSE_NONE;
    }
    return (enum spm_cause)spm_panic_take().cause;
}
