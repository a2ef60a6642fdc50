/* SPDX-License-Identifier: BSD-3-Clause */
#include "contexts.h"

#include <stddef.h>

#define SCTLR_M 0x1U
#define SCTLR_C 0x4U
#define SCTLR_I 0x1000U

uint32_t context_of_sctlr(uint64_t sctlr)
{
    return CONTEXT_TOLD | CONTEXT_SWITCHES | (sctlr & SCTLR_I ? CONTEXT_I_CACHE : 0) | (sctlr & SCTLR_C ? CONTEXT_D_CACHE : 0) |
           (sctlr & SCTLR_M ? CONTEXT_TRANSLATION : 0);
}

void contexts_settle(struct core *core)
{
    const struct fragment *ran;

    if (core->running == NULL) {
        return;
    }
    ran = probe_fragment_in(core->running, core->running_context);
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
        core->context = probe_context(core);
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
