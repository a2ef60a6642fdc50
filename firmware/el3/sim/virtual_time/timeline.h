/* SPDX-License-Identifier: BSD-3-Clause */
/* Who runs next: cores in the order of their virtual times; equal times in the order of their numbers. */
#ifndef VIRTUAL_TIME_TIMELINE_H
#define VIRTUAL_TIME_TIMELINE_H

#include <stdint.h>

void timeline_clear(void);
void timeline_add(unsigned core, uint64_t time_ns);

/* HOST_NOBODY where it is empty. */
unsigned timeline_first(uint64_t *time_ns);
void timeline_drop_first(void);
void timeline_replace_first(unsigned core, uint64_t time_ns);

#endif
