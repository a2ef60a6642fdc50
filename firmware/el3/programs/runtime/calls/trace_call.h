/* SPDX-License-Identifier: BSD-3-Clause */
/* The firmware's PMF and trace calls, see docs/reference/trace-format.md. */
#ifndef PAYLOAD_TRACE_CALL_H
#define PAYLOAD_TRACE_CALL_H

#include <stdint.h>

#define PMF_GET_TIMESTAMP 0x87000020U
#define PMF_GET_VERSION 0x87000021U
#define TRACE_INFO 0xc7000030U
#define TRACE_TOPOLOGY 0xc7000031U
#define TRACE_STATUS 0xc7000032U
#define TRACE_READ 0xc7000033U
#define TRACE_BUILD 0xc7000034U

#define PMF_RUNTIME_INSTRUMENTATION(index) (0x41000400U | (index))

#define TRACE_RECORD_BYTES 16
#define TRACE_RECORDS_PER_READ 3
#define TRACE_BUILD_BYTES 96
#define TRACE_BUILD_CHUNK 24

#endif
