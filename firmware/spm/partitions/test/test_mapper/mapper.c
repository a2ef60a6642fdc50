/* SPDX-License-Identifier: BSD-3-Clause */
/* A service that works on its client's memory itself. Level 1. */
#include "psa_manifest/test_mapper.h"

#include "test_requests.h"

static psa_status_t reverse(const psa_msg_t *msg)
{
    size_t bytes = msg->in_size[0];

    if (bytes > msg->out_size[0]) {
        return PSA_ERROR_BUFFER_TOO_SMALL;
    }

    const uint8_t *from = psa_map_invec(msg->handle, 0);
    uint8_t *to = psa_map_outvec(msg->handle, 0);

    for (size_t i = 0; i < bytes; i++) {
        to[i] = from[bytes - 1U - i];
    }
    psa_unmap_invec(msg->handle, 0);
    psa_unmap_outvec(msg->handle, 0, bytes);
    return PSA_SUCCESS;
}

psa_status_t test_mapper_sfn(psa_msg_t *msg)
{
    uint8_t byte;

    switch (msg->type) {
    case MAPPER_REVERSE:
        return reverse(msg);
    case MAPPER_FORGET:
        *(uint8_t *)psa_map_outvec(msg->handle, 0) = 0x5A;
        return PSA_SUCCESS;
    case MAPPER_READ_MAPPED:
        psa_map_invec(msg->handle, 0);
        psa_read(msg->handle, 0, &byte, 1);
        return PSA_SUCCESS;
    case MAPPER_UNMAP_TOO_MUCH:
        psa_map_outvec(msg->handle, 0);
        psa_unmap_outvec(msg->handle, 0, msg->out_size[0] + 1U);
        return PSA_SUCCESS;
    default:
        return PSA_ERROR_NOT_SUPPORTED;
    }
}
