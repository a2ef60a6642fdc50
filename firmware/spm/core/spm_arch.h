/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the SPM asks of an architecture. The architecture's directory supplies
 *   "spm_arch_types.h"    struct spm_arch_context: what the context switch keeps of a thread;
 *                         struct spm_arch_region: memory that an unprivileged partition may use;
 *                         SPM_RETAINED: places a variable where it survives a reset
 *   "spm_arch_inline.h"   the functions marked (inline).
 */
#ifndef SPM_ARCH_H
#define SPM_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "psa/service.h"
#include "spm_arch_types.h"

struct spm_partition;

enum spm_access { SPM_READ, SPM_WRITE };

/*
 * (inline) May `caller` itself, with its own world, privilege and regions, access every one of these bytes? The range is
 * not empty; it may wrap, which is refused. The answer holds while the SPM runs: nobody else changes regions.
 */
static inline bool spm_arch_permits(const struct spm_partition *caller, const void *base, size_t bytes, enum spm_access access);

/*
 * (inline) Copies `bytes`, which a caller may be changing meanwhile; reads each byte once. Both ranges have been permitted,
 * and 0 bytes are none.
 */
static inline void spm_arch_copy(void *to, const void *from, size_t bytes);

/*
 * (inline) Asks for a context switch; it is made when no other handler and no call is under way, and not while the non-secure
 * side masks its interrupts. From anywhere.
 */
static inline void spm_arch_request_switch(void);

/*
 * (inline) Sleeps until something may have happened since the last call, so it loses no interrupt that comes just before;
 * may come back for no reason.
 */
static inline void spm_arch_wait(void);

/*
 * (inline) Asks for a context switch and makes it, whatever the non-secure side masks; its masks stay. By a secure thread outside
 * a call. Where a non-secure interrupt comes first the switch may be recorded only: look at switch_wanted afterwards.
 */
static inline void spm_arch_switch(void);

/*
 * Lays out the first context of a thread that starts at `entry` and must not return; NULL: only its rights, as its context
 * exists. At boot.
 */
void spm_arch_thread_init(struct spm_partition *partition, void (*entry)(void));

/* Does the caller of the API function that runs stand in a gateway, so that it is the non-secure side that asks? */
bool spm_arch_is_in_gateway(void);

/* Resets the system. */
_Noreturn void spm_arch_reset(void);

/* Interrupt lines of the partitions, all of them lines of the manifests. A line is claimed once at boot, still disabled. */
void spm_arch_irq_claim(uint32_t line);
void spm_arch_irq_enable(uint32_t line);
void spm_arch_irq_clear_pending(uint32_t line);
bool spm_arch_irq_disable(uint32_t line); /* returns whether it was enabled */

/* Runs a partition's first-level handler with the partition's own rights and stack. From the handler of its interrupt. */
psa_flih_result_t spm_arch_first_level(struct spm_partition *owner, psa_flih_result_t (*handler)(void));

#endif
