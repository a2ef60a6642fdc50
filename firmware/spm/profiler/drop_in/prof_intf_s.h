/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiler as secure code uses it. */
#ifndef PROF_INTF_S_H
#define PROF_INTF_S_H

#include "prof_common.h"

#define PROFILING_INIT()                prof_init()
#define PROF_TIMING_LOG(cp_id, topic_id) prof_timing_cp(PROF_LOG_TAG(cp_id, topic_id, PROF_CALI_IDX_S))
#define PROF_DO_CALIBRATE(rounds)       prof_calibrate(PROF_CALI_IDX_S, rounds, 0)
#define PROF_GET_CALI_VALUE_FROM_TAG(tag) prof_get_cali_value(PROF_GET_CALI_IDX_FROM_TAG(tag))
#define PROF_LOST()                     prof_lost()

#define PROF_FETCH_DATA_START(tag, data, cp, topic)           PROF_FIND(start, , tag, data, cp, topic, PROF_MASK_TOPIC_CP)
#define PROF_FETCH_DATA_CONTINUE(tag, data, cp, topic)        PROF_FIND(continue, , tag, data, cp, topic, PROF_MASK_TOPIC_CP)
#define PROF_FETCH_DATA_BY_TOPIC_START(tag, data, topic)      PROF_FIND(start, , tag, data, 0, topic, PROF_MASK_TOPIC)
#define PROF_FETCH_DATA_BY_TOPIC_CONTINUE(tag, data, topic)   PROF_FIND(continue, , tag, data, 0, topic, PROF_MASK_TOPIC)

#define PROF_DATA_DIFF(cp_a, topic_a, cp_b, topic_b)     PROF_DIFFERENCE(, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_S)
#define PROF_DATA_DIFF_MIN(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_min, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_S)
#define PROF_DATA_DIFF_MAX(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_max, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_S)
#define PROF_DATA_DIFF_AVG(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_avg, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_S)

#endif
