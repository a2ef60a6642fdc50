/* SPDX-License-Identifier: BSD-3-Clause */
/* The probe's options, as they follow the plugin's name on QEMU's command line. */
#ifndef PROBE_OPTIONS_H
#define PROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPTION_ERROR_BYTES 256

struct options {
    const char *out; /* where the stream goes */
    bool functions; /* count instructions by fragment of code */
    bool apart; /* count each stretch of code by a call of its own */
    bool each; /* count each instruction by a call of its own; `apart` with it */
    bool contexts; /* tell in which context each fragment ran; `functions` with it */
    bool masked; /* sum the stretches in which interrupts are masked */
    uint64_t limit_bytes; /* of the stream; what comes later is counted and lost */
};

/* True and `options` filled in, or false and one sentence in `error`. The strings of `options` are those of `words`. */
bool options_parse(int count, char *const words[], struct options *options, char error[OPTION_ERROR_BYTES]);

#endif
