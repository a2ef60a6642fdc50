/* SPDX-License-Identifier: BSD-3-Clause */
#include "changes.h"

#include <stddef.h>

#include "contexts.h"
#include "naps.h"
#include "records.h"
#include "registers.h"
#include "shared.h"

/* The most instructions between two sleeps of a parked core. */
#define PARKED_INSTRUCTIONS 64

static enum arch arch;
static bool has_functions, has_contexts;

void changes_start(enum arch machine, bool functions, bool contexts)
{
    arch = machine;
    has_functions = functions;
    has_contexts = contexts;
}

static void forget_ran(struct core *core)
{
    core->running = NULL;
    if (core->spent != NULL) {
        spent_forget(core->spent);
    }
    if (core->path != NULL) {
        path_forget(core->path);
        profile_forget(core->profile);
    }
}

static void put_profile(enum record_kind kind, uint32_t core, struct profile *profile)
{
    size_t bytes;

    while (profile != NULL && (bytes = profile_next_record(profile)) > 0) {
        records_put(kind, core, &profile->record, bytes);
    }
}

/* What ran since the last change: its path, and behind that what found no room in it. */
static void put_ran(struct core *core)
{
    uint32_t steps;
    size_t bytes;

    contexts_settle(core);
    steps = core->path != NULL ? path_finish(core->path) : 0;
    for (uint32_t i = 0; i < steps; i += PATH_RECORD_STEPS) {
        uint32_t count = steps - i < PATH_RECORD_STEPS ? steps - i : PATH_RECORD_STEPS;

        records_put(RECORD_PATH, core->number, &core->path->steps[i], count * sizeof(core->path->steps[0]));
    }
    put_profile(RECORD_PROFILE, core->number, core->profile);
    while (core->spent != NULL && (bytes = spent_next_record(core->spent)) > 0) {
        records_put(RECORD_SPENT, core->number, &core->spent->record, bytes);
    }
    forget_ran(core);
}

/* What the record behind this one is dated with. */
static void put_time(const struct core *core, uint64_t instructions, uint64_t time)
{
    uint64_t body[] = { instructions, time };

    if (core->has_clock && time != TIME_UNKNOWN) {
        records_put(RECORD_TIME, core->number, body, sizeof(body));
    }
}

/* A core that sleeps at one place again and again, as a parked one does, makes one pair of records. */
static void put_wake(struct core *core)
{
    uint64_t body[] = { core->wake_instructions, core->wake_machine, core->wake_address, core->sleeps, core->wake_timer };

    if (core->sleeps == 0) {
        return;
    }
    core->sleeps = 0;
    if (core->naps != NULL) {
        put_profile(RECORD_NAPS, core->number, core->naps);
        profile_forget(core->naps);
    }
    put_time(core, core->wake_instructions, core->wake_time);
    records_put(RECORD_WAKE, core->number, body, sizeof(body));
}

static void put_crossing(struct core *core, uint64_t address, uint32_t to)
{
    struct {
        uint64_t instructions, machine, address;
        uint8_t from, to;
        uint16_t count;
        uint32_t unknown;
        uint64_t registers[CROSSING_REGISTERS_MAX];
    } body = {
        .instructions = *core->instructions,
        .machine = cores_total(),
        .address = address,
        .from = (uint8_t)core->world,
        .to = (uint8_t)to,
    };

    put_wake(core);
    put_ran(core);
    body.count = (uint16_t)registers_of_crossing(core->world, to, body.registers, &body.unknown);
    put_time(core, body.instructions, core->time);
    records_put(RECORD_CROSSING, core->number, &body, sizeof(body) - sizeof(body.registers) + body.count * sizeof(body.registers[0]));
}

static void wake(struct core *core, uint64_t address)
{
    core->is_asleep = false;
    core->wake_instructions = *core->instructions;
    core->wake_machine = cores_total();
    core->wake_address = address;
    core->wake_timer = registers_timer_fired();
    core->wake_time = core->time;
}

void changes_note(struct core *core, const struct fragment *fragment)
{
    if (core->is_asleep) {
        wake(core, fragment->address);
    }
    if (core->level != fragment->level) {
        uint32_t to = registers_world(fragment->level);

        registers_doubt(core->world, to, fragment->address);
        put_crossing(core, fragment->address, to);
        core->world = to;
        core->level = fragment->level;
        core->is_measured = has_functions && world_is_measured(arch, to);
        core->context = has_contexts && core->is_measured ? registers_context(core->level) : 0;
    }
    cores_watch(core);
}

void changes_wake(struct core *core, uint64_t address)
{
    wake(core, address);
    cores_watch(core);
}

/* It looked at something and went back to sleep. A lock that is taken twice sleeps at one place as well, with work in between. */
static bool is_parked(const struct core *core, uint64_t address, uint64_t instructions)
{
    if (core->sleeps == 0 || core->sleep_address != address) {
        return false;
    }
    return !world_is_measured(arch, core->world) || instructions - core->wake_instructions <= PARKED_INSTRUCTIONS;
}

void changes_sleep(struct core *core, uint64_t address, enum sleep how)
{
    uint64_t not_run = turns_not_run();
    uint64_t instructions = *core->instructions - not_run;
    uint64_t body[] = { instructions, cores_total() - not_run, address, core->world | (uint64_t)how << 8 };

    shared_left(core, instructions);
    if (is_parked(core, address, instructions)) {
        core->sleeps++;
        if (core->path != NULL) {
            naps_note(core, instructions - core->wake_instructions);
        }
        records_flush_when_due();
        forget_ran(core);
    } else {
        put_wake(core);
        put_ran(core);
        put_time(core, instructions, core->time);
        records_put(RECORD_SLEEP, core->number, body, sizeof(body));
        core->sleeps = 1;
        core->sleep_address = address;
    }
    core->is_asleep = true;
    cores_watch(core);
}

void changes_stopped(struct core *core, uint64_t not_run)
{
    uint64_t instructions = *core->instructions - not_run;
    struct {
        uint64_t instructions, machine, sleeps, awake;
        uint8_t world, is_asleep, zeros[6];
    } body = {
        .instructions = instructions,
        .machine = cores_total() - turns_not_run(),
        .sleeps = core->sleeps,
        .world = (uint8_t)core->world,
        .is_asleep = core->is_asleep,
    };

    shared_left(core, instructions);
    if (!core->is_asleep) {
        body.awake = core->sleeps > 0 ? instructions - core->wake_instructions : 0;
        put_ran(core);
    }
    records_put(RECORD_STOPPED, core->number, &body, sizeof(body));
}

void changes_cut(struct core *core)
{
    put_wake(core);
    put_ran(core);
    core->is_asleep = false;
    core->is_measured = false;
    core->world = WORLD_NONE;
    core->level = WATCHED_NOTHING;
    cores_watch(core);
}
