/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a ring holds, for C and for the assembler. A build sets TRACE_CAPACITY, without a suffix. */
#ifndef TRACE_SIZE_H
#define TRACE_SIZE_H

#ifndef TRACE_CAPACITY
#define TRACE_CAPACITY 512
#endif
#define TRACE_SLACK 128
#define TRACE_PART 512 /* what PMF needs of a lap is put aside after so many records at most: one pause a lap would be a long one */

#if TRACE_ENABLED
#define TRACE_RECORDS (TRACE_CAPACITY + TRACE_SLACK)
#else
#define TRACE_RECORDS 1
#endif

#define TRACE_RECORD_BYTES 16
#define TRACE_HEADER_BYTES 96
#define TRACE_RING_BYTES (TRACE_HEADER_BYTES + TRACE_RECORDS * TRACE_RECORD_BYTES)

#endif
