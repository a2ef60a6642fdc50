/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiler as the non-secure side uses it; prof_ns.c goes with it. */
#ifndef PROF_INTF_NS_H
#define PROF_INTF_NS_H

#include "prof_common.h"

/* The least that a checkpoint costs from here in so many rounds; 0 rounds forget it. */
void prof_calibrate_ns(uint32_t rounds);

#define PROF_TIMING_LOG(cp_id, topic_id) prof_timing_cp_veneer(PROF_LOG_TAG(cp_id, topic_id, PROF_CALI_IDX_NS))
#define PROF_DO_CALIBRATE(rounds)       prof_calibrate_ns(rounds)
#define PROF_GET_CALI_VALUE_FROM_TAG(tag) prof_get_cali_value_veneer(PROF_GET_CALI_IDX_FROM_TAG(tag))
#define PROF_LOST()                     prof_lost_veneer()

#define PROF_FETCH_DATA_START(tag, data, cp, topic)           PROF_FIND(start, _veneer, tag, data, cp, topic, PROF_MASK_TOPIC_CP)
#define PROF_FETCH_DATA_CONTINUE(tag, data, cp, topic)        PROF_FIND(continue, _veneer, tag, data, cp, topic, PROF_MASK_TOPIC_CP)
#define PROF_FETCH_DATA_BY_TOPIC_START(tag, data, topic)      PROF_FIND(start, _veneer, tag, data, 0, topic, PROF_MASK_TOPIC)
#define PROF_FETCH_DATA_BY_TOPIC_CONTINUE(tag, data, topic)   PROF_FIND(continue, _veneer, tag, data, 0, topic, PROF_MASK_TOPIC)

#define PROF_DATA_DIFF(cp_a, topic_a, cp_b, topic_b)     PROF_DIFFERENCE(_veneer, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_NS)
#define PROF_DATA_DIFF_MIN(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_min_veneer, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_NS)
#define PROF_DATA_DIFF_MAX(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_max_veneer, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_NS)
#define PROF_DATA_DIFF_AVG(cp_a, topic_a, cp_b, topic_b) PROF_DIFFERENCE(_avg_veneer, cp_a, topic_a, cp_b, topic_b, PROF_CALI_IDX_NS)

#endif
