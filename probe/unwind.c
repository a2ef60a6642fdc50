/* SPDX-License-Identifier: BSD-3-Clause */
#include "unwind.h"

#define EXCEPTION_RETURN 0xff000000U
#define EXCEPTION_FIXED 0xffffff82U
#define EXCEPTION_IN_FRAME 0xffffff80U
#define RETURN_BASIC_FRAME (1U << 4)
#define FRAME_BYTES 0x20U
#define FRAME_LINK 0x14U
#define FRAME_STATUS 0x1cU
#define FLOAT_BYTES 0x48U
#define STATUS_IS_ALIGNED (1U << 9)
#define SIGNATURE 0xfefa125aU /* with the lowest bit as it comes */
#define SECURE_STATE_BYTES 0x28U
#define WORD_BYTES 4U
#define WORDS_MAX 64U
#define FUNCTION_BYTES_MAX 0x1000U
#define DEVICES_START 0x40000000U
#define DEVICES_END 0x60000000U
#define MEMORY_END 0xa0000000U

bool unwind_is_exception(uint64_t link)
{
    return (link & EXCEPTION_RETURN) == EXCEPTION_RETURN;
}

static bool is_memory(uint64_t address)
{
    return address < DEVICES_START || (address >= DEVICES_END && address < MEMORY_END);
}

static bool read_word(uint64_t address, uint32_t *word, unwind_read read)
{
    return is_memory(address) && read(address, word, sizeof(*word));
}

uint64_t unwind_exception(uint64_t exception, uint64_t *frame, unwind_read read)
{
    uint32_t word, link, status;

    if (!read_word(*frame, &word, read)) {
        return 0;
    }
    if ((word & ~1U) == SIGNATURE) {
        *frame += SECURE_STATE_BYTES;
    }
    if (!read_word(*frame + FRAME_LINK, &link, read) || !read_word(*frame + FRAME_STATUS, &status, read)) {
        return 0;
    }
    *frame += FRAME_BYTES + (exception & RETURN_BASIC_FRAME ? 0 : FLOAT_BYTES) + (status & STATUS_IS_ALIGNED ? WORD_BYTES : 0);
    return link;
}

/* Where the BL right before `address` goes. */
static bool target_of_call(uint32_t address, uint32_t *target, unwind_read read)
{
    uint32_t word, first, second, sign, offset;

    if (!read_word(address - WORD_BYTES, &word, read)) {
        return false;
    }
    first = word & 0xffffU;
    second = word >> 16;
    if ((first & 0xf800U) != 0xf000U || (second & 0xd000U) != 0xd000U) {
        return false;
    }
    sign = first >> 10 & 1U;
    offset = (first & 0x3ffU) << 12 | (second & 0x7ffU) << 1;
    offset |= (~(second >> 13 ^ sign) & 1U) << 23 | (~(second >> 11 ^ sign) & 1U) << 22;
    *target = address + offset - (sign << 24);
    return true;
}

uint64_t unwind_caller(uint64_t *stack, uint64_t inside, unwind_read read)
{
    uint32_t word, target;

    for (uint32_t i = 0; i < WORDS_MAX && read_word(*stack, &word, read); i++) {
        *stack += WORD_BYTES;
        if ((word & EXCEPTION_FIXED) == EXCEPTION_IN_FRAME) {
            return 0;
        }
        if ((word & 1U) != 0 && target_of_call(word & ~1U, &target, read) && (uint32_t)inside - target < FUNCTION_BYTES_MAX) {
            return word;
        }
    }
    return 0;
}
