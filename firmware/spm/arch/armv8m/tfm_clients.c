/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client ids as TF-M's non-secure client extension hands them in: the scheduler acquires a token for each thread that will call,
 * loads it with the thread's id when the thread comes and saves it when the thread goes. There is one context, for the
 * threads of one group. Between a save and the next load nobody is the client: an id of its own, which owns no connection.
 *
 * Only handlers come here. All of this is the non-secure side's own business: one that interrupts itself here mixes up its
 * own threads and nothing else.
 */
#include "armv8m.h"
#include "spm.h"

#define NOBODY         INT32_MIN
#define NO_TOKEN       0xFFFFFFFFU
#define MOST_THREADS   255U
#define CONTEXTS       1U
#define GROUP(token)   ((token) >> 8 & 0xFFU)
#define IS_OURS(token) ((token) <= 0xFFFFU) /* thread, group, context 0 */

enum nsce_status { NSCE_SUCCESS, NSCE_INVALID_TOKEN, NSCE_INVALID_ID };

static struct {
    uint32_t group;
    uint32_t threads; /* 0: no group has it */
    uint32_t active;  /* the token that was loaded */
} context = { .active = NO_TOKEN };

uint32_t spm_tfm_nsce_init(uint32_t wanted)
{
    return wanted == 0U || wanted > CONTEXTS ? CONTEXTS : wanted;
}

uint32_t spm_tfm_nsce_acquire_ctx(uint32_t group, uint32_t thread)
{
    group &= 0xFFU;
    if (context.threads != 0U && (context.group != group || context.threads == MOST_THREADS)) {
        return NO_TOKEN;
    }
    context.group = group;
    context.threads++;
    return (thread & 0xFFU) | group << 8;
}

static bool is_held(uint32_t token)
{
    return IS_OURS(token) && context.threads != 0U && GROUP(token) == context.group;
}

static void leave(void)
{
    context.active = NO_TOKEN;
    spm_ns_agent.id = NOBODY;
}

uint32_t spm_tfm_nsce_release_ctx(uint32_t token)
{
    if (!is_held(token)) {
        return NSCE_INVALID_TOKEN;
    }
    context.threads--;
    if (context.active == token) {
        leave();
    }
    return NSCE_SUCCESS;
}

uint32_t spm_tfm_nsce_load_ctx(uint32_t token, int32_t id)
{
    if (id >= 0 || id == NOBODY) {
        return NSCE_INVALID_ID;
    }
    if (!is_held(token)) {
        return NSCE_INVALID_TOKEN;
    }
    context.active = token;
    spm_ns_agent.id = id;
    return NSCE_SUCCESS;
}

uint32_t spm_tfm_nsce_save_ctx(uint32_t token)
{
    if (!is_held(token) || context.active != token) {
        return NSCE_INVALID_TOKEN;
    }
    leave();
    return NSCE_SUCCESS;
}
