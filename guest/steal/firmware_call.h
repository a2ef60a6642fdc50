/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a program can make and that are known to enter the firmware: what the meter is calibrated by. */
#ifndef FIRMWARE_CALL_H
#define FIRMWARE_CALL_H

#include <stdbool.h>

/* `name` is what the output calls it. Whoever calls runs on the CPU that is calibrated. */
struct firmware_call {
    const char *name;
    bool (*possible)(void);
    bool (*call)(void);
};

/* The first that is possible here, in the order of how surely it enters; NULL where none is. */
const struct firmware_call *firmware_call_here(void);

#endif
