/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Secure Partition Manager: what the core, the two backends, the architecture and the generated tables share.
 *
 * The core runs to completion: no two calls of a `spm_<verb>` API function are ever active at once. Interrupt
 * handlers call spm_irq() and spm_signal_assert() only; docs/explanation/spm.md argues what they may touch.
 */
#ifndef SPM_H
#define SPM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "psa/client.h"
#include "psa/service.h"
#include "spm_arch.h"
#include "spm_cause.h"

#ifndef SPM_CONNECTIONS
#define SPM_CONNECTIONS 8U
#endif
#define SPM_STATELESS_HANDLES 32U

/* One argument or result of an API call: wide enough for a pointer. */
typedef uintptr_t spm_word;

struct spm_connection;

/* What a manifest says of one RoT service. */
struct spm_service {
    uint32_t sid;
    uint32_t version;
    psa_signal_t signal;
    bool strict;
    bool stateless;
    bool non_secure_clients;
    bool mm_iovec;
    uint8_t index;
    struct spm_partition *owner;
    psa_status_t (*function)(psa_msg_t *msg); /* SFN model; NULL in the IPC model */
};

/* What a manifest says of one interrupt. */
struct spm_irq {
    uint32_t line;
    psa_signal_t signal;
    struct spm_partition *owner;
    psa_flih_result_t (*first_level)(void); /* FLIH; NULL for SLIH */
};

/* What a manifest says of one partition. */
struct spm_partition_info {
    const char *name;
    psa_signal_t service_signals;
    psa_signal_t irq_signals;
    psa_signal_t slih_signals;
    uint32_t dependencies; /* bit n: may use service n */
    psa_status_t (*initialise)(void); /* SFN backend: entry_init, may be NULL */
    void (*entry)(void);              /* IPC backend: the thread */
    uintptr_t stack_limit;
    uintptr_t stack_top;
    uintptr_t flih_stack_limit;
    uintptr_t flih_stack_top;
    const struct spm_arch_region *regions; /* NULL: the partition is privileged */
    uint32_t region_count;
    const struct spm_arch_region *memory;  /* of a privileged partition: what it may name, its own data first */
    uint32_t memory_count;
    bool ipc;
};

/* The first members belong to the architecture's context switch, which knows their offsets. */
struct spm_partition {
    struct spm_arch_context context;
    spm_word result;
    uint32_t deferred; /* the caller's result comes from `result` when it runs again */
    uint32_t rank_bit;
    const struct spm_partition_info *info;
    _Atomic psa_signal_t asserted;
    _Atomic psa_signal_t waiting;
    struct spm_connection *queue; /* IPC: messages not yet taken, oldest first */
    int32_t id;                   /* of the NS agent: that of the non-secure client that runs now */
    bool initialised;             /* SFN: entry_init has run */
};

struct spm_in {
    const uint8_t *next;
    size_t left_bytes;
};

struct spm_out {
    uint8_t *next;
    size_t left_bytes;
    size_t written_bytes;
};

#define SPM_OUT_BIT (1U << PSA_MAX_IOVEC)

enum spm_connection_state { SPM_FREE, SPM_IDLE, SPM_QUEUED, SPM_HANDLED, SPM_DROPPED };

/*
 * A connection and the one message it can carry; a stateless call borrows one for its length. The counts are 0 where no call
 * is under way. What became of a vector of a service with MM-IOVEC is a bit in each of three words: of an input that of its
 * index, of an output SPM_OUT_BIT shifted by it.
 */
struct spm_connection {
    uint32_t handle;
    uint32_t message_handle;
    uint32_t index_bit; /* its place in the pool */
    enum spm_connection_state state;
    int32_t type;
    const struct spm_service *service;
    struct spm_partition *client;
    int32_t client_id;
    void *rhandle;
    struct spm_connection *next;
    psa_outvec *client_out;
    uint32_t in_count;
    uint32_t out_count;
    uint32_t copied; /* read, skipped or written */
    uint32_t mapped; /* now or before */
    uint32_t unmapped;
    struct spm_in in[PSA_MAX_IOVEC];
    struct spm_out out[PSA_MAX_IOVEC];
};

/* State that the gates and the context switch share with the core. Handlers change `ready` and `switch_wanted` alone. */
struct spm_kernel {
    uint32_t active;         /* the SPM runs: a switch is recorded, not made */
    volatile uint32_t switch_wanted; /* a switch was recorded */
    _Atomic uint32_t ready;  /* bit 31 - rank */
    struct spm_partition *current;
    uintptr_t stack_limit;
    uintptr_t stack_top;
    struct spm_partition *by_rank[32];
};

extern struct spm_kernel spm_kernel;

/* The NS agent is a partition like the others: its thread carries the non-secure calls. */
extern struct spm_partition spm_ns_agent;
extern struct spm_partition spm_idle; /* IPC backend */

/* Made from the manifests; partitions stand in the order of their urgency. */
extern struct spm_partition *const spm_partitions[];
extern const uint32_t spm_partition_count;
extern const struct spm_service spm_services[];
extern const uint32_t spm_service_count;
extern const struct spm_service *const spm_stateless[SPM_STATELESS_HANDLES];
extern const struct spm_irq spm_irqs[];
extern const uint32_t spm_irq_count;
extern const struct spm_arch_region spm_device_regions[]; /* level 1: of all partitions, in the MPU from the start */
extern const uint32_t spm_device_region_count;

/* Who made the call that is under way; within a service function of the SFN backend, that service. */
static inline struct spm_partition *spm_caller(void)
{
    return spm_kernel.current;
}

static inline bool spm_is_non_secure(const struct spm_partition *partition)
{
    return partition->id < 0;
}

/*
 * Stops the system: the cause, the current partition and the place of the call are kept over the reset that follows. From
 * anywhere in the SPM, interrupt handlers too.
 */
_Noreturn void spm_panic(enum spm_cause cause);

/* A client's programmer error: a secure client is panicked, a non-secure one gets `status`. */
static inline spm_word spm_client_error(enum spm_cause cause, psa_status_t status)
{
    if (!spm_is_non_secure(spm_caller())) {
        spm_panic(cause);
    }
    return (spm_word)(intptr_t)status;
}

/* What a partition must have kept to: it is panicked where it has not. */
static inline void spm_require(bool held, enum spm_cause cause)
{
    if (__builtin_expect(!held, 0)) {
        spm_panic(cause);
    }
}

/* Once at boot, from the architecture's start, before any partition runs and with interrupts of partitions still off. */
void spm_init(void);

/* An interrupt of this line. From its handler, whatever it interrupted; a line that no partition owns is a panic. */
void spm_irq(uint32_t line);

#include "spm_api.h"
#include "spm_arch_inline.h"

#endif
