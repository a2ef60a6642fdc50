/* SPDX-License-Identifier: BSD-3-Clause */
/* What GCC calls by itself also in a freestanding build, and what libfdt uses beside that. */
#include <string.h>

#define WORD sizeof(uint32_t)

/* GCC would take the loop of such a function for a call of it. Clang does not in a freestanding build, and has no such attribute. */
#ifdef __clang__
#define NOT_CALLING_ITSELF
#else
#define NOT_CALLING_ITSELF __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

/* A device tree is made of words, and it is moved about at every boot. */
static int are_words(const void *one, const void *other, size_t bytes)
{
    return (((uintptr_t)one | (uintptr_t)other | bytes) & (WORD - 1)) == 0;
}

NOT_CALLING_ITSELF void *memset(void *destination, int value, size_t bytes)
{
    unsigned char *to = destination;

    while (bytes-- != 0) {
        *to++ = (unsigned char)value;
    }
    return destination;
}

NOT_CALLING_ITSELF void *memcpy(void *restrict destination,
    const void *restrict source, size_t bytes)
{
    unsigned char *to = destination;
    const unsigned char *from = source;

    if (are_words(destination, source, bytes)) {
        for (size_t at = 0; at < bytes / WORD; at++) {
            ((uint32_t *)destination)[at] = ((const uint32_t *)source)[at];
        }
        return destination;
    }
    while (bytes-- != 0) {
        *to++ = *from++;
    }
    return destination;
}

NOT_CALLING_ITSELF void *memmove(void *destination, const void *source, size_t bytes)
{
    unsigned char *to = destination;
    const unsigned char *from = source;

    if (to <= from) {
        return to == from ? destination : memcpy(destination, source, bytes);
    }
    if (are_words(destination, source, bytes)) {
        for (size_t at = bytes / WORD; at-- != 0;) {
            ((uint32_t *)destination)[at] = ((const uint32_t *)source)[at];
        }
        return destination;
    }
    while (bytes-- != 0) {
        to[bytes] = from[bytes];
    }
    return destination;
}

int memcmp(const void *one, const void *other, size_t bytes)
{
    const unsigned char *left = one;
    const unsigned char *right = other;

    for (; bytes != 0; bytes--, left++, right++) {
        if (*left != *right) {
            return *left - *right;
        }
    }
    return 0;
}

void *memchr(const void *bytes, int value, size_t count)
{
    for (const unsigned char *at = bytes; count != 0; count--, at++) {
        if (*at == (unsigned char)value) {
            return (void *)(uintptr_t)at;
        }
    }
    return NULL;
}

NOT_CALLING_ITSELF size_t strnlen(const char *text, size_t most)
{
    size_t length = 0;

    while (length < most && text[length] != '\0') {
        length++;
    }
    return length;
}

size_t strlen(const char *text)
{
    return strnlen(text, SIZE_MAX);
}

char *strrchr(const char *text, int character)
{
    const char *found = NULL;

    for (;; text++) {
        if (*text == (char)character) {
            found = text;
        }
        if (*text == '\0') {
            return (char *)(uintptr_t)found;
        }
    }
}
