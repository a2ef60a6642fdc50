/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stream's writers keep of one core, whoever runs it: QEMU, or a trace. */
#ifndef PROBE_CORE_H
#define PROBE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "fragment.h"
#include "masked.h"
#include "path.h"
#include "profile.h"
#include "spent.h"

#define WATCHED_MEASURED 0x100U
#define WATCHED_LOOK 0x200U
#define WATCHED_NOTHING UINT32_MAX
#define TIME_UNKNOWN UINT64_MAX

struct mask_site; /* mask_sites.c's */

struct core {
    void *key;
    uint32_t number; /* in the order of the first instruction */
    uint32_t level; /* of the last block */
    uint32_t world;
    uint32_t watched; /* level, and WATCHED_MEASURED where it is measured; WATCHED_NOTHING in sleep */
    bool is_measured; /* its instructions are counted by fragment now */
    bool is_asleep;
    uint64_t *instructions;
    uint64_t own_instructions;
    uint64_t sleep_address;
    uint64_t sleeps; /* at sleep_address, since the last record of a change; 0: none */
    uint64_t wake_instructions, wake_machine, wake_address, wake_timer; /* of the last wake-up */
    const struct fragment *shared; /* the block that it is in, where that is measured now and was not translated so; else NULL */
    uint64_t shared_from; /* its count when it entered that block */
    struct masked masked;
    const struct mask_site *mask_site; /* the instruction that ran last, where it may have changed which interrupts are taken; else NULL */
    uint32_t context; /* of what it runs, context.h; 0 where that is not asked for */
    bool is_context_old, has_started;
    uint64_t start; /* where it ran measured code first */
    struct fragment *running; /* not in its path yet; else NULL */
    uint32_t running_context;
    struct path *path; /* NULL where functions are not counted */
    struct profile *profile; /* what the path has no room for; NULL with it */
    struct profile *naps;    /* what ran between the sleeps at sleep_address; NULL where nothing measured ever did */
    struct spent *spent;      /* the time of each fragment since the last change; NULL where there is no clock beside the count */
    bool has_clock;           /* there is such a clock, and it is shown at changes; in the following TIME_UNKNOWN is no time */
    uint64_t time, wake_time; /* of that clock: now, and at the last wake-up */
};

/* Notes one run of a fragment of the measured world that the core is in. */
static inline void core_ran(struct core *core, uint32_t fragment, uint32_t instructions)
{
    if (!path_note(core->path, fragment)) {
        profile_note(core->profile, fragment, instructions);
    }
}

/* Instructions of all cores so far. */
uint64_t cores_total(void);

/* How many of the counted instructions of the running core's block would not have run if it ended here. For a call from inside of a block;
 * 0 where cores do not take turns. */
uint64_t turns_not_run(void);

/* After a change of the core's level, sleep or mask_site: a block's entry compares with these values. */
void cores_watch(struct core *core);

#endif
