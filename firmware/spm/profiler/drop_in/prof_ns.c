/* SPDX-License-Identifier: BSD-3-Clause */
/* Built into the non-secure program. */
#include "prof_intf_ns.h"

void prof_calibrate_ns(uint32_t rounds)
{
    uint32_t tag = PROF_MAKE_TIMING_TAG(0, 0, PROF_CALI_IDX_NS, PROF_TYPE_TIMING_CALI);
    uint32_t least = rounds == 0U ? 0U : UINT32_MAX;
    uint32_t before = prof_timing_cp_veneer(tag);

    while (rounds-- != 0U) {
        uint32_t now = prof_timing_cp_veneer(tag);

        least = now - before < least ? now - before : least;
        before = now;
    }
    prof_ns_set_cali_value(least);
}
