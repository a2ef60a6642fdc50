/* SPDX-License-Identifier: BSD-3-Clause */
#include "model.h"

#include "memory_map.h"
#include "ns.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

#define POOL        8U
#define ARENA_BYTES 256U

static psa_handle_t connections[POOL]; /* 0: none */

/* The SPM may see the base of one vector with the length of another: that stays in here too. */
static uint8_t arena[2U * ARENA_BYTES];
static uint8_t read_only[32] __attribute__((aligned(32)));
static uint32_t seed = 0x2545F491U;
static psa_handle_t last_closed;

static const struct {
    uint32_t sid;
    uint32_t version;
    bool strict;
    bool usable;
    bool connects;
} services[] = {
    { TEST_CONNECTED_SID, 3, false, true, true },       { TEST_STRICT_SID, 3, true, true, true },
    { TEST_STATELESS_SID, 2, false, true, false },      { TEST_SECURE_ONLY_SID, 1, true, false, true },
    { TEST_SECURE_STATELESS_SID, 1, true, false, false }, { 0x0BADC0DEU, 0, true, false, false },
};
#define SERVICES (sizeof(services) / sizeof(services[0]))

uint32_t random_below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % limit;
}

/* One region of the own MPU makes `read_only` what its name says. */
void model_start(void)
{
    NS_REG32(0xE000ED98U) = 0;
    NS_REG32(0xE000ED9CU) = (uint32_t)read_only | 0x7U;
    NS_REG32(0xE000EDA0U) = (uint32_t)read_only | 1U;
    NS_REG32(0xE000ED94U) = 5;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

static uint32_t live_count(void)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < POOL; i++) {
        count += connections[i] != 0 ? 1U : 0U;
    }
    return count;
}

static psa_handle_t *connection_of(psa_handle_t handle)
{
    for (uint32_t i = 0; i < POOL; i++) {
        if (handle != 0 && connections[i] == handle) {
            return &connections[i];
        }
    }
    return NULL;
}

static psa_handle_t random_handle(void)
{
    psa_handle_t live = connections[random_below(POOL)];

    switch (random_below(10)) {
    case 0:
        return (psa_handle_t)(random_below(0xFFFFU) << 16 | random_below(0x10000U));
    case 1:
        return (psa_handle_t)((uint32_t)live ^ 1U << random_below(32));
    case 2:
        return last_closed;
    case 3:
        return TEST_SECURE_STATELESS_HANDLE;
    case 4:
    case 5:
    case 6:
        return TEST_STATELESS_HANDLE;
    default:
        return live;
    }
}

static void random_range(void **base, size_t *bytes)
{
    uint32_t offset = random_below(ARENA_BYTES);

    *base = &arena[offset];
    *bytes = random_below(4) == 0U ? 0U : random_below(ARENA_BYTES - offset + 1U);
    switch (random_below(40)) {
    case 0:
        *base = (void *)(S_CODE_START + random_below(0x100000U));
        break;
    case 1:
        *base = (void *)(S_RAM_START + random_below(0x100000U));
        break;
    case 2:
        *base = (void *)(NS_RAM_END - random_below(16));
        break;
    case 3:
        *bytes = 0xFFFFFFFFU - random_below(0x1000U);
        break;
    case 4:
        *base = (void *)(0xE000E000U + random_below(0x1000U));
        break;
    case 5:
        *base = read_only;
        *bytes = random_below(33);
        break;
    case 6:
        *base = (void *)(0x40000000U + random_below(0x300000U));
        break;
    case 7:
        *base = NULL;
        break;
    default:
        break;
    }
}

void random_vectors(struct call *call)
{
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        void *base;

        random_range(&base, &call->in[i].len);
        call->in[i].base = base;
        random_range(&call->out[i].base, &call->out[i].len);
    }
}

void random_call(struct call *call)
{
    static const int32_t types[] = { SERVER_ECHO, SERVER_ECHO, SERVER_ECHO, 1000, 32767, 32768, -1, -2, 0x10000, INT32_MIN, INT32_MAX };

    call->handle = random_handle();
    call->type = types[random_below(random_below(4) == 0U ? 11 : 5)];
    call->in_count = random_below(random_below(8) == 0U ? 7 : 3);
    call->out_count = random_below(random_below(8) == 0U ? 7 : 3);
    random_vectors(call);
}

static bool is_within(uintptr_t first, size_t bytes, uintptr_t start, uintptr_t end)
{
    return first >= start && first < end && bytes <= end - first;
}

static bool overlaps_read_only(uintptr_t first, size_t bytes)
{
    uintptr_t start = (uintptr_t)read_only;

    return first < start + sizeof(read_only) && first + bytes > start;
}

static bool is_permitted(const void *base, size_t bytes, bool write)
{
    uintptr_t first = (uintptr_t)base;

    if (bytes == 0U) {
        return true;
    }
    if (!is_within(first, bytes, NS_RAM_START, NS_RAM_END)) {
        return is_within(first, bytes, 0x00200000U, 0x00400000U);
    }
    if (overlaps_read_only(first, bytes)) {
        return !write && is_within(first, bytes, (uintptr_t)read_only, (uintptr_t)read_only + sizeof(read_only));
    }
    return true;
}

/* Those of them that are permitted, so no end wraps. */
static bool inputs_share_a_byte(const struct call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            uintptr_t one = (uintptr_t)call->in[i].base;
            uintptr_t other = (uintptr_t)call->in[j].base;

            if (call->in[i].len != 0U && call->in[j].len != 0U && one < other + call->in[j].len && other < one + call->in[i].len) {
                return true;
            }
        }
    }
    return false;
}

static bool vectors_are_permitted(const struct call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++) {
        if (!is_permitted(call->in[i].base, call->in[i].len, false)) {
            return false;
        }
    }
    if (inputs_share_a_byte(call)) {
        return false;
    }
    for (uint32_t i = 0; i < call->out_count; i++) {
        if (!is_permitted(call->out[i].base, call->out[i].len, true)) {
            return false;
        }
    }
    return true;
}

static psa_status_t echo_status(const struct call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++) {
        if (call->in[i].len > (i < call->out_count ? call->out[i].len : 0U)) {
            return PSA_ERROR_BUFFER_TOO_SMALL;
        }
    }
    return PSA_SUCCESS;
}

#define END_BYTES   16U
#define PIECE_BYTES 5U /* that the service reads and writes at a time */

static uint8_t foreseen_arena[sizeof(arena)];
static uint8_t foreseen_end[END_BYTES];
static size_t foreseen_lengths[PSA_MAX_IOVEC];

/* Where the model keeps what the real memory at this address will hold; what nobody can write to is its own model. */
static uint8_t *foreseen_at(uintptr_t address)
{
    if (address >= (uintptr_t)arena && address < (uintptr_t)arena + sizeof(arena)) {
        return &foreseen_arena[address - (uintptr_t)arena];
    }
    if (address >= NS_RAM_END - END_BYTES && address < NS_RAM_END) {
        return &foreseen_end[address - (NS_RAM_END - END_BYTES)];
    }
    return (uint8_t *)address;
}

/* Input and output may lie over each other, so each piece is read whole before it is written. */
static void foresee_piece(const uint8_t *from, uint8_t *to, size_t bytes)
{
    uint8_t piece[PIECE_BYTES];

    for (size_t i = 0; i < bytes; i++) {
        piece[i] = *foreseen_at((uintptr_t)from + i);
    }
    for (size_t i = 0; i < bytes; i++) {
        *foreseen_at((uintptr_t)to + i) = piece[i];
    }
}

/* False where the output has no room: the service stops there, and keeps what it has written. */
static bool foresee_echo(const struct call *call, uint32_t index)
{
    size_t room = index < call->out_count ? call->out[index].len : 0U;
    size_t done = 0;

    while (done < call->in[index].len) {
        size_t left = call->in[index].len - done;
        size_t bytes = left < PIECE_BYTES ? left : PIECE_BYTES;

        if (bytes > room - done) {
            return false;
        }
        foresee_piece((const uint8_t *)call->in[index].base + done, (uint8_t *)call->out[index].base + done, bytes);
        done += bytes;
        foreseen_lengths[index] = done;
    }
    return true;
}

/* Each call finds other data. */
static void stir(void)
{
    for (uint32_t i = 0; i < 4U; i++) {
        arena[random_below(sizeof(arena))] = (uint8_t)random_below(256);
    }
}

void model_foresee(const struct call *call, psa_status_t expected)
{
    const uint8_t *end = (const uint8_t *)(NS_RAM_END - END_BYTES);

    stir();
    for (uint32_t i = 0; i < sizeof(arena); i++) {
        foreseen_arena[i] = arena[i];
    }
    for (uint32_t i = 0; i < END_BYTES; i++) {
        foreseen_end[i] = end[i];
    }
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        foreseen_lengths[i] = call->out[i].len;
    }
    if (expected == PSA_ERROR_PROGRAMMER_ERROR || expected == PSA_ERROR_CONNECTION_BUSY) {
        return;
    }
    for (uint32_t i = 0; i < call->out_count; i++) {
        foreseen_lengths[i] = 0;
    }
    for (uint32_t i = 0; call->type == SERVER_ECHO && i < call->in_count; i++) {
        if (!foresee_echo(call, i)) {
            return;
        }
    }
}

bool model_came_true(const struct call *call)
{
    const uint8_t *end = (const uint8_t *)(NS_RAM_END - END_BYTES);

    for (uint32_t i = 0; i < sizeof(arena); i++) {
        if (arena[i] != foreseen_arena[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < END_BYTES; i++) {
        if (end[i] != foreseen_end[i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < PSA_MAX_IOVEC; i++) {
        if (call->out[i].len != foreseen_lengths[i]) {
            return false;
        }
    }
    return true;
}

/* Versions 0 to 2 of the one stateless service that the non-secure side may use. */
static bool is_good_stateless(psa_handle_t handle)
{
    return handle == TEST_STATELESS_HANDLE || handle == TEST_STATELESS_HANDLE - 0x100 || handle == TEST_STATELESS_HANDLE - 0x200;
}

psa_status_t expected_of(const struct call *call)
{
    if (call->type < 0 || call->type > PSA_CALL_TYPE_MAX || call->in_count + call->out_count > PSA_MAX_IOVEC) {
        return PSA_ERROR_PROGRAMMER_ERROR;
    }
    if (is_good_stateless(call->handle)) {
        if (live_count() == POOL) {
            return PSA_ERROR_CONNECTION_BUSY;
        }
    } else if (connection_of(call->handle) == NULL) {
        return PSA_ERROR_PROGRAMMER_ERROR;
    }
    if (!vectors_are_permitted(call)) {
        return PSA_ERROR_PROGRAMMER_ERROR;
    }
    return call->type == SERVER_ECHO ? echo_status(call) : PSA_ERROR_NOT_SUPPORTED;
}

bool random_connect(void)
{
    uint32_t which = random_below(SERVICES);
    uint32_t version = random_below(5);
    bool fits = services[which].strict ? version == services[which].version : version <= services[which].version;
    psa_handle_t handle = psa_connect(services[which].sid, version);

    if (!services[which].usable || !services[which].connects || !fits) {
        return handle == PSA_ERROR_CONNECTION_REFUSED;
    }
    if (live_count() == POOL) {
        return handle == PSA_ERROR_CONNECTION_BUSY;
    }
    if (handle <= 0 || connection_of(handle) != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < POOL; i++) {
        if (connections[i] == 0) {
            connections[i] = handle;
            return true;
        }
    }
    return false;
}

bool random_close(void)
{
    psa_handle_t handle = random_handle();
    psa_handle_t *connection = connection_of(handle);

    psa_close(handle);
    if (connection != NULL) {
        last_closed = handle;
        *connection = 0;
    }
    return true;
}

bool random_version(void)
{
    uint32_t which = random_below(SERVICES);

    return psa_version(services[which].sid) == (services[which].usable ? services[which].version : PSA_VERSION_NONE);
}

bool pool_is_whole(void)
{
    for (uint32_t i = 0; i < POOL; i++) {
        psa_close(connections[i]);
    }
    for (uint32_t i = 0; i < POOL; i++) {
        connections[i] = psa_connect(TEST_CONNECTED_SID, 3);
        if (connections[i] <= 0) {
            return false;
        }
    }
    return psa_connect(TEST_CONNECTED_SID, 3) == PSA_ERROR_CONNECTION_BUSY;
}
