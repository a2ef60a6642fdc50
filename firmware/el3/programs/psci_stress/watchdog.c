/* SPDX-License-Identifier: BSD-3-Clause */
#include "watchdog.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "console.h"
#include "core.h"
#include "ledger.h"
#include "panic.h"
#include "psci.h"
#include "timer.h"

#define LIMIT_MS 30000UL
#define MS_PER_S 1000UL

struct heartbeat {
    _Alignas(64) _Atomic uint64_t since;
    _Atomic uint64_t detail;
    _Atomic uint32_t activity;
};

/* What the lead last saw of a core's arrivals. */
struct arrival_watch {
    uint64_t arrived;
    uint64_t due_since; /* 0: none due */
};

static struct heartbeat heartbeats[MAX_CORES];
static struct arrival_watch watches[MAX_CORES];
static _Atomic uint32_t reported;

static const char *const activity_names[] = { "off", "its own code", "CPU_ON of MPIDR", "CPU_SUSPEND of power_state", "its end" };

void watchdog_enter(enum activity activity, uint64_t detail)
{
    struct heartbeat *own = &heartbeats[core_self()];

    atomic_store(&own->since, timer_now());
    atomic_store(&own->detail, detail);
    atomic_store(&own->activity, activity);
}

static uint64_t age_ms(uint64_t since)
{
    uint64_t now = timer_now();

    return now > since ? (now - since) * MS_PER_S / timer_frequency_hz() : 0;
}

static bool is_stuck(uint32_t index)
{
    uint32_t activity = atomic_load(&heartbeats[index].activity);

    if (activity == ACTIVITY_OFF || activity == ACTIVITY_FINISHED) {
        return false;
    }
    return age_ms(atomic_load(&heartbeats[index].since)) > LIMIT_MS;
}

static uint64_t arrival_due_ms(uint32_t index)
{
    struct arrival_watch *watch = &watches[index];
    uint64_t arrived = ledger_arrived(index);

    if (ledger_granted(index) <= arrived) {
        watch->due_since = 0;
        return 0;
    }
    if (watch->due_since == 0 || watch->arrived != arrived) {
        *watch = (struct arrival_watch) { .arrived = arrived, .due_since = timer_now() };
    }
    return age_ms(watch->due_since);
}

static void report(uint32_t index)
{
    const struct heartbeat *h = &heartbeats[index];
    uint32_t activity = atomic_load(&h->activity);
    int64_t state = psci_affinity_info(cores[index].mpidr, 0);

    if (is_stuck(index)) {
        console_line("HANG core %u.%u: %lu ms in %s %lx", cores[index].cluster, cores[index].core, age_ms(atomic_load(&h->since)),
                     activity_names[activity], atomic_load(&h->detail));
    } else if (ledger_granted(index) > ledger_arrived(index)) {
        console_line("HANG core %u.%u: CPU_ON granted but no arrival, AFFINITY_INFO says %ld", cores[index].cluster,
                     cores[index].core, state);
    } else if (activity == ACTIVITY_OFF && state != AFFINITY_OFF) {
        console_line("HANG core %u.%u: called CPU_OFF, AFFINITY_INFO says %ld", cores[index].cluster, cores[index].core, state);
    }
}

_Noreturn void watchdog_end(const char *why)
{
    for (uint32_t i = 0; i < core_count; i++) {
        report(i);
    }
    panic("%s", why);
}

void watchdog_check(void)
{
    bool stuck = false;

    for (uint32_t i = 0; i < core_count; i++) {
        stuck = stuck || is_stuck(i);
        if (core_self() == lead_index) {
            stuck = stuck || arrival_due_ms(i) > LIMIT_MS;
        }
    }
    if (stuck && atomic_exchange(&reported, 1) == 0) {
        watchdog_end("the run hangs");
    }
}
