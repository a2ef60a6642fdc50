/*
 * The connection pool and its handles.
 *
 * A handle is an index and a generation: no address is in it, and it dies with its connection or message because the
 * generation moves on. Bit 30 marks a stateless handle, bit 29 a message handle.
 */
#include "spm.h"

#define INDEX_BITS      5U
#define INDEX_MASK      ((1U << INDEX_BITS) - 1U)
#define GENERATION_MASK 0x00FFFFFFU
#define MESSAGE_BIT     (1U << 29)

_Static_assert(SPM_CONNECTIONS >= 1U && SPM_CONNECTIONS <= 32U, "the pool is one word of free bits");

static struct spm_connection pool[SPM_CONNECTIONS];
static uint32_t free_bits;

void spm_connection_init(void)
{
    free_bits = (uint32_t)(0xFFFFFFFFULL << (32U - SPM_CONNECTIONS));
    for (uint32_t i = 0; i < SPM_CONNECTIONS; i++) {
        pool[i].state = SPM_FREE;
    }
}

static uint32_t next_generation(uint32_t generation)
{
    uint32_t next = (generation + 1U) & GENERATION_MASK;

    return next != 0U ? next : 1U;
}

struct spm_connection *spm_connection_take(const struct spm_service *service, struct spm_partition *client)
{
    if (free_bits == 0U) {
        return NULL;
    }

    uint32_t index = (uint32_t)__builtin_clz(free_bits);
    struct spm_connection *connection = &pool[index];

    free_bits &= ~(0x80000000U >> index);
    connection->connection_generation = next_generation(connection->connection_generation);
    connection->state = SPM_IDLE;
    connection->service = service;
    connection->client = client;
    connection->rhandle = NULL;
    connection->in_count = 0;
    connection->out_count = 0;
    return connection;
}

void spm_connection_free(struct spm_connection *connection)
{
    connection->state = SPM_FREE;
    free_bits |= 0x80000000U >> (uint32_t)(connection - pool);
}

psa_handle_t spm_connection_handle(const struct spm_connection *connection)
{
    return (psa_handle_t)(connection->connection_generation << INDEX_BITS | (uint32_t)(connection - pool));
}

psa_handle_t spm_message_handle(const struct spm_connection *connection)
{
    return (psa_handle_t)(MESSAGE_BIT | connection->message_generation << INDEX_BITS | (uint32_t)(connection - pool));
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

    if (connection == NULL || connection->client != client || connection->state == SPM_FREE || connection->service->stateless) {
        return NULL;
    }
    return (uint32_t)handle == (uint32_t)spm_connection_handle(connection) ? connection : NULL;
}

struct spm_connection *spm_message_find(spm_word handle, const struct spm_partition *owner)
{
    struct spm_connection *connection = entry_of(handle);

    if (connection == NULL || connection->state != SPM_HANDLED || connection->service->owner != owner) {
        return NULL;
    }
    return (uint32_t)handle == (uint32_t)spm_message_handle(connection) ? connection : NULL;
}

/* Kept here because the generation belongs to the handle. */
void spm_message_begin(struct spm_connection *connection, int32_t type)
{
    connection->message_generation = next_generation(connection->message_generation);
    connection->type = type;
    connection->state = SPM_QUEUED;
}
