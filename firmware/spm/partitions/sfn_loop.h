/* SPDX-License-Identifier: BSD-3-Clause */
/* What an SFN partition runs under the IPC backend. */
#ifndef SFN_LOOP_H
#define SFN_LOOP_H

#include "psa/service.h"

struct sfn_service {
    psa_signal_t signal;
    psa_status_t (*function)(psa_msg_t *msg);
};

_Noreturn void sfn_loop(psa_status_t (*initialise)(void), const struct sfn_service *services, uint32_t count);

#endif
