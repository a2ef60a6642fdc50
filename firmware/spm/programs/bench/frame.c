/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include "ns.h"

#define TEXT_BYTES (512U * 1024U)

static uint32_t crc;
static char text[TEXT_BYTES];
static uint32_t text_bytes;

static void store(char character)
{
    if (text_bytes == TEXT_BYTES - 1U) {
        frame_flush();
    }
    text[text_bytes++] = character;
}

void frame_flush(void)
{
    text[text_bytes] = '\0';
    text_bytes = 0;
    ns_print(text);
}

static void put(char character)
{
    store(character);
    crc ^= (uint8_t)character;
    for (uint32_t i = 0; i < 8U; i++) {
        crc = crc >> 1 ^ (0xEDB88320U & (0U - (crc & 1U)));
    }
}

static void put_text(const char *text)
{
    while (*text != '\0') {
        put(*text++);
    }
}

static void put_hex(uint64_t value, uint32_t digits)
{
    while (digits-- != 0U) {
        put("0123456789abcdef"[value >> (4U * digits) & 0xFU]);
    }
}

static void put_key(const char *key)
{
    put(' ');
    put_text(key);
    put('=');
}

void frame_begin(const char *kind)
{
    store('<');
    crc = 0xFFFFFFFFU;
    put_text("LLT1:");
    put_text(kind);
}

void frame_text(const char *key, const char *value)
{
    put_key(key);
    put_text(value);
}

void frame_number(const char *key, uint32_t value)
{
    char digits[NS_DECIMAL_BYTES];

    frame_text(key, ns_decimal(digits, value));
}

void frame_hex64(const char *key, uint64_t value)
{
    put_key(key);
    put_hex(value, 16);
}

static void put_base64(const uint8_t *bytes, size_t count)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t group = (uint32_t)bytes[0] << 16;

    group |= count > 1U ? (uint32_t)bytes[1] << 8 : 0U;
    group |= count > 2U ? bytes[2] : 0U;
    put(alphabet[group >> 18]);
    put(alphabet[group >> 12 & 63U]);
    put(count > 1U ? alphabet[group >> 6 & 63U] : '=');
    put(count > 2U ? alphabet[group & 63U] : '=');
}

void frame_bytes(const char *key, const void *bytes, size_t count)
{
    const uint8_t *from = bytes;

    put_key(key);
    for (; count > 3U; count -= 3U, from += 3) {
        put_base64(from, 3);
    }
    put_base64(from, count);
}

void frame_end(void)
{
    uint32_t value = ~crc;

    store(' ');
    store('*');
    put_hex(value, 8);
    store('>');
    store('\n');
}
