/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_SERVER_H
#define TEST_SERVER_H

#include <stdbool.h>

#include "psa/service.h"

extern uint32_t test_server_doorbells;

/* The next message goes to this address. */
extern bool test_server_misplaces_message;
extern psa_msg_t *test_server_next_message;

/* The answer to a message of any of the server's services. */
psa_status_t test_server_answer(const psa_msg_t *msg, psa_signal_t signal);

#endif
