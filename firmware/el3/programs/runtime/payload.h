/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program gives to the runtime. */
#ifndef PAYLOAD_PAYLOAD_H
#define PAYLOAD_PAYLOAD_H

#include "bench_params.h"

/* Runs on the boot core, all others off. The machine is powered off when it returns. */
void payload_main(const struct bench_params *params);

#endif
