/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MM-IOVEC: a service works on its client's memory itself. At level 1 only, where all of it is in reach; the client's
 * vectors were checked when the call came. A vector is copied or mapped, and mapped once.
 */
#include "spm.h"

#if PSA_FRAMEWORK_HAS_MM_IOVEC

static void map(struct spm_connection *connection, uint32_t bit)
{
    spm_require(connection->service->mm_iovec && ((connection->copied | connection->mapped) & bit) == 0U, SPM_CAUSE_MAPPING);
    connection->mapped |= bit;
}

static void unmap(struct spm_connection *connection, uint32_t bit)
{
    spm_require((connection->mapped & ~connection->unmapped & bit) != 0U, SPM_CAUSE_MAPPING);
    connection->unmapped |= bit;
}

spm_word spm_map_invec(spm_word message_handle, spm_word index)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);

    spm_require(index < connection->in_count && connection->in[index].left_bytes != 0U, SPM_CAUSE_VECTOR);
    map(connection, 1U << index);
    return (spm_word)connection->in[index].next;
}

spm_word spm_unmap_invec(spm_word message_handle, spm_word index)
{
    unmap(spm_call_of(message_handle, index), 1U << index);
    return 0;
}

spm_word spm_map_outvec(spm_word message_handle, spm_word index)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);

    spm_require(index < connection->out_count && connection->out[index].left_bytes != 0U, SPM_CAUSE_VECTOR);
    map(connection, SPM_OUT_BIT << index);
    return (spm_word)connection->out[index].next;
}

spm_word spm_unmap_outvec(spm_word message_handle, spm_word index, spm_word bytes)
{
    struct spm_connection *connection = spm_call_of(message_handle, index);

    unmap(connection, SPM_OUT_BIT << index);
    spm_require(bytes <= connection->out[index].left_bytes, SPM_CAUSE_OVERFLOW);
    connection->out[index].written_bytes = bytes;
    return 0;
}

#endif
