/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 of ISO 3309, the one of zlib. */
#ifndef PAYLOAD_CRC32_H
#define PAYLOAD_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32(const void *data, size_t size);

#endif
