/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of C's <string.h> that this firmware has: memory.c. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>
#include <stdint.h>

void *memset(void *destination, int value, size_t bytes);
void *memcpy(void *restrict destination, const void *restrict source, size_t bytes);
void *memmove(void *destination, const void *source, size_t bytes);
int memcmp(const void *one, const void *other, size_t bytes);
void *memchr(const void *bytes, int value, size_t count);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t most);
char *strrchr(const char *text, int character);

#endif
