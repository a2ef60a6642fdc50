/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that the compiler calls by itself. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    char *t = to;
    const char *f = from;

    while (size-- > 0) {
        *t++ = *f++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;

    if (t <= f) {
        return memcpy(to, from, size);
    }
    while (size-- > 0) {
        t[size] = f[size];
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    char *t = to;

    while (size-- > 0) {
        *t++ = (char)value;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a;
    const unsigned char *y = b;

    for (; size > 0; size--, x++, y++) {
        if (*x != *y) {
            return *x - *y;
        }
    }
    return 0;
}
