/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The connection pool and its handles.
 *
 * A handle is an index in its low bits and a generation above them: no address is in it, and it dies with its
 * connection or message because the generation moves on. Bit 30 marks a stateless handle, bit 29 a message handle.
 *
 *   client.c -> take, find, message_begin; message.c -> message_find; the end of a message -> free
 *
 * One API function runs at a time and no interrupt handler comes here, so the pool has no lock.
 */
#include "spm.h"

#define INDEX_BITS      5U
#define INDEX_MASK      ((1U << INDEX_BITS) - 1U)
#define GENERATION_STEP (1U << INDEX_BITS)
#define GENERATION_MASK 0x1FFFFFE0U
#define MESSAGE_BIT     (1U << 29)

_Static_assert(SPM_CONNECTIONS >= 1U && SPM_CONNECTIONS <= 32U, "the pool is one word of free bits");

static struct spm_connection pool[SPM_CONNECTIONS];
static uint32_t free_bits;

void spm_connection_init(void)
{
    free_bits = (uint32_t)(0xFFFFFFFFULL << (32U - SPM_CONNECTIONS));
    for (uint32_t i = 0; i < SPM_CONNECTIONS; i++) {
        pool[i].handle = i;
        pool[i].message_handle = MESSAGE_BIT | i;
        pool[i].index_bit = 0x80000000U >> i;
    }
}

/* The next generation of a handle, never generation 0: so no handle is 0. */
static uint32_t next(uint32_t handle)
{
    uint32_t generation = (handle + GENERATION_STEP) & GENERATION_MASK;

    return (handle & ~GENERATION_MASK) | (generation != 0U ? generation : GENERATION_STEP);
}

struct spm_connection *spm_connection_take(const struct spm_service *service, struct spm_partition *client)
{
    if (free_bits == 0U) {
        return NULL;
    }

    struct spm_connection *connection = &pool[__builtin_clz(free_bits)];

    free_bits &= ~connection->index_bit;
    connection->handle = next(connection->handle);
    connection->state = SPM_IDLE;
    connection->service = service;
    connection->client = client;
    connection->client_id = client->id;
    connection->rhandle = NULL;
    return connection;
}

/* Without a client no handle finds it. */
void spm_connection_free(struct spm_connection *connection)
{
    connection->state = SPM_FREE;
    connection->client = NULL;
    free_bits |= connection->index_bit;
}

/* Which entry a handle names, if there is one: whether it is the right one is for the caller to check. */
static struct spm_connection *entry_of(spm_word handle)
{
    uint32_t index = (uint32_t)handle & INDEX_MASK;

    return index < SPM_CONNECTIONS ? &pool[index] : NULL;
}

struct spm_connection *spm_connection_find(spm_word handle, const struct spm_partition *client)
{
    struct spm_connection *connection = entry_of(handle);

    if (connection == NULL || connection->handle != (uint32_t)handle || connection->client != client) {
        return NULL;
    }
    return connection->client_id == client->id ? connection : NULL;
}

struct spm_connection *spm_message_find(spm_word handle, const struct spm_partition *owner)
{
    struct spm_connection *connection = entry_of(handle);

    if (connection == NULL || connection->message_handle != (uint32_t)handle || connection->state != SPM_HANDLED) {
        return NULL;
    }
    return connection->service->owner == owner ? connection : NULL;
}

/* Kept here because the generation belongs to the handle. */
void spm_message_begin(struct spm_connection *connection, int32_t type)
{
    connection->message_handle = next(connection->message_handle);
    connection->type = type;
    connection->state = SPM_QUEUED;
}
