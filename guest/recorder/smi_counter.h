/* SPDX-License-Identifier: BSD-3-Clause */
/* How many system management interrupts an x86 CPU has taken: MSR 0x34, by the kernel's event msr/smi/ or its device /dev/cpu/N/msr. */
#ifndef SMI_COUNTER_H
#define SMI_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#define SMI_COUNT_UNKNOWN UINT64_MAX

/* Where the count comes from; the words of smi_source_word() are in the output. */
enum smi_source {
    SMI_SOURCE_EVENT,
    SMI_SOURCE_DEVICE,
    SMI_SOURCE_NONE,         /* neither event nor device: the processor has no such count, or the kernel has no msr module */
    SMI_SOURCE_NOT_X86,      /* no such interrupts */
    SMI_SOURCE_NOT_PERMITTED,
};

struct smi_counter {
    enum smi_source source;
    int fd; /* -1 if there is no source */
};

const char *smi_source_word(enum smi_source source);

void smi_counter_open(struct smi_counter *self, unsigned cpu);

/* SMI_COUNT_UNKNOWN if it cannot be read. */
uint64_t smi_counter_read(const struct smi_counter *self);

/* An event that only counts, as leader of one that writes records, whose clock it has; the descriptor or -1. */
int smi_event_open(unsigned cpu);

#endif
