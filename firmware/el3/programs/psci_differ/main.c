/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One client for any firmware: calls, lives of cores and states of the interrupt controller, drawn from a seed. It prints what PSCI lets a
 * client see and nothing that depends on time, so that two firmwares that do the same print the same.
 */
#include "calls.h"
#include "client_gic.h"
#include "console.h"
#include "core.h"
#include "life.h"
#include "payload.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"

#define CALLS_OF_A_LIFE 3U
#define LIMIT_US 3000000UL
#define NAP_US 200UL
#define CONTEXT_ID_MAGIC 0x4c35000000000000UL

static bool is_lost[MAX_CORES];

static bool has_begun(uint32_t core, uint32_t lives)
{
    return life_begun(core) >= lives;
}

static bool has_ended(uint32_t core, uint32_t lives)
{
    return life_ended(core) >= lives;
}

static bool is_off(uint32_t core, uint32_t lives)
{
    (void)lives;
    return psci_affinity_info(cores[core].mpidr, 0) == AFFINITY_OFF;
}

static const char *within_limit(bool (*is_so)(uint32_t core, uint32_t lives), uint32_t core, uint32_t lives)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(LIMIT_US);

    while (!is_so(core, lives)) {
        if (timer_now() > deadline) {
            is_lost[core] = true;
            return "no";
        }
        timer_sleep_us(NAP_US);
    }
    return "yes";
}

/* A second CPU_ON comes before the core runs, or after: either answer is right. */
static const char *again(uint32_t core)
{
    int64_t status = psci_cpu_on(cores[core].mpidr, (uint64_t)payload_secondary, 0);

    return status == PSCI_ALREADY_ON || status == PSCI_ON_PENDING ? "no" : status == PSCI_SUCCESS ? "yes" : "an error";
}

static void print_found(uint32_t core, uint64_t context_id, const struct life *life)
{
    struct found found = life_found(core);

    console_line("  timer=%u", found.had_timer);
    console_line("  context=%s pending=%x suspend %x: %ld back=%u", found.context_id == context_id ? "right" : "wrong", found.pending,
                 life->suspends, found.suspended, found.is_back);
}

/* CPU_ON; of a core that is still on its way off, until it succeeds: it meets the core anywhere on that way. */
static int64_t switch_on(uint32_t core, uint64_t context_id, bool at_once)
{
    uint64_t deadline = timer_now() + timer_ticks_of_us(LIMIT_US);
    int64_t status;

    do {
        status = psci_cpu_on(cores[core].mpidr, (uint64_t)payload_secondary, context_id);
    } while (at_once && status == PSCI_ALREADY_ON && timer_now() < deadline);
    return status;
}

static void print_life(uint64_t number, uint32_t core, const struct life *life)
{
    console_line("life %lu of core %u: priorities %x %x %x, in handler %u, pending %u, timer %u, sent %u, wanted at once %u", number, core,
                 life->priority[1], life->priority[2], life->priority[3], life->goes_in_handler, life->leaves_pending, life->leaves_timer,
                 life->sent_while_off, life->is_wanted_at_once);
}

static void end(uint32_t core, uint32_t lives, uint64_t context_id, const struct life *life)
{
    console_line("  ended=%s", within_limit(has_ended, core, lives));
    print_found(core, context_id, life);
    if (!life->is_wanted_at_once) {
        console_line("  off=%s", within_limit(is_off, core, lives));
        for (uint32_t i = 0; i < life->sent_while_off; i++) {
            client_gic_send(3, core);
        }
    }
}

/* True where the core is wanted again at once. */
static bool live(uint32_t core, struct life life, uint64_t number, bool at_once)
{
    uint64_t context_id = CONTEXT_ID_MAGIC | number;
    uint32_t lives = life_begun(core) + 1;

    life_prepare(core, life);
    print_life(number, core, &life);
    console_line("  on=%ld", switch_on(core, context_id, at_once));
    console_line("  again=%s", again(core));
    life_go(core);
    console_line("  came=%s", within_limit(has_begun, core, lives));
    if (is_lost[core]) {
        return false;
    }
    end(core, lives, context_id, &life);
    return life.is_wanted_at_once && !is_lost[core];
}

void payload_main(const struct bench_params *params)
{
    struct random random = { .state = params->seed };

    if (params->count != 0 && params->count < core_count) {
        core_count = (uint32_t)params->count; /* a firmware may know more than the machine has */
    }
    uint32_t core = lead_index;
    bool at_once = false;

    core_set_arrival(life_live);
    for (uint64_t number = 0; number < params->iterations; number++) {
        for (uint32_t i = 0; i < CALLS_OF_A_LIFE; i++) {
            calls_make_one(&random);
        }
        struct life life = life_draw(&random, (params->flags & BENCH_FLAG_STANDBY_ONLY) == 0);
        uint32_t drawn = random_below(&random, core_count);

        if (!at_once) {
            core = drawn;
        }
        at_once = core != lead_index && !is_lost[core] && live(core, life, number, at_once);
    }
    console_line("status=pass");
    smc(random_below(&random, 2) == 0 ? PSCI_SYSTEM_OFF : PSCI_SYSTEM_RESET, 0, 0, 0);
}
