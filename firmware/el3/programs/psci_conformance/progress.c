/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include "board.h"

#define MAGIC 0xaU
#define MAGIC_SHIFT 28
#define STAGE_SHIFT 24
#define FAILED_SHIFT 12
#define TOTAL_MASK 0xfffU

static uint32_t saturate(uint64_t total)
{
    return total > TOTAL_MASK ? TOTAL_MASK : (uint32_t)total;
}

enum stage progress_read(void)
{
    uint32_t word = board_kept();

    if (word >> MAGIC_SHIFT != MAGIC) {
        return STAGE_CASES;
    }
    check_restore_totals((struct check_totals) { .passed = word & TOTAL_MASK, .failed = word >> FAILED_SHIFT & TOTAL_MASK });
    return (enum stage)(word >> STAGE_SHIFT & 0xf);
}

void progress_keep(enum stage next)
{
    struct check_totals totals = check_totals();
    uint32_t word =
        MAGIC << MAGIC_SHIFT | (uint32_t)next << STAGE_SHIFT | saturate(totals.failed) << FAILED_SHIFT | saturate(totals.passed);

    board_keep(next == STAGE_CASES ? 0 : word);
}
