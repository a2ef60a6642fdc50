/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PSA Secure Partition API, FF-M 1.1. For secure partitions, in their thread; a first-level interrupt handler calls none of
 * it. What a function requires is a rule of the API: a partition that breaks it is a programmer error, which stops the
 * system.
 */
#ifndef PSA_SERVICE_H
#define PSA_SERVICE_H

#include "psa/client.h"
#include "psa/framework_feature.h"
#include "psa/lifecycle.h"

#define PSA_POLL  0x00000000U
#define PSA_BLOCK 0x80000000U

#define PSA_WAIT_ANY 0xFFFFFFFFU
#define PSA_DOORBELL 0x00000008U

#define PSA_IPC_CONNECT    (-1)
#define PSA_IPC_DISCONNECT (-2)

typedef uint32_t psa_signal_t;
typedef uint32_t psa_irq_status_t;
typedef uint32_t psa_flih_result_t;

#define PSA_FLIH_NO_SIGNAL ((psa_flih_result_t)0)
#define PSA_FLIH_SIGNAL    ((psa_flih_result_t)1)

/* A request as psa_get() or the call of a service function hands it out. `client_id` is negative for the non-secure side. */
typedef struct psa_msg_t {
    int32_t type;
    psa_handle_t handle;
    int32_t client_id;
    void *rhandle;
    size_t in_size[PSA_MAX_IOVEC];
    size_t out_size[PSA_MAX_IOVEC];
} psa_msg_t;

/*
 * The asserted ones of these signals, which are the partition's own. PSA_BLOCK: when there is one; PSA_POLL: at once,
 * perhaps none.
 */
psa_signal_t psa_wait(psa_signal_t signal_mask, uint32_t timeout);

/*
 * Takes the oldest message of this one signal of a service, which is asserted. The signal stays while there are others. IPC
 * model.
 */
psa_status_t psa_get(psa_signal_t signal, psa_msg_t *msg);

/* What follows takes the handle of a message that the partition has got and not yet replied to. */

/* Comes with each later message of the connection. Not for a stateless service. */
void psa_set_rhandle(psa_handle_t msg_handle, void *rhandle);

/*
 * Copies, or passes over, what is left of an input, up to `num_bytes`, and returns how much that was. An index is below
 * PSA_MAX_IOVEC.
 */
size_t psa_read(psa_handle_t msg_handle, uint32_t invec_idx, void *buffer, size_t num_bytes);
size_t psa_skip(psa_handle_t msg_handle, uint32_t invec_idx, size_t num_bytes);

/* Adds to an output, which has room for all of it. */
void psa_write(psa_handle_t msg_handle, uint32_t outvec_idx, const void *buffer, size_t num_bytes);

#if PSA_FRAMEWORK_HAS_MM_IOVEC
/*
 * MM-IOVEC, for a service whose manifest enables it, where the isolation level gives clients' memory in reach. Instead of
 * copying: the client's own memory, which it may change at any time. A vector has a length, has not been copied and not been
 * mapped before; it is unmapped once, at the latest by the reply. An output counts as `len` bytes written, which it has room
 * for, and as none where the service does not unmap it.
 */
const void *psa_map_invec(psa_handle_t msg_handle, uint32_t invec_idx);
void psa_unmap_invec(psa_handle_t msg_handle, uint32_t invec_idx);
void *psa_map_outvec(psa_handle_t msg_handle, uint32_t outvec_idx);
void psa_unmap_outvec(psa_handle_t msg_handle, uint32_t outvec_idx, size_t len);
#endif

/*
 * Ends the message: its handle is no longer valid, the client goes on with `status`. PSA_ERROR_PROGRAMMER_ERROR drops the
 * connection. IPC model.
 */
void psa_reply(psa_handle_t msg_handle, psa_status_t status);

/* The doorbell of a partition of the IPC model, and taking it back, which must have rung. */
void psa_notify(int32_t partition_id);
void psa_clear(void);

/*
 * Interrupts by the signal that the manifest gives them: end of a second-level one, of a first-level one's signal; both
 * must be asserted.
 */
void psa_eoi(psa_signal_t irq_signal);
void psa_reset_signal(psa_signal_t irq_signal);

/* psa_irq_disable() says whether the interrupt was enabled, 1 or 0. */
void psa_irq_enable(psa_signal_t irq_signal);
psa_irq_status_t psa_irq_disable(psa_signal_t irq_signal);

/* Stops the system. */
void psa_panic(void) __attribute__((noreturn));

#endif
