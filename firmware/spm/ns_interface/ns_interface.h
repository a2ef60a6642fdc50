/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the non-secure side links with: psa_*() of psa/client.h, and the ids of its clients.
 *
 * The SPM takes one call at a time. A second thread that calls during a call gets PSA_ERROR_CONNECTION_BUSY (PSA_VERSION_NONE
 * from psa_version()), and psa_close(), which cannot tell, stops the system. So under a scheduler the calls go through a lock:
 * rtos.c, with the hooks below. Without one, bare_metal.ld makes psa_*() the veneers themselves.
 *
 * A call may be made with interrupts masked. What PRIMASK, BASEPRI or FAULTMASK holds back then stays out until the call returns,
 * and the masks come back as they were: the caller waits for the whole call, and so do its interrupts.
 */
#ifndef NS_INTERFACE_H
#define NS_INTERFACE_H

#include <stdint.h>

#include "psa/client.h"

/*
 * The scheduler's part. lock() and unlock() are those of a mutex that lets its waiters sleep, with priority inheritance
 * where the scheduler has it. client_id() tells the id of the running thread, or is NULL: then the scheduler itself calls
 * nsc_client_select() at each switch, or there is one client only. pause() sleeps for a tick, so that threads of any priority
 * run: the secure side is at work for an interrupt, on the stack of another thread. It is needed only where the SPM is built to
 * schedule at once (SPM_SCHEDULE_AT_ONCE), else NULL.
 *
 * Where client_id() or pause() is given, threads have to be privileged: others get PSA_ERROR_NOT_PERMITTED (PSA_VERSION_NONE
 * from psa_version()), and their psa_close() does nothing. Unprivileged threads of different rights want the former way: what a
 * thread calls then counts for the id that the scheduler gave it, through whatever door it comes.
 *
 * A thread with interrupts masked waits for no lock: none of the hooks but client_id() is called. While another thread is in a
 * call, or a partition at work for its interrupt, it gets PSA_ERROR_CONNECTION_BUSY (PSA_VERSION_NONE), and its psa_close() is an
 * undefined instruction: a connection is never lost in silence.
 */
struct ns_interface_hooks {
    void (*lock)(void);
    void (*unlock)(void);
    int32_t (*client_id)(void);
    void (*pause)(void);
};

/* Before the first call and before the scheduler starts. The hooks stay the caller's. */
void ns_interface_init(const struct ns_interface_hooks *hooks);

/*
 * Ids of non-secure clients are negative. Before a range is registered there is one client, -1. Up to four ranges.
 * For handlers, and for privileged threads between calls; PSA_ERROR_NOT_PERMITTED for others, PSA_ERROR_CONNECTION_BUSY
 * during a call, PSA_ERROR_INVALID_ARGUMENT for an id of no range.
 */
psa_status_t nsc_client_register(int32_t first, int32_t last);
psa_status_t nsc_client_select(int32_t id);

/*
 * The veneers. The low word of an answer is the result of the psa function. The high word is 1 where the call was refused
 * at the door because the secure side is at work, and 0 where it was made. nsc_psa_close_or_refuse() is nsc_psa_close() for
 * a caller that looks at that. Those that unmask are in images that schedule at once only: the caller has set PRIMASK, so that no
 * other thread runs while it may be refused, and is let in with PRIMASK clear.
 */
typedef uint64_t nsc_answer;

uint32_t nsc_psa_framework_version(void);
nsc_answer nsc_psa_version(uint32_t sid);
nsc_answer nsc_psa_connect(uint32_t sid, uint32_t version);
nsc_answer nsc_psa_call(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec);
void nsc_psa_close(psa_handle_t handle);
nsc_answer nsc_psa_close_or_refuse(psa_handle_t handle);

nsc_answer nsc_psa_version_unmask(uint32_t sid) __attribute__((weak));
nsc_answer nsc_psa_connect_unmask(uint32_t sid, uint32_t version) __attribute__((weak));
nsc_answer nsc_psa_call_unmask(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec) __attribute__((weak));
nsc_answer nsc_psa_close_unmask(psa_handle_t handle) __attribute__((weak));

#endif
