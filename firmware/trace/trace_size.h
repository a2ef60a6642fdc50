/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a ring holds, for C and for the assembler. */
#ifndef TRACE_SIZE_H
#define TRACE_SIZE_H

/* Where the storage is fixed when it is built; a firmware that knows its memory only at boot gives trace_init() another number. */
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
#define TRACE_RING_BYTES 104

#endif
