/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client API: who may reach which service, and what a call may carry.
 *
 *   gate -> spm_connect(), spm_call(), spm_close() -> spm_backend_deliver() -> the service; its result, now or when it replies
 *
 * Every argument is a word of the caller, spm_caller(): handles are looked up, vectors are copied once and their memory is checked
 * for that caller. One API function runs at a time, so the pool needs no lock; interrupts stay open.
 */
#include "spm.h"

#define STATELESS_BIT        (1U << 30)
#define STATELESS_INDEX_MASK (SPM_STATELESS_HANDLES - 1U)
#define STATELESS_VERSION(handle) ((uint32_t)(handle) >> 8 & 0x3FFFU)
#define STATELESS_SPARE_BITS 0xBFC000E0U /* zero in a good handle */

static const struct spm_service *service_of(uint32_t sid)
{
    for (uint32_t i = 0; i < spm_service_count; i++) {
        if (spm_services[i].sid == sid) {
            return &spm_services[i];
        }
    }
    return NULL;
}

static bool may_use(const struct spm_partition *client, const struct spm_service *service)
{
    if (spm_is_non_secure(client)) {
        return service->non_secure_clients;
    }
    return (client->info->dependencies >> service->index & 1U) != 0U;
}

static bool version_fits(const struct spm_service *service, uint32_t version)
{
    return service->strict ? version == service->version : version <= service->version;
}

spm_word spm_framework_version(void)
{
    return PSA_FRAMEWORK_VERSION;
}

spm_word spm_version(spm_word sid)
{
    const struct spm_service *service = service_of((uint32_t)sid);

    return service != NULL && may_use(spm_caller(), service) ? service->version : PSA_VERSION_NONE;
}

spm_word spm_connect(spm_word sid, spm_word version)
{
    struct spm_partition *client = spm_caller();
    const struct spm_service *service = service_of((uint32_t)sid);

    if (service == NULL || service->stateless || !may_use(client, service) || !version_fits(service, (uint32_t)version)) {
        return spm_client_error(SPM_CAUSE_REFUSED, PSA_ERROR_CONNECTION_REFUSED);
    }

    struct spm_connection *connection = spm_connection_take(service, client);

    if (connection == NULL) {
        return (spm_word)(intptr_t)PSA_ERROR_CONNECTION_BUSY;
    }
    spm_message_begin(connection, PSA_IPC_CONNECT);
    return spm_backend_deliver(connection);
}

/* The service of a stateless handle that this client may call; NULL if the handle is none of its. */
static const struct spm_service *stateless_service(const struct spm_partition *client, uint32_t handle)
{
    const struct spm_service *service = spm_stateless[handle & STATELESS_INDEX_MASK];

    if (service == NULL || (handle & STATELESS_SPARE_BITS) != 0U) {
        return NULL;
    }
    if (!may_use(client, service) || !version_fits(service, STATELESS_VERSION(handle))) {
        return NULL;
    }
    return service;
}

/* An input that is read twice may be two things: inputs share no byte. What shares one with an output is the client's business. */
static bool overlaps_one_before(const psa_invec *in, uint32_t index)
{
    uintptr_t first = (uintptr_t)in[index].base;

    for (uint32_t i = 0; i < index; i++) {
        uintptr_t other = (uintptr_t)in[i].base;

        if (in[i].len != 0U && first < other + in[i].len && other < first + in[index].len) {
            return true;
        }
    }
    return false;
}

/*
 * Takes over the client's vectors, each word read once. Returns false where the client names memory that it has no
 * right to; nothing of the message is used then.
 */
static bool take_vectors(struct spm_connection *connection, const psa_invec *in_vec, psa_outvec *out_vec, uint32_t in_count,
                         uint32_t out_count)
{
    const struct spm_partition *client = connection->client;
    psa_invec in[PSA_MAX_IOVEC];
    psa_outvec out[PSA_MAX_IOVEC];

    if (in_count != 0U && !(((uintptr_t)in_vec % _Alignof(psa_invec)) == 0U &&
                            spm_arch_permits(client, in_vec, in_count * sizeof(*in_vec), SPM_READ))) {
        return false;
    }
    if (out_count != 0U && !(((uintptr_t)out_vec % _Alignof(psa_outvec)) == 0U &&
                             spm_arch_permits(client, out_vec, out_count * sizeof(*out_vec), SPM_WRITE))) {
        return false;
    }
    spm_arch_copy(in, in_vec, in_count * sizeof(*in_vec));
    spm_arch_copy(out, out_vec, out_count * sizeof(*out_vec));
    for (uint32_t i = 0; i < in_count; i++) {
        if (in[i].len != 0U && (!spm_arch_permits(client, in[i].base, in[i].len, SPM_READ) || overlaps_one_before(in, i))) {
            return false;
        }
        connection->in[i] = (struct spm_in){ .next = in[i].base, .left_bytes = in[i].len };
    }
    for (uint32_t i = 0; i < out_count; i++) {
        if (out[i].len != 0U && !spm_arch_permits(client, out[i].base, out[i].len, SPM_WRITE)) {
            return false;
        }
        connection->out[i] = (struct spm_out){ .next = out[i].base, .left_bytes = out[i].len };
    }
    connection->in_count = in_count;
    connection->out_count = out_count;
    connection->client_out = out_vec;
    if (PSA_FRAMEWORK_HAS_MM_IOVEC) {
        connection->copied = 0;
        connection->mapped = 0;
        connection->unmapped = 0;
    }
    return true;
}

/* The connection that carries this call: the client's own, or one borrowed for a stateless service. */
static struct spm_connection *carrier_of(struct spm_partition *client, uint32_t handle, psa_status_t *refusal)
{
    *refusal = PSA_ERROR_PROGRAMMER_ERROR;
    if ((handle & STATELESS_BIT) == 0U) {
        struct spm_connection *connection = spm_connection_find(handle, client);

        return connection != NULL && connection->state == SPM_IDLE ? connection : NULL;
    }

    const struct spm_service *service = stateless_service(client, handle);

    if (service == NULL) {
        return NULL;
    }
    *refusal = PSA_ERROR_CONNECTION_BUSY;
    return spm_connection_take(service, client);
}

spm_word spm_call(spm_word handle, spm_word control, spm_word in_vec, spm_word out_vec)
{
    struct spm_partition *client = spm_caller();
    uint32_t in_count = (uint32_t)control >> PSA_CONTROL_IN_SHIFT & 0xFU;
    uint32_t out_count = (uint32_t)control >> PSA_CONTROL_OUT_SHIFT;
    int32_t type = (int32_t)((uint32_t)control & 0xFFFFU);

    if (type > PSA_CALL_TYPE_MAX || in_count > PSA_MAX_IOVEC || out_count > PSA_MAX_IOVEC - in_count) {
        return spm_client_error(SPM_CAUSE_CONTROL, PSA_ERROR_PROGRAMMER_ERROR);
    }

    psa_status_t refusal;
    struct spm_connection *connection = carrier_of(client, (uint32_t)handle, &refusal);

    if (connection == NULL) {
        return refusal == PSA_ERROR_CONNECTION_BUSY ? (spm_word)(intptr_t)refusal : spm_client_error(SPM_CAUSE_HANDLE, refusal);
    }
    if ((in_count | out_count) != 0U) {
        if (!take_vectors(connection, (const psa_invec *)in_vec, (psa_outvec *)out_vec, in_count, out_count)) {
            if (connection->service->stateless) {
                spm_connection_free(connection);
            }
            return spm_client_error(SPM_CAUSE_POINTER, PSA_ERROR_PROGRAMMER_ERROR);
        }
    }
    spm_message_begin(connection, type);
    return spm_backend_deliver(connection);
}

spm_word spm_close(spm_word handle)
{
    struct spm_connection *connection;

    if ((psa_handle_t)handle == PSA_NULL_HANDLE) {
        return 0;
    }
    connection = spm_connection_find(handle, spm_caller());
    if (connection == NULL || (connection->state != SPM_IDLE && connection->state != SPM_DROPPED)) {
        return spm_client_error(SPM_CAUSE_HANDLE, PSA_SUCCESS);
    }
    spm_message_begin(connection, PSA_IPC_DISCONNECT);
    return spm_backend_deliver(connection);
}
