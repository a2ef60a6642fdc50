/* SPDX-License-Identifier: BSD-3-Clause */
/* The non-secure side's way to the store. */
#include <arm_cmse.h>

#include "prof_common.h"

#ifdef __clang__ /* which clones no function that others may call */
#define VENEER __attribute__((cmse_nonsecure_entry, used))
#else
#define VENEER __attribute__((cmse_nonsecure_entry, noclone, used))
#endif

typedef bool find(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask);

static bool may_write(uint32_t *word)
{
    return cmse_check_address_range(word, sizeof(*word), CMSE_NONSECURE | CMSE_MPU_READWRITE) != NULL;
}

static bool find_for(find *search, uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask)
{
    uint32_t found_tag;
    uint32_t found_data;

    if (!may_write(tag) || !may_write(data) || !search(&found_tag, &found_data, pattern, mask)) {
        return false;
    }
    *tag = found_tag;
    *data = found_data;
    return true;
}

VENEER void prof_ns_set_cali_value(uint32_t value)
{
    prof_calibrate(PROF_CALI_IDX_NS, 0, value);
}

VENEER uint32_t prof_timing_cp_veneer(uint32_t tag)
{
    return prof_timing_cp(tag);
}

VENEER uint32_t prof_lost_veneer(void)
{
    return prof_lost();
}

VENEER uint32_t prof_get_cali_value_veneer(uint32_t index)
{
    return prof_get_cali_value(index);
}

VENEER bool prof_get_data_start_veneer(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask)
{
    return find_for(prof_get_data_start, tag, data, pattern, mask);
}

VENEER bool prof_get_data_continue_veneer(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask)
{
    return find_for(prof_get_data_continue, tag, data, pattern, mask);
}

VENEER uint32_t prof_data_diff_veneer(uint32_t tag_a, uint32_t tag_b)
{
    return prof_data_diff(tag_a, tag_b);
}

VENEER uint32_t prof_data_diff_min_veneer(uint32_t tag_a, uint32_t tag_b)
{
    return prof_data_diff_min(tag_a, tag_b);
}

VENEER uint32_t prof_data_diff_max_veneer(uint32_t tag_a, uint32_t tag_b)
{
    return prof_data_diff_max(tag_a, tag_b);
}

VENEER uint32_t prof_data_diff_avg_veneer(uint32_t tag_a, uint32_t tag_b)
{
    return prof_data_diff_avg(tag_a, tag_b);
}
