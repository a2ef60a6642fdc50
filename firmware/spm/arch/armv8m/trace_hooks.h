/* SPDX-License-Identifier: BSD-3-Clause */
/* The instrument on Armv8-M: the counter that the profiler chose, one ring in each world. */
#ifndef TRACE_HOOKS_H
#define TRACE_HOOKS_H

extern struct trace_ring profiler_ring;
extern const volatile uint32_t *profiler_counter;
extern uint32_t profiler_counter_invert;

#define TRACE_NOW_TICKS() ((uint64_t)(*profiler_counter ^ profiler_counter_invert))
#define TRACE_RING() (&profiler_ring)
#define TRACE_READER_SYNC(place, bytes) ((void)(place), (void)(bytes))

#endif
