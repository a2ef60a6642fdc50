/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a service does with a message: read, skip, write, keep a handle, reply.
 *
 *   gate -> spm_read(), ..., spm_reply() -> spm_message_end() -> spm_backend_wake(client)
 *   SFN backend: the service's function returns -> spm_message_end(), with no reply
 *
 * The caller must own the message, else the SPM panics. The client's memory was checked when its call came and is its own to
 * change: it is read and written once, and nothing of it is believed afterwards. One API function runs at a time, without a lock.
 */
#include "spm.h"

void spm_message_describe(struct spm_connection *connection, psa_msg_t *out)
{
    out->type = connection->type;
    out->handle = (psa_handle_t)connection->message_handle;
    out->client_id = connection->client_id;
    out->rhandle = connection->rhandle;
    connection->state = SPM_HANDLED;
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        out->in_size[i] = 0;
        out->out_size[i] = 0;
    }
    for (uint32_t i = 0; i < connection->in_count; i++) {
        out->in_size[i] = connection->in[i].left_bytes;
    }
    for (uint32_t i = 0; i < connection->out_count; i++) {
        out->out_size[i] = connection->out[i].left_bytes;
    }
}

/* Tells the client how much was written. Its vectors were checked when the call came. */
static void report_written(const struct spm_connection *connection)
{
    for (uint32_t i = 0; i < connection->out_count; i++) {
        connection->client_out[i].len = connection->out[i].written_bytes;
    }
}

static psa_status_t end_connect(struct spm_connection *connection, psa_status_t status)
{
    if (status == PSA_SUCCESS) {
        connection->state = SPM_IDLE;
        return (psa_status_t)connection->handle;
    }
    spm_require(status == PSA_ERROR_CONNECTION_REFUSED || status == PSA_ERROR_CONNECTION_BUSY, SPM_CAUSE_REPLY);
    spm_connection_free(connection);
    return status;
}

static psa_status_t end_call(struct spm_connection *connection, psa_status_t status)
{
    report_written(connection);
    connection->in_count = 0;
    connection->out_count = 0;
    connection->state = SPM_IDLE;
    if (status == PSA_ERROR_PROGRAMMER_ERROR) {
        spm_require(spm_is_non_secure(connection->client), SPM_CAUSE_DROPPED);
        connection->state = SPM_DROPPED;
    }
    if (connection->service->stateless) {
        spm_connection_free(connection);
    }
    return status;
}

psa_status_t spm_message_end(struct spm_connection *connection, psa_status_t status)
{
    if (connection->type >= 0) {
        return end_call(connection, status);
    }
    if (connection->type == PSA_IPC_CONNECT) {
        return end_connect(connection, status);
    }
    spm_connection_free(connection);
    return PSA_SUCCESS;
}

static struct spm_connection *message_of(spm_word handle)
{
    struct spm_connection *connection = spm_message_find(handle, spm_caller());

    spm_require(connection != NULL, SPM_CAUSE_MESSAGE);
    return connection;
}

struct spm_connection *spm_call_of(spm_word message_handle, spm_word index)
{
    struct spm_connection *connection = message_of(message_handle);

    spm_require(connection->type >= 0, SPM_CAUSE_MESSAGE);
    spm_require(index < PSA_MAX_IOVEC, SPM_CAUSE_VECTOR);
    return connection;
}

static size_t advance(struct spm_in *in, size_t bytes)
{
    size_t taken = bytes < in->left_bytes ? bytes : in->left_bytes;

    in->next += taken;
    in->left_bytes -= taken;
    return taken;
}

spm_word spm_read(spm_word message_handle, spm_word index, spm_word buffer, spm_word bytes)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);

    if (bytes == 0U) {
        return 0;
    }
    spm_require(spm_arch_permits(spm_caller(), (void *)buffer, bytes, SPM_WRITE), SPM_CAUSE_POINTER);
    if (index >= connection->in_count) {
        return 0;
    }

    spm_vector_copied(connection, 1U << index);

    const uint8_t *from = connection->in[index].next;
    size_t taken = advance(&connection->in[index], bytes);

    spm_arch_copy((void *)buffer, from, taken);
    return taken;
}

spm_word spm_skip(spm_word message_handle, spm_word index, spm_word bytes)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);

    if (index >= connection->in_count) {
        return 0;
    }
    spm_vector_copied(connection, 1U << index);
    return advance(&connection->in[index], bytes);
}

spm_word spm_write(spm_word message_handle, spm_word index, spm_word buffer, spm_word bytes)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);
    struct spm_out *out = &connection->out[index];

    if (bytes == 0U) {
        return 0;
    }
    spm_require(index < connection->out_count && bytes <= out->left_bytes, SPM_CAUSE_OVERFLOW);
    spm_require(spm_arch_permits(spm_caller(), (const void *)buffer, bytes, SPM_READ), SPM_CAUSE_POINTER);
    spm_vector_copied(connection, SPM_OUT_BIT << index);
    spm_arch_copy(out->next, (const void *)buffer, bytes);
    out->next += bytes;
    out->left_bytes -= bytes;
    out->written_bytes += bytes;
    return 0;
}

spm_word spm_set_rhandle(spm_word message_handle, spm_word rhandle)
{
    struct spm_connection *connection = message_of(message_handle);

    spm_require(!connection->service->stateless, SPM_CAUSE_MESSAGE);
    connection->rhandle = (void *)rhandle;
    return 0;
}

spm_word spm_reply(spm_word message_handle, spm_word status)
{
    struct spm_connection *connection = message_of(message_handle);
    struct spm_partition *client = connection->client;

    spm_backend_wake(client, (spm_word)(intptr_t)spm_message_end(connection, (psa_status_t)status));
    return 0;
}
