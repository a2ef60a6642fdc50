/* SPDX-License-Identifier: BSD-3-Clause */
/* State and helpers that the files of the PSCI core share. */
#ifndef PSCI_PRIVATE_H
#define PSCI_PRIVATE_H

#include "arch.h"
#include "psci.h"
#include "require.h"

/* A core as seen from outside; the value of psci_core.state. */
enum psci_core_state {
    PSCI_CORE_ON = 0, /* these three are what AFFINITY_INFO returns */
    PSCI_CORE_OFF = 1,
    PSCI_CORE_ON_PENDING = 2,
    PSCI_CORE_IN_RETENTION = 3,
    PSCI_CORE_SUSPENDED = 4, /* powered down, will resume by itself */
    PSCI_CORE_FLUSHED = 5,   /* still on its way down, but with nothing left in its own caches */
    PSCI_CORE_SUSPENDING = 6, /* has asked for a suspend: docs/explanation/locking.md, Suspend mode */
};

enum psci_suspend_mode { PSCI_PLATFORM_COORDINATED = 0, PSCI_OS_INITIATED = 1, PSCI_MODE_CHANGING = 2 };

/* A domain as a state machine; docs/explanation/locking.md says who may make which step. */
enum psci_domain_state { PSCI_DOMAIN_ON, PSCI_DOMAIN_GOING_DOWN, PSCI_DOMAIN_DOWN, PSCI_DOMAIN_COMING_UP };

/*
 * How often, and for how long. A domain's are locked. A core's are its own to store, with psci_stat_add(), and anybody's to read:
 * docs/explanation/locking.md, Statistics.
 */
struct psci_stat {
    uint64_t count;
    uint64_t residency_ticks;
};

/* By the core itself: one stay more in the state. */
#define psci_stat_add(core, state, ticks)                                                                                  \
    ARCH_STORE_PAIR((core), stat[state].count, stat[state].residency_ticks, (core)->stat[state].count + 1,                 \
                    (core)->stat[state].residency_ticks + (ticks))

/*
 * What a child (a core, or a domain by its last man) lets the domains above it do, level by level: 16 bits a level, 1 where
 * it wants that level to run, or not to go beyond retention. A domain adds up the votes of its children, all levels at once.
 */
struct psci_vote {
    uint64_t running;
    uint64_t retention;
};

#define PSCI_VOTE_BITS 16U
#define PSCI_VOTE_AWAKE ((struct psci_vote){ .running = 0x0001000100010001U })

static inline unsigned psci_votes_at(uint64_t votes, unsigned level)
{
    return (unsigned)(votes >> (PSCI_VOTE_BITS * level)) & 0xFFFFU;
}

struct psci_request {
    enum psci_level highest; /* the highest level that may sleep */
    enum psci_level last_at; /* OS-initiated: the caller says it is the last core up to this level */
    enum psci_local_state local[PSCI_LEVELS];
    struct psci_vote vote;
};

struct psci_domain;

struct psci_core {
    struct arch_shared state; /* enum psci_core_state */
    struct psci_domain *domain; /* of level 1; it and the index never change */
    unsigned index;
    struct psci_entry entry;
    struct psci_vote vote; /* as counted in `domain` */
    uint64_t down_ticks; /* 0: has never been on */
    struct psci_stat stat[PSCI_LOCAL_STATES];
} __attribute__((aligned(ARCH_CACHE_LINE)));

struct psci_domain {
    struct arch_shared state;   /* enum psci_domain_state */
    struct arch_shared wanted;  /* a core has come while the domain was going down; the last man reads it, caches off */
    struct psci_domain *parent; /* this and the next two never change */
    enum psci_level level;
    uint32_t trace_arg;
    struct arch_lock lock;
    /* The rest is touched with the lock held. */
    uint64_t running; /* the sums of the children's votes */
    uint64_t retention;
    enum psci_local_state local; /* PSCI_RUN also means: counted as awake in `parent` */
    struct psci_vote vote;       /* as counted in `parent` */
    uint64_t down_ticks;
    struct psci_stat stat[PSCI_LOCAL_STATES];
} __attribute__((aligned(ARCH_CACHE_LINE)));

struct psci_state {
    const struct psci_platform *platform;
    struct arch_shared suspend_mode; /* enum psci_suspend_mode */
    struct psci_request off; /* what CPU_OFF asks for */
    struct psci_core cores[PSCI_MAX_CORES];
    struct psci_domain domains[PSCI_MAX_DOMAINS];
};

extern struct psci_state psci;

/* psci_power_state.c: false where the value is not a valid power_state of this topology. */
bool psci_decode_power_state(uint32_t power_state, struct psci_request *request);
bool psci_is_powerdown(const struct psci_request *request);

/* psci_topology.c */
struct psci_domain *psci_domain_at(const struct psci_core *core, enum psci_level level); /* level from 1 */
struct psci_core *psci_core_of_mpidr(uint64_t mpidr); /* NULL: there is none */
/* Above level 0 a node is named by the fields from its level up: those below are ignored (DEN0022, AFFINITY_INFO). */
bool psci_is_named(unsigned core, uint64_t mpidr, unsigned level);
bool psci_is_off(enum psci_core_state state);
bool psci_all_others(const struct psci_core *core, bool (*test)(enum psci_core_state state));

static inline struct psci_core *psci_self(void)
{
    struct psci_core *core = &psci.cores[arch_core_index()];

    __asm__("" : "+r"(core)); /* worked out once: the compiler would do it again for each use, to keep a register */
    return core;
}

static inline enum psci_core_state psci_core_state(const struct psci_core *core)
{
    return (enum psci_core_state)arch_shared_load(&core->state);
}

/* psci_system.c: waits, no lock held, while another core is about to change it. */
enum psci_suspend_mode psci_suspend_mode(void);

/* psci_coordinate.c */
/* OS-initiated: why the core may not send its domains to sleep; PSCI_SUCCESS where it may. */
int64_t psci_check_last(const struct psci_core *core, const struct psci_request *request);
/* Returns the highest level at which the core is the last man of a domain that goes off. */
enum psci_level psci_coordinate_down(struct psci_core *core, const struct psci_request *request);
enum psci_level psci_settle_down(const struct psci_core *core, enum psci_level last_man_of);
void psci_publish_down(const struct psci_core *core, enum psci_level last_man_of, enum psci_level goes_down);
/* For a core that has voted for sleep; its vote is for running when this returns. */
void psci_coordinate_up(struct psci_core *core);
/* For a last man, before it flushes what its cluster shares: the others have flushed their own caches into it. */
void psci_await_flushes(const struct psci_core *core);

/* psci_power_down.c */
void psci_power_down(struct psci_core *core, enum psci_level last_man_of, bool for_off) __attribute__((noreturn));

/* The calls, by the file that has them: suspend, on_off, info, features, system. */
int64_t psci_cpu_suspend(uint32_t power_state, uint64_t address, uint64_t context_id);
void psci_cpu_off(void) __attribute__((noreturn));
int64_t psci_cpu_on(uint64_t mpidr, uint64_t address, uint64_t context_id);
int64_t psci_affinity_info(uint64_t mpidr, uint64_t level);
int64_t psci_node_hw_state(uint64_t mpidr, uint64_t level);
int64_t psci_features(uint32_t id);
int64_t psci_set_suspend_mode(uint64_t mode);
int64_t psci_stat_count(uint64_t mpidr, uint32_t power_state);
int64_t psci_stat_residency_us(uint64_t mpidr, uint32_t power_state);
int64_t psci_system_suspend(uint64_t address, uint64_t context_id);
void psci_system_reset(void) __attribute__((noreturn));
int64_t psci_system_reset2(uint32_t type);
int64_t psci_system_off2(uint32_t type, uint64_t cookie);
int64_t psci_mem_protect(uint64_t enable);
int64_t psci_mem_protect_check_range(uint64_t base, uint64_t bytes);

/* Fills in where `core` goes on; false where the address is not one the normal world can run at. */
bool psci_set_entry(struct psci_entry *entry, uint64_t address, uint64_t context_id);

#endif
