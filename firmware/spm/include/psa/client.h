/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PSA client API, FF-M 1.1. For a secure partition, in its thread, and for the non-secure side, in one thread at a time: a
 * call that comes while another is under way stops the system, and so does one from handler mode. A programmer error of a
 * secure client stops the system; the non-secure side gets PSA_ERROR_PROGRAMMER_ERROR or the status that the function
 * names, and may go on.
 */
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

/*
 * What a client gives and what it wants. A client may use the memory itself, all of it, until the call returns; len 0 needs
 * no base.
 */
typedef struct psa_invec {
    const void *base;
    size_t len;
} psa_invec;

typedef struct psa_outvec {
    void *base;
    size_t len;
} psa_outvec;

uint32_t psa_framework_version(void);

/* Version of the service; PSA_VERSION_NONE where it does not exist or this client may not use it. */
uint32_t psa_version(uint32_t sid);

/*
 * A handle above 0, or PSA_ERROR_CONNECTION_BUSY where there is no room or the service has none, or
 * PSA_ERROR_CONNECTION_REFUSED. A service that does not exist, is stateless, is not for this client or has no such version
 * refuses, which is a programmer error.
 */
psa_handle_t psa_connect(uint32_t sid, uint32_t version);

/*
 * Ends a connection on which no call is under way. PSA_NULL_HANDLE is nothing; any other handle that is not the client's
 * own is a programmer error.
 */
void psa_close(psa_handle_t handle);

/* psa_call() takes six arguments and a call gate four: type and counts travel in one word. For psa_call() alone. */
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

/*
 * Makes a request on a connection, or of a stateless service by its handle, and returns what the service replies with. At
 * most PSA_MAX_IOVEC vectors in both directions; the SPM reads them once, and the lengths in `out_vec` are then what was
 * written. PSA_ERROR_CONNECTION_BUSY: no connection is free to carry a stateless call. Programmer errors: a handle that is
 * not the client's own or is in use, a negative type, too many vectors, a vector that names memory of another, inputs that
 * lie over each other. An output may lie over an input or another output; which of them wins is not said. After
 * PSA_ERROR_PROGRAMMER_ERROR of a connection's service only psa_close() is left.
 */
static inline psa_status_t psa_call(psa_handle_t handle, int32_t type, const psa_invec *in_vec, size_t in_len,
                                    psa_outvec *out_vec, size_t out_len)
{
    return psa_call_packed(handle, psa_control(type, in_len, out_len), in_vec, out_vec);
}

#endif
