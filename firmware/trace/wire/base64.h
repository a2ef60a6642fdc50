/* SPDX-License-Identifier: BSD-3-Clause */
/* Base64 of RFC 4648, with padding. */
#ifndef WIRE_BASE64_H
#define WIRE_BASE64_H

#include <stddef.h>

#define BASE64_SIZE(bytes) (((bytes) + 2) / 3 * 4 + 1)

/* `out` has room for BASE64_SIZE(size) characters, the last one a NUL. Keeps no state: any core may call it. */
void base64_encode(char *out, const void *data, size_t size);

#endif
