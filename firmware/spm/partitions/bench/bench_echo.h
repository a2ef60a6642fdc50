/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_ECHO_H
#define BENCH_ECHO_H

#include "psa/service.h"

#define BENCH_BYTES 4096U

/* Reads the first input, writes the first output; the other messages just succeed. */
psa_status_t bench_echo(const psa_msg_t *msg);

#endif
