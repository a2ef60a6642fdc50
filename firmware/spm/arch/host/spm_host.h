/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SPM_HOST_H
#define SPM_HOST_H

#include <setjmp.h>
#include <stdint.h>

struct spm_host_memory {
    const struct spm_partition *owner;
    const void *base;
    size_t bytes;
    bool writable;
};

/* What a test grants; anything else is refused. */
extern struct spm_host_memory spm_host_memory[64];
extern unsigned spm_host_memory_count;

/* Where a reset goes, and how many there were. */
extern jmp_buf spm_host_reset;
extern unsigned spm_host_switch_requests;

/* Called after every copy out of a caller's memory: what it changes must not matter any more. */
extern void (*spm_host_after_copy)(const void *from, size_t bytes);

/* Interrupt lines, a bit each: enabled, pending, and those that were enabled while they were pending, which come again. */
extern uint32_t spm_host_lines;
extern uint32_t spm_host_pending;
extern uint32_t spm_host_fired;

/* What survives a reset. */
extern uint8_t __start_spm_retained[];
extern uint8_t __stop_spm_retained[];

bool spm_host_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access);
void spm_host_copy(void *to, const void *from, size_t bytes);

#endif
