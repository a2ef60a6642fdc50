/* SPDX-License-Identifier: BSD-3-Clause */
/* What GCC calls by itself also in a freestanding build. */
#include <stddef.h>

void *memset(void *destination, int value, size_t bytes);
void *memcpy(void *restrict destination, const void *restrict source, size_t bytes);

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *destination, int value, size_t bytes)
{
    unsigned char *to = destination;

    while (bytes-- != 0) {
        *to++ = (unsigned char)value;
    }
    return destination;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memcpy(void *restrict destination,
    const void *restrict source, size_t bytes)
{
    unsigned char *to = destination;
    const unsigned char *from = source;

    while (bytes-- != 0) {
        *to++ = *from++;
    }
    return destination;
}
