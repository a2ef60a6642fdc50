/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_private.h"
#include "require.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef HOST_STACK_BYTES
#define HOST_STACK_BYTES 65536U
#endif

/* So much of a core's stack below what is in use is cleared where it stops: for who compares states of the machine. */
#ifndef HOST_CLEARED_BYTES
#define HOST_CLEARED_BYTES 0U
#endif

struct host_core host_cores[HOST_MAX_CORES];
void (*host_on_reader_sync)(void);

static uint8_t stacks[HOST_MAX_CORES][HOST_STACK_BYTES] __attribute__((aligned(64)));
struct host_machine host_machine;
struct host_list host_watchers;
struct host_list host_waiters;
uint64_t host_events;
static struct coroutine outside;
static unsigned self;
static bool is_running; /* inside host_run(): scheduling points switch */
static char violation[256];

unsigned host_self(void)
{
    return self;
}

bool host_is_running(void)
{
    return is_running;
}

const char *host_violation(void)
{
    return violation;
}

void host_clear_unused_stack(void)
{
    if (HOST_CLEARED_BYTES != 0) {
        coroutine_clear_unused(HOST_CLEARED_BYTES);
    }
}

static void switch_to(unsigned core)
{
    struct coroutine *from = &host_core_self()->coroutine;

    host_clear_unused_stack();

    if (core == HOST_NOBODY) {
        is_running = false;
        coroutine_switch(from, &outside);
        return;
    }
    if (core != self) {
        self = core;
        coroutine_switch(from, &host_cores[core].coroutine);
    }
}

void host_fail(const char *format, ...)
{
    int length = snprintf(violation, sizeof(violation), "core %u: ", self);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(violation + length, sizeof(violation) - (size_t)length, format, arguments);
    va_end(arguments);
    if (!is_running) {
        fprintf(stderr, "%s\n", violation);
        abort();
    }
    switch_to(HOST_NOBODY);
    abort();
}

void host_spend(uint64_t ticks)
{
    host_core_self()->now_ticks += ticks;
}

void host_charge(enum host_operation operation, const void *object, uint64_t arg)
{
    host_spend(host_machine.cost_ticks != NULL ? host_machine.cost_ticks(self, operation, object, arg) : 1);
}

void host_point(enum host_operation operation, const void *object, uint64_t arg)
{
    host_charge(operation, object, arg);
    if (is_running) {
        switch_to(host_machine.next(self));
    }
}

void host_block(enum host_wait wait)
{
    if (!is_running) {
        host_fail("would wait for ever: no other core runs");
    }
    host_core_self()->wait = wait;
    if (host_machine.asleep != NULL && (wait == HOST_SUSPENDED || wait == HOST_IN_STANDBY)) {
        host_machine.asleep(self);
    }
    switch_to(host_machine.next(self));
}

void host_set_running(unsigned core, uint64_t at_ticks)
{
    struct host_core *woken = &host_cores[core];

    woken->wait = HOST_RUNS;
    woken->now_ticks = woken->now_ticks > at_ticks ? woken->now_ticks : at_ticks;
    if (host_machine.runnable != NULL) {
        host_machine.runnable(core);
    }
}

void host_require_no_lock(const char *where)
{
    if (host_core_self()->locks_held != 0) {
        host_fail("%s with a lock held", where);
    }
}

bool host_is_interrupted(void)
{
    return host_machine.is_interrupted != NULL ? host_machine.is_interrupted(self) : host_core_self()->interrupt;
}

void host_become(unsigned core)
{
    self = core;
}

void host_switch_on(unsigned core)
{
    struct host_core *target = &host_cores[core];

    target->wanted_on = true;
    if (target->wait == HOST_OFF && is_running) {
        host_set_running(core, host_core_self()->now_ticks);
    }
}

void host_interrupt(unsigned core)
{
    struct host_core *target = &host_cores[core];

    target->interrupt = true;
    if (target->wait == HOST_SUSPENDED || target->wait == HOST_IN_STANDBY) {
        host_set_running(core, host_core_self()->now_ticks);
    }
}

void host_look_up(unsigned core)
{
    enum host_wait wait = host_cores[core].wait;

    if ((wait == HOST_OFF || wait == HOST_SUSPENDED || wait == HOST_IN_STANDBY) && host_machine.is_interrupted(core)) {
        host_set_running(core, host_core_self()->now_ticks);
    }
}

void host_begin(const struct host_machine *description, unsigned boot_core, void (*core_main)(void))
{
    host_machine = *description;
    violation[0] = '\0';
    host_watchers.count = 0;
    host_waiters.count = 0;
    host_events = 0;
    is_running = false;
    self = boot_core;
    for (unsigned core = 0; core < host_machine.cores; core++) {
        host_cores[core] = (struct host_core){ .wait = HOST_OFF };
        coroutine_prepare(&host_cores[core].coroutine, stacks[core], HOST_STACK_BYTES, core_main);
    }
    host_cores[boot_core].wait = HOST_RUNS;
    host_cores[boot_core].caches_on = true;
    host_cores[boot_core].cold = true;
}

bool host_run(void)
{
    unsigned first = host_machine.next(HOST_NOBODY);

    if (first == HOST_NOBODY) {
        return true;
    }
    is_running = true;
    self = first;
    coroutine_switch(&outside, &host_cores[first].coroutine);
    return violation[0] == '\0';
}

uint8_t *host_stack(unsigned core, size_t *bytes)
{
    *bytes = HOST_STACK_BYTES;
    return stacks[core];
}

void require_failed(const char *condition)
{
    host_fail("a requirement does not hold: %s", condition);
}
