/* SPDX-License-Identifier: BSD-3-Clause */
/* PSA client API, FF-M 1.1. */
#ifndef PSA_CLIENT_H
#define PSA_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "psa/error.h"

#define PSA_FRAMEWORK_VERSION 0x0101U
#define PSA_VERSION_NONE      0U
#define PSA_NULL_HANDLE       ((psa_handle_t)0)
#define PSA_MAX_IOVEC         4U
#define PSA_IPC_CALL          0
#define PSA_CALL_TYPE_MAX     INT16_MAX

#define PSA_HANDLE_IS_VALID(handle) ((handle) > 0)
#define PSA_HANDLE_TO_ERROR(handle) ((psa_status_t)(handle))

typedef int32_t psa_handle_t;

typedef struct psa_invec {
    const void *base;
    size_t len;
} psa_invec;

typedef struct psa_outvec {
    void *base;
    size_t len;
} psa_outvec;

uint32_t psa_framework_version(void);
uint32_t psa_version(uint32_t sid);
psa_handle_t psa_connect(uint32_t sid, uint32_t version);
void psa_close(psa_handle_t handle);

/* psa_call() takes six arguments and a call gate four: type and counts travel in one word. */
psa_status_t psa_call_packed(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec);

#define PSA_CONTROL_IN_SHIFT  16U
#define PSA_CONTROL_OUT_SHIFT 20U
#define PSA_CONTROL_INVALID   0xFFFFFFFFU

/* A value that does not fit its field makes a control word that the SPM refuses. */
static inline uint32_t psa_control(int32_t type, size_t in_len, size_t out_len)
{
    if (type < 0 || type > PSA_CALL_TYPE_MAX || in_len > PSA_MAX_IOVEC || out_len > PSA_MAX_IOVEC) {
        return PSA_CONTROL_INVALID;
    }
    return (uint32_t)type | (uint32_t)in_len << PSA_CONTROL_IN_SHIFT | (uint32_t)out_len << PSA_CONTROL_OUT_SHIFT;
}

static inline psa_status_t psa_call(psa_handle_t handle, int32_t type, const psa_invec *in_vec, size_t in_len,
                                    psa_outvec *out_vec, size_t out_len)
{
    return psa_call_packed(handle, psa_control(type, in_len, out_len), in_vec, out_vec);
}

#endif
