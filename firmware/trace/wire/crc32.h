/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 of ISO 3309, the one of zlib. */
#ifndef WIRE_CRC32_H
#define WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what `crc` is of, followed by `size` bytes of `data`; of nothing it is 0. Keeps no state: any core may call it. */
uint32_t crc32_append(uint32_t crc, const void *data, size_t size);

#endif
