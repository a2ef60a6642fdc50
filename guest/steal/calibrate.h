/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a CPU's counters show that the firmware ran, found by calls that are known to enter it. */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include "firmware_call.h"
#include "meter.h"

#define CALIBRATION_CALLS 15U

/* Why a CPU cannot be measured; the words stand in the output. */
enum blind {
    BLIND_NOT,
    BLIND_ARCHITECTURE,   /* not an Arm CPU of 64 bits */
    BLIND_NO_PMU,         /* the kernel has no counter of cycles */
    BLIND_NOT_PERMITTED,  /* the kernel refuses to open them */
    BLIND_COUNTERS_TAKEN, /* something else holds them */
    BLIND_SILENT,         /* they do not count */
    BLIND_NO_CALL,        /* nothing that is known to enter the firmware can be called */
    BLIND_NOTHING_SEEN,   /* the calls were made and no counter showed it */
};

/* `call` is NULL where none was made. `call_ns` and `call_mark_cycles` are medians over the calls. */
struct calibration {
    enum blind blind;
    int error; /* the errno behind it, 0 where there is none */
    struct meter_rules rules;
    const struct firmware_call *call;
    double call_ns;
    double call_mark_cycles;
};

/* Opens the counters of the CPU that the thread is on and finds what they show. They stay open where it is not blind. */
void calibrate(struct calibration *result, struct counters *counters, unsigned cpu);

const char *blind_word(enum blind blind);

#endif
