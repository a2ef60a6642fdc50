/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cases: connect, call, close and a stateless call of a service that answers at once. Included once in each world, after
 * its own prof_intf_s.h or prof_intf_ns.h, with PROF_TOPIC set to the world's topic.
 */
#ifndef PROF_CASES_H
#define PROF_CASES_H

#include "psa/client.h"
#include "psa_manifest/sid.h"

#define PROF_TOPIC_NON_SECURE   0U
#define PROF_TOPIC_SECURE       1U
#define PROF_CALIBRATION_ROUNDS 50U
#define PROF_LOOPS              20U

enum { PROF_CONNECT, PROF_CONNECTED, PROF_CALL, PROF_CALLED, PROF_CLOSE, PROF_CLOSED, PROF_STATELESS, PROF_STATELESS_CALLED };

#define PROF_CASE_LOG(checkpoint) PROF_TIMING_LOG(checkpoint, PROF_TOPIC)

/* False where a call failed. */
static inline bool prof_run_cases(void)
{
    PROF_DO_CALIBRATE(PROF_CALIBRATION_ROUNDS);
    for (uint32_t i = 0; i < PROF_LOOPS; i++) {
        PROF_CASE_LOG(PROF_CONNECT);
        psa_handle_t handle = psa_connect(LATLAB_PROF_SID, LATLAB_PROF_VERSION);
        PROF_CASE_LOG(PROF_CONNECTED);
        if (!PSA_HANDLE_IS_VALID(handle)) {
            return false;
        }
        PROF_CASE_LOG(PROF_CALL);
        psa_status_t status = psa_call(handle, PSA_IPC_CALL, NULL, 0, NULL, 0);
        PROF_CASE_LOG(PROF_CALLED);
        PROF_CASE_LOG(PROF_CLOSE);
        psa_close(handle);
        PROF_CASE_LOG(PROF_CLOSED);
        PROF_CASE_LOG(PROF_STATELESS);
        psa_status_t stateless = psa_call(LATLAB_PROF_STATELESS_HANDLE, PSA_IPC_CALL, NULL, 0, NULL, 0);
        PROF_CASE_LOG(PROF_STATELESS_CALLED);
        if (status != PSA_SUCCESS || stateless != PSA_SUCCESS) {
            return false;
        }
    }
    return true;
}

/* The mean of a case in either world, X(world, topic, name, begin, end). `latlab import` reads `WORLD NAME average is N CPU cycles`. */
#define PROF_CASES_OF(X, world, topic)                                                \
    X(world, topic, "psa_connect", PROF_CONNECT, PROF_CONNECTED)                      \
    X(world, topic, "psa_call", PROF_CALL, PROF_CALLED)                               \
    X(world, topic, "psa_close", PROF_CLOSE, PROF_CLOSED)                             \
    X(world, topic, "psa_call stateless", PROF_STATELESS, PROF_STATELESS_CALLED)

#endif
