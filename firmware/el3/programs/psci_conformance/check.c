/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include "console.h"
#include "core.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
#include "timer.h"

#define CANARY 0xca11ab1e00000000UL
#define FIRST_PRESERVED 4
#define GUARD_US 50000UL
#define RESUMED 0x7e50edL
#define IS_64_BIT(function) (((function) & 0x40000000U) != 0)

static const uint32_t counted_states[] = { POWER_STATE_DOWN_0, POWER_STATE_DOWN_1, POWER_STATE_DOWN_2 };
#define COUNTED_STATES (sizeof(counted_states) / sizeof(counted_states[0]))

struct snapshot {
    int64_t affinity[MAX_CORES];
    int64_t counts[MAX_CORES][COUNTED_STATES];
};

static struct check_totals totals;

struct check_totals check_totals(void)
{
    return totals;
}

void check_restore_totals(struct check_totals restored)
{
    totals = restored;
}

static void pass(const char *name)
{
    totals.passed++;
    console_line("PASS %s", name);
}

void check_equal(const char *name, int64_t expected, int64_t got)
{
    if (expected == got) {
        pass(name);
        return;
    }
    totals.failed++;
    console_line("FAIL %s: expected %ld, got %ld (%lx)", name, expected, got, (uint64_t)got);
}

void check_true(const char *name, bool holds, const char *expected, int64_t got)
{
    if (holds) {
        pass(name);
        return;
    }
    totals.failed++;
    console_line("FAIL %s: expected %s, got %ld (%lx)", name, expected, got, (uint64_t)got);
}

int64_t call(uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    uint64_t x0 = smc(function, a1, a2, a3).x[0];

    return IS_64_BIT(function) ? (int64_t)x0 : (int32_t)x0;
}

void check_call(const char *name, int64_t expected, uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    check_equal(name, expected, call(function, a1, a2, a3));
}

static void take_snapshot(struct snapshot *s)
{
    for (uint32_t i = 0; i < core_count; i++) {
        s->affinity[i] = psci_affinity_info(cores[i].mpidr, 0);
        for (uint32_t j = 0; j < COUNTED_STATES; j++) {
            s->counts[i][j] = call(SMC64(PSCI_STAT_COUNT), cores[i].mpidr, counted_states[j], 0);
        }
    }
}

/* The first core whose state differs, or core_count. */
static uint32_t changed_core(const struct snapshot *a, const struct snapshot *b)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (a->affinity[i] != b->affinity[i]) {
            return i;
        }
        for (uint32_t j = 0; j < COUNTED_STATES; j++) {
            if (a->counts[i][j] != b->counts[i][j]) {
                return i;
            }
        }
    }
    return core_count;
}

/* Comes back, with RESUMED, also where the firmware suspends the core instead of refusing to. */
static int64_t guarded_call(uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct suspend_result r;

    timer_start_at(timer_now() + timer_ticks_of_us(GUARD_US));
    r = psci_resumable_call(function, a1, a2, a3);
    timer_stop();
    return r.resumed ? RESUMED : r.status;
}

void check_refused(const char *name, int64_t expected, uint32_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct snapshot before, after;
    int64_t got;
    uint32_t changed;

    take_snapshot(&before);
    got = guarded_call(function, a1, a2, a3);
    take_snapshot(&after);
    changed = changed_core(&before, &after);
    if (got == expected && changed != core_count) {
        check_true(name, false, "no change of state, though the error is right", changed);
    } else {
        check_equal(name, expected, got);
    }
}

/* The first register from x4 on that changed, 31 for SP, 32 for DAIF, or -1. */
static int64_t changed_register(const struct smc_frame *f)
{
    for (uint32_t i = FIRST_PRESERVED; i < 31; i++) {
        if (f->x[i] != (CANARY | i)) {
            return i;
        }
    }
    if (f->sp_in != f->sp_out) {
        return 31;
    }
    return f->daif_in != f->daif_out ? 32 : -1;
}

void check_preserving(const char *name, int64_t expected, uint64_t function, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct smc_frame frame = { .x = { function, a1, a2, a3 } };
    int64_t changed, got;

    for (uint32_t i = FIRST_PRESERVED; i < 31; i++) {
        frame.x[i] = CANARY | i;
    }
    smc_frame_call(&frame);
    got = IS_64_BIT(function) ? (int64_t)frame.x[0] : (int32_t)frame.x[0];
    changed = changed_register(&frame);
    if (got == expected && changed >= 0) {
        check_true(name, false, "x4 to x30 (31: SP, 32: DAIF) to stay as they are", changed);
    } else {
        check_equal(name, expected, got);
    }
}
