/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The code that checks and copies: every small case of read, skip and write one after the other, then random vectors, on
 * blocks of exactly the granted size, so that ASan sees one byte too many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"

#define SMALL      4U
#define STEPS      3U
#define FUZZ_CALLS 200000U

static uint32_t seed = 1;

static uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % limit;
}

struct blocks {
    psa_invec *in_vec;
    psa_outvec *out_vec;
    uint8_t *in;
    uint8_t *out;
};

static struct blocks granted(size_t in_bytes, size_t out_bytes)
{
    struct blocks b = { malloc(sizeof(psa_invec)), malloc(sizeof(psa_outvec)), malloc(in_bytes), malloc(out_bytes) };

    for (size_t i = 0; i < in_bytes; i++) {
        b.in[i] = (uint8_t)(i + 1U);
    }
    if (out_bytes != 0U) {
        memset(b.out, 0, out_bytes);
    }
    *b.in_vec = (psa_invec){ b.in, in_bytes };
    *b.out_vec = (psa_outvec){ b.out, out_bytes };
    spm_host_memory_count = 0;
    grant(&spm_ns_agent, b.in_vec, sizeof(psa_invec), true);
    grant(&spm_ns_agent, b.out_vec, sizeof(psa_outvec), true);
    grant(&spm_ns_agent, b.in, in_bytes, false);
    grant(&spm_ns_agent, b.out, out_bytes, true);
    return b;
}

static void release(const struct blocks *b)
{
    free(b->in_vec);
    free(b->out_vec);
    free(b->in);
    free(b->out);
}

static psa_msg_t call_with(const struct blocks *b)
{
    run_as(&spm_ns_agent);
    spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT | 1U << PSA_CONTROL_OUT_SHIFT, (spm_word)b->in_vec, (spm_word)b->out_vec);
    return take(SERVER_SIGNAL_STATELESS);
}

static spm_word write_handle, write_bytes;
static uint8_t *write_from;

static void write_it(void)
{
    spm_write(write_handle, 0, (spm_word)write_from, write_bytes);
}

/* One step on a message whose input has `*left` bytes to give and whose output has `*room`. Returns false after a panic. */
static bool step(const psa_msg_t *message, unsigned kind, size_t bytes, size_t *left, size_t *room)
{
    uint8_t *buffer = malloc(bytes);
    unsigned granted_before = spm_host_memory_count;
    size_t expected = bytes < *left ? bytes : *left;
    bool alive = true;

    memset(buffer, 0xA5, bytes);
    grant(&server, buffer, bytes, true);
    if (kind == 2U) {
        bool fits = bytes <= *room;

        write_handle = (spm_word)message->handle;
        write_bytes = bytes;
        write_from = buffer;
        alive = panic_of(write_it) == SPM_CAUSE_NONE;
        CHECK(alive == fits);
        *room -= alive ? bytes : 0U;
    } else {
        spm_word taken = kind == 0U ? spm_read((spm_word)message->handle, 0, (spm_word)buffer, bytes)
                                    : spm_skip((spm_word)message->handle, 0, bytes);

        CHECK(taken == expected);
        *left -= expected;
    }
    spm_host_memory_count = granted_before;
    free(buffer);
    return alive;
}

static void small_case(size_t in_bytes, size_t out_bytes, unsigned code)
{
    system_start();

    struct blocks b = granted(in_bytes, out_bytes);
    psa_msg_t message = call_with(&b);
    size_t left = in_bytes;
    size_t room = out_bytes;

    CHECK(message.in_size[0] == in_bytes && message.out_size[0] == out_bytes);
    for (unsigned i = 0; i < STEPS; i++) {
        unsigned choice = code % (3U * (SMALL + 2U));

        code /= 3U * (SMALL + 2U);
        if (!step(&message, choice % 3U, choice / 3U, &left, &room)) {
            release(&b);
            return;
        }
    }
    spm_reply((spm_word)message.handle, 0);
    CHECK(woken(&spm_ns_agent) == 0U && b.out_vec->len == out_bytes - room);
    release(&b);
}

TEST(every_small_sequence_stays_in_its_vectors)
{
    unsigned choices = 3U * (SMALL + 2U);

    for (size_t in_bytes = 0; in_bytes <= SMALL; in_bytes++) {
        for (size_t out_bytes = 0; out_bytes <= SMALL; out_bytes++) {
            for (unsigned code = 0; code < choices * choices * choices; code++) {
                small_case(in_bytes, out_bytes, code);
            }
        }
    }
}

/* Vectors that point anywhere near the granted blocks: refused unless wholly inside, and then every byte is there. */
TEST(random_vectors_never_leave_what_was_granted)
{
    size_t served = 0;

    system_start();
    for (unsigned i = 0; i < FUZZ_CALLS; i++) {
        struct blocks b = granted(1U + random_below(64), 1U + random_below(64));
        size_t in_bytes = b.in_vec->len;
        size_t out_bytes = b.out_vec->len;
        size_t in_offset = random_below((uint32_t)in_bytes + 1U);
        size_t out_offset = random_below((uint32_t)out_bytes + 1U);
        size_t in_len = random_below(8) == 0U ? SIZE_MAX - random_below(100) : random_below(80);
        size_t out_len = random_below(8) == 0U ? SIZE_MAX - random_below(100) : random_below(80);
        bool in_good = in_len == 0U || (in_offset < in_bytes && in_len <= in_bytes - in_offset);
        bool out_good = out_len == 0U || (out_offset < out_bytes && out_len <= out_bytes - out_offset);

        *b.in_vec = (psa_invec){ (void *)((uintptr_t)b.in + in_offset), in_len };
        *b.out_vec = (psa_outvec){ (void *)((uintptr_t)b.out + out_offset), out_len };
        run_as(&spm_ns_agent);

        psa_status_t status = (psa_status_t)spm_call((spm_word)STATELESS_HANDLE, 1U << PSA_CONTROL_IN_SHIFT | 1U << PSA_CONTROL_OUT_SHIFT,
                                                     (spm_word)b.in_vec, (spm_word)b.out_vec);

        if (!in_good || !out_good) {
            CHECK(spm_ns_agent.deferred == 0U && status == PSA_ERROR_PROGRAMMER_ERROR);
            release(&b);
            continue;
        }

        psa_msg_t message = take(SERVER_SIGNAL_STATELESS);
        uint8_t buffer[80];

        served++;
        grant(&server, buffer, sizeof(buffer), true);
        CHECK(spm_read((spm_word)message.handle, 0, (spm_word)buffer, sizeof(buffer)) == in_len);
        for (size_t j = 0; j < in_len; j++) {
            CHECK(buffer[j] == (uint8_t)(in_offset + j + 1U));
        }
        spm_write((spm_word)message.handle, 0, (spm_word)buffer, out_len);
        spm_reply((spm_word)message.handle, 0);
        woken(&spm_ns_agent);
        CHECK(b.out_vec->len == out_len);
        release(&b);
    }
    CHECK(served > FUZZ_CALLS / 50U);
}
