/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cores of a machine that exists only here. Each runs on a stack of its own; exactly one runs at a time, and it goes on
 * until a scheduling point at which the schedule names another. No thread, no wall clock: the same schedule gives the
 * same bytes.
 */
#ifndef HOST_H
#define HOST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch.h"
#include "coroutine.h"
#include "monitor.h"
#include "psci.h"

#ifndef HOST_MAX_CORES
#define HOST_MAX_CORES 16U
#endif
#define HOST_NOBODY UINT32_MAX

/* What a core is about to do at a scheduling point. */
enum host_operation {
    HOST_COUNTER,
    HOST_LOCK_ACQUIRE,
    HOST_LOCK_HANDOVER, /* charged to the core that gets a lock it has waited for */
    HOST_LOCK_RELEASE,
    HOST_SHARED_LOAD,
    HOST_SHARED_STORE,
    HOST_SHARED_COMPARE_SWAP,
    HOST_EVENT_WAIT,
    HOST_EVENT_SEND,
    HOST_RELAX,
    HOST_INTERRUPT_WAIT,
    HOST_CACHE_POWER_DOWN,
    HOST_PUBLISH, /* a barrier */
    HOST_DEVICE,   /* a register of a device that another core can change, or see changed */
    HOST_PLATFORM, /* a platform hook, which charges what it costs by itself */
    HOST_OPERATIONS,
};

/* Why a core does not run. */
enum host_wait { HOST_RUNS, HOST_IN_LOCK, HOST_IN_EVENT, HOST_IN_RELAX, HOST_IN_PLATFORM, HOST_IN_STANDBY, HOST_SUSPENDED, HOST_OFF, HOST_FINISHED };

struct host_core {
    struct trace_ring ring;
    struct trace_record records[TRACE_RECORDS]; /* the ring's */
    struct coroutine coroutine;
    uint64_t now_ticks;
    enum host_wait wait;
    bool caches_on;
    bool interrupt; /* pending; ends a standby or a suspend, also one that has not begun */
    bool wanted_on; /* CPU_ON; also before the core has gone off */
    bool cold;      /* its next start is not a warm boot */
    const struct arch_shared *watched; /* in arch_relax() */
    uint64_t events_seen; /* the event register of WFE is set where more have been sent */
    unsigned locks_held;
    bool keeps_locks; /* what it releases it keeps until host_release_kept() */
    struct arch_lock *kept[PSCI_LEVELS];
    uint64_t kept_arg[PSCI_LEVELS]; /* of the record that says so */
    unsigned kept_count;
    unsigned ranks_held; /* one bit per rank */
    uint32_t queue_next; /* behind this core in the queue of a lock */
    uint64_t context_id;
    uint64_t attributes; /* arch_caller_attributes() */
    jmp_buf start;        /* the bottom of its stack */
    jmp_buf normal_world; /* the call it is in */
    jmp_buf asleep;       /* for the machine's `sleep` */
};

struct host_machine {
    unsigned cores;
    uint64_t hz;
    /* Names the core that goes on: any for which host_runs(); HOST_NOBODY ends the run. `current` may no longer run. */
    unsigned (*next)(unsigned current);
    /* Ticks that the operation takes; may be NULL: everything takes one tick. */
    uint64_t (*cost_ticks)(unsigned core, enum host_operation operation, const void *object, uint64_t arg);
    /* A core can run again, or waits in a suspend or a standby (and may have a timer); may be NULL. */
    void (*runnable)(unsigned core);
    void (*asleep)(unsigned core);
    /* Which of the cores that wait for a lock gets it: how many to pass over in the order of their arrival; may be NULL. */
    unsigned (*heir)(const struct arch_lock *lock);
    /* What the normal world does on a core that has been started; may be NULL where only host_smc is used. */
    void (*normal_world)(unsigned core, uint64_t context_id);
    /*
     * A core sleeps after a power-down until it is to come back, at the bottom of its stack, caches off; and whether an interrupt ends a
     * WFI. May be NULL: until CPU_ON or host_interrupt(); where that has come.
     */
    void (*sleep)(unsigned core, bool for_off);
    bool (*is_interrupted)(unsigned core);
    /* Locks must be taken in rising rank; may be NULL. */
    unsigned (*lock_rank)(const struct arch_lock *lock);
};

extern struct host_core host_cores[HOST_MAX_CORES];

/*
 * All cores off but one, which starts in the normal world when the machine runs. May be called again for another machine,
 * not from a core. `machine` is copied. Whoever calls it then calls psci_init() and fills in `monitor`, as a platform does.
 */
void host_init(const struct host_machine *machine, unsigned boot_core);

/*
 * Runs the cores until the schedule names nobody or a rule is broken. False: broken, see host_violation(), whose text stays
 * until the next host_init(). Not from a core.
 */
bool host_run(void);
const char *host_violation(void);

/* Breaks the run off with this sentence. May be called anywhere; outside of host_run() it ends the program. */
void host_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/*
 * By the core that runs. host_point() is a scheduling point before `operation`: others may run before it returns.
 * host_spend() lets time pass, no core.
 */
unsigned host_self(void);
void host_point(enum host_operation operation, const void *object, uint64_t arg);
void host_spend(uint64_t ticks);
void host_require_no_lock(const char *where);

/*
 * Blocks the calling core until somebody sets it running again, not before the given time; host_set_running() is for any
 * core, or from outside.
 */
void host_block(enum host_wait wait);
void host_set_running(unsigned core, uint64_t at_ticks);

/*
 * Lock scope `transition`: the calling core keeps the locks that the core of PSCI releases until the power-down is under way,
 * as a firmware does that holds them until its platform call returns.
 */
void host_keep_locks(void);
void host_release_kept(void);

/*
 * A call by the normal world. Resumed: the core went down and has come back at the entry point of the call, with
 * frame->x[0] the context id. Down: only outside host_run(), where no other core can wake it.
 */
enum host_outcome { HOST_RETURNED, HOST_RESUMED, HOST_DOWN };
enum host_outcome host_smc(struct smc_frame *frame);
/*
 * The platform hook of that name: the calling core sleeps until CPU_ON or an interrupt, then starts anew in
 * psci_warm_boot(). Requires caches off.
 */
void host_power_down(unsigned core, bool for_off) __attribute__((noreturn));

/* Outside host_run(): be this core; come out of power-down as this core. */
void host_become(unsigned core);
struct psci_entry host_warm_boot(unsigned core);

/*
 * From outside, or by any core. A core is switched on, or interrupted, also before it has gone down: then it comes back at
 * once.
 */
static inline bool host_runs(unsigned core)
{
    return host_cores[core].wait == HOST_RUNS;
}
void host_switch_on(unsigned core);
void host_interrupt(unsigned core);

/* Something that ends a wait for an interrupt may have changed: a core that waits goes on where is_interrupted() says so. */
void host_look_up(unsigned core);

/* The stack of a core; what lies above its stack pointer is in use. */
uint8_t *host_stack(unsigned core, size_t *bytes);

/* Called at every look of a reader of rings; NULL: nothing. */
extern void (*host_on_reader_sync)(void);

#endif
