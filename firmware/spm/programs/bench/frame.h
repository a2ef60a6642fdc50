/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dump lines, `<LLT1:KIND key=value *CRC>`: docs/trace-format.md. They are kept until frame_flush(), because a console that
 * makes the program wait would make each run a little different.
 */
#ifndef FRAME_H
#define FRAME_H

#include <stddef.h>
#include <stdint.h>

void frame_begin(const char *kind);
void frame_text(const char *key, const char *value);
void frame_number(const char *key, uint32_t value);
void frame_hex64(const char *key, uint64_t value);
void frame_bytes(const char *key, const void *bytes, size_t count); /* base64; a multiple of 16 bytes */
void frame_end(void);
void frame_flush(void);

#endif
