/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of the program, which its loader writes as 32-bit words at the start of its memory; src/latlab/psa/targets/psa_params.py writes them.
 * The bytes that the calls send lie behind the last call.
 */
#ifndef PSA_CALLS_PARAMS_H
#define PSA_CALLS_PARAMS_H

#include <stdint.h>

#define PARAMS_MAGIC 0x3150434cU /* LCP1 */
#define MOST_VECTORS 4U

enum veneer { VENEER_FRAMEWORK_VERSION, VENEER_VERSION, VENEER_CONNECT, VENEER_CALL, VENEER_CLOSE, VENEERS };

enum call_kind {
    CALL_NOTHING, /* no call at all: what the timer does alone */
    CALL_FRAMEWORK_VERSION,
    CALL_VERSION,
    CALL_CONNECT, /* closed again, outside of what is measured */
    CALL_CLOSE, /* connected before, outside of it */
    CALL_ON_HANDLE, /* psa_call of a stateless service, or of a handle that is none */
    CALL_ON_CONNECTION, /* psa_call between a connect and a close */
    CALL_KINDS
};

struct call {
    uint32_t kind; /* enum call_kind */
    uint32_t service; /* SID, or the handle */
    uint32_t version; /* for psa_connect */
    uint32_t control; /* type and counts as the veneer takes them */
    int32_t expected; /* what it has to return */
    uint32_t in_count;
    uint32_t out_count;
    uint32_t in_offset[MOST_VECTORS]; /* from the start of the parameters */
    uint32_t in_bytes[MOST_VECTORS];
    uint32_t out_bytes[MOST_VECTORS];
    uint32_t first_shot; /* the sweep: instructions after the timer's start at which the first interrupt is due, */
    uint32_t shot_step; /* how much later each next one, */
    uint32_t shots; /* and how many */
};

struct params {
    uint32_t magic;
    uint32_t bytes; /* of all parameters; the program's own memory begins behind them */
    uint32_t console; /* a CMSDK UART */
    uint32_t iterations;
    uint32_t priority; /* of the timer */
    uint32_t veneers[VENEERS]; /* 0: there is none */
    uint32_t call_count;
    struct call calls[];
};

#endif
