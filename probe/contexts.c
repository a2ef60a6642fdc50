/* SPDX-License-Identifier: BSD-3-Clause */
#include "contexts.h"

#include <stddef.h>

#include "context.h"
#include "known.h"
#include "registers.h"

void contexts_settle(struct core *core)
{
    const struct fragment *ran;

    if (core->running == NULL) {
        return;
    }
    ran = known_in(core->running, core->running_context);
    core->running = NULL;
    core_ran(core, ran->number, ran->instructions);
}

void contexts_ran(struct core *core, struct fragment *fragment)
{
    contexts_settle(core);
    if (!core->has_started) {
        core->has_started = true;
        core->start = fragment->address;
    }
    /* A reset switches them without an instruction. */
    if (core->is_context_old || fragment->address == core->start) {
        core->is_context_old = false;
        core->context = registers_context(core->level);
    }
    core->running = fragment;
    core->running_context = fragment->is_aarch32 ? CONTEXT_TOLD | CONTEXT_AARCH32 : core->context;
}

void contexts_device(struct core *core)
{
    if (core->running != NULL) {
        core->running_context |= CONTEXT_DEVICE;
    }
}
