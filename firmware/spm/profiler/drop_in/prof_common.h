/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checkpoints for somebody else's SPM: the names and calls of the profiler that TF-M is built with, over a store that says
 * what it lost and differences that survive a counter that goes round. docs/howto/spm-other-programs.md says how to build it in.
 *
 * A checkpoint is a word of tag and a word of count. From the tag's low end: 4 bits type, 2 bits unused, 2 bits which
 * calibration applies, 8 bits topic, 16 bits checkpoint.
 */
#ifndef PROF_COMMON_H
#define PROF_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PROF_DB_MAX
#define PROF_DB_MAX 2048U
#endif

#define PROF_TYPE_TIMING_CALI 0x0U
#define PROF_TYPE_TIMING_LOG  0x1U

#define PROF_CALI_IDX_S    0x0U
#define PROF_CALI_IDX_NS   0x3U
#define PROF_MAX_CALI_SETS 4U

#define PROF_MASK_CP       0xFFFF0000U
#define PROF_MASK_TOPIC    0x0000FF00U
#define PROF_MASK_TOPIC_CP (PROF_MASK_CP | PROF_MASK_TOPIC)
#define PROF_MASK_FULL_TAG 0xFFFFFFFFU
#define PROF_MASK_NONE     0U

#define PROF_MAKE_TIMING_TAG(checkpoint, topic, calibration, type)                                       \
    (((uint32_t)(checkpoint) & 0xFFFFU) << 16 | ((uint32_t)(topic) & 0xFFU) << 8 |                       \
     ((uint32_t)(calibration) & 0x3U) << 6 | ((uint32_t)(type) & 0xFU))
#define PROF_GET_TYPE_FROM_TAG(tag)     ((tag) & 0xFU)
#define PROF_GET_CALI_IDX_FROM_TAG(tag) ((tag) >> 6 & 0x3U)
#define PROF_GET_TOPIC_ID_FROM_TAG(tag) ((tag) >> 8 & 0xFFU)
#define PROF_GET_CP_ID_FROM_TAG(tag)    ((tag) >> 16 & 0xFFFFU)

/* Secure side. Once, before anything else; false where the platform has no counter. */
bool prof_init(void);

/*
 * Takes a checkpoint and returns its count. One of type PROF_TYPE_TIMING_CALI is not kept. In one thread at a time, with no
 * handler that takes one too.
 */
uint32_t prof_timing_cp(uint32_t tag);

/* How many checkpoints found the store full, of which nothing is kept. Figures are whole only while this is 0. */
uint32_t prof_lost(void);

/* The least that a checkpoint cost in so many rounds, under that index; 0 rounds put `value` there. */
void prof_calibrate(uint32_t index, uint32_t rounds, uint32_t value);
uint32_t prof_get_cali_value(uint32_t index);

/* The next kept checkpoint with (tag & mask) == pattern, from the first or from behind the last that was found. */
bool prof_get_data_start(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask);
bool prof_get_data_continue(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask);

/*
 * Counts from checkpoint a to the next b, whichever world took which, less the calibration that b's tag names: of the first
 * pair, of the least, the greatest, the mean of all. 0 where there is no pair; of the least UINT32_MAX.
 */
uint32_t prof_data_diff(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_min(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_max(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_avg(uint32_t tag_a, uint32_t tag_b);

/* The same for the non-secure side. A pointer that the caller may not write through gives false. */
void prof_ns_set_cali_value(uint32_t value);
uint32_t prof_timing_cp_veneer(uint32_t tag);
uint32_t prof_lost_veneer(void);
uint32_t prof_get_cali_value_veneer(uint32_t index);
bool prof_get_data_start_veneer(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask);
bool prof_get_data_continue_veneer(uint32_t *tag, uint32_t *data, uint32_t pattern, uint32_t mask);
uint32_t prof_data_diff_veneer(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_min_veneer(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_max_veneer(uint32_t tag_a, uint32_t tag_b);
uint32_t prof_data_diff_avg_veneer(uint32_t tag_a, uint32_t tag_b);

/* What both worlds' macros are made of: `side` is empty or _veneer, `cali` the calibration of the world. */
#define PROF_LOG_TAG(checkpoint, topic, cali)       PROF_MAKE_TIMING_TAG(checkpoint, topic, cali, PROF_TYPE_TIMING_LOG)
#define PROF_FIND(which, side, tag, data, checkpoint, topic, mask) \
    prof_get_data_##which##side(tag, data, PROF_MAKE_TIMING_TAG(checkpoint, topic, 0, 0), mask)
#define PROF_DIFFERENCE(which, cp_a, topic_a, cp_b, topic_b, cali) \
    prof_data_diff##which(PROF_LOG_TAG(cp_a, topic_a, cali), PROF_LOG_TAG(cp_b, topic_b, cali))

#endif
