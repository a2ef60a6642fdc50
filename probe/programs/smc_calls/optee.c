/* SPDX-License-Identifier: BSD-3-Clause */
#include "optee.h"

#include <stdbool.h>

#include "console.h"
#include "named_call.h"
#include "optee_message.h"
#include "sweep.h"

#define CALLS_COUNT 0xbf00ff00U
#define CALLS_UID 0xbf00ff01U
#define CALLS_REVISION 0xbf00ff03U
#define GET_OS_UUID 0xb2000000U
#define GET_OS_REVISION 0xb2000001U
#define GET_SHM_CONFIG 0xb2000007U
#define L2CC_MUTEX 0xb2000008U
#define EXCHANGE_CAPABILITIES 0xb2000009U
#define GET_THREAD_COUNT 0xb200000fU
#define GET_ASYNC_NOTIF_VALUE 0xb2000011U
#define CALL_WITH_ARG 0x32000004U
#define CALL_RETURN_FROM_RPC 0x32000003U

#define UID_0 0x384fb3e0U
#define DYNAMIC_MEMORY (1U << 2) /* of its capabilities: memory that the caller registers */
#define ASKS 0xffff0000U /* OP-TEE wants something before it goes on */
#define UNKNOWN_FUNCTION 0xffffffffU

#define PAGE 4096U
#define LIST_LENGTH (PAGE / sizeof(uint64_t) - 1) /* the last entry of a page is where the list goes on */
#define LARGE (4U << 20)
#define LARGE_PAGES (LARGE / PAGE)
#define SMALL_PLACE 1U
#define LARGE_PLACE 2U

/* As OP-TEE's own applications are called in its sources, in the order of their bytes. */
struct application {
    const char *open, *close;
    uint8_t uuid[16];
};

static const struct application random_numbers = { "open rng", "close rng",
    { 0xab, 0x7a, 0x61, 0x7c, 0xb8, 0xe7, 0x4d, 0x8f, 0x83, 0x01, 0xd0, 0x9b, 0x61, 0x03, 0x6b, 0x64 } };
static const struct application devices = { "open devices", "close devices",
    { 0x70, 0x11, 0xa6, 0x88, 0xdd, 0xde, 0x40, 0x53, 0xa5, 0xa9, 0x7b, 0x3c, 0x4d, 0xdf, 0x13, 0xb8 } };

static struct {
    _Alignas(PAGE) struct optee_message message;
    _Alignas(PAGE) uint64_t list[1 + (LARGE_PAGES - 1) / LIST_LENGTH][PAGE / sizeof(uint64_t)];
    _Alignas(PAGE) uint8_t small[PAGE];
    uint8_t large[LARGE];
} shared;

/* A thread of OP-TEE that an interrupt stopped goes on; anything else that it asks for it does not get. */
static uint64_t call_with_message(void)
{
    uint64_t address = (uint64_t)&shared.message;
    struct call call = { { CALL_WITH_ARG, address >> 32, (uint32_t)address } };

    make_call(&call);
    while ((call.x[0] & ASKS) == ASKS && (uint32_t)call.x[0] != UNKNOWN_FUNCTION) {
        call = (struct call) { { CALL_RETURN_FROM_RPC, 0, 0, call.x[3] } };
        make_call(&call);
    }
    return call.x[0];
}

static bool tell(const char *name, struct optee_message message)
{
    uint64_t answer;

    name_calls(name);
    shared.message = message;
    answer = call_with_message();
    if (answer != 0 || shared.message.result != 0) {
        console_line("%s: OP-TEE answered %lx, result %x", name, answer, shared.message.result);
    }
    return answer == 0 && shared.message.result == 0;
}

static uint64_t word_of(const uint8_t *bytes)
{
    uint64_t word = 0;

    for (uint32_t i = 0; i < sizeof(word); i++) {
        word |= (uint64_t)bytes[i] << (8 * i);
    }
    return word;
}

static struct optee_param registered(uint64_t kind, uint64_t size, uint64_t place)
{
    return (struct optee_param) { kind, 0, size, place };
}

static bool open(const struct application *application)
{
    return tell(application->open, (struct optee_message) {
        .command = MESSAGE_OPEN_SESSION,
        .count = 2,
        .params = { { PARAM_VALUE_IN | PARAM_META, word_of(application->uuid), word_of(application->uuid + 8), 0 },
                    { PARAM_VALUE_IN | PARAM_META, 0, 0, LOGIN_KERNEL } } });
}

static void close(const struct application *application, uint32_t session)
{
    tell(application->close, (struct optee_message) { .command = MESSAGE_CLOSE_SESSION, .session = session });
}

static void again(uint64_t message)
{
    shared.message = *(const struct optee_message *)message;
    call_with_message();
}

/* Function 0 of an application, which fills a buffer. */
static void fill(const char *name, uint32_t session, struct optee_param buffer)
{
    struct optee_message message = { .command = MESSAGE_INVOKE, .session = session, .count = 1, .params = { buffer } };

    if (tell(name, message)) {
        sweep(name, again, (uint64_t)&message);
    }
}

/* Its pages, each by its address. */
static bool share(const char *name, uint64_t buffer, uint64_t size, uint64_t place)
{
    for (uint64_t i = 0; i * PAGE < size; i++) {
        uint64_t *list = shared.list[i / LIST_LENGTH];

        list[i % LIST_LENGTH] = buffer + i * PAGE;
        list[LIST_LENGTH] = (uint64_t)(list + PAGE / sizeof(uint64_t));
    }
    return tell(name, (struct optee_message) { .command = MESSAGE_REGISTER_MEMORY,
                                               .count = 1,
                                               .params = { { PARAM_MEMORY_OUT | PARAM_IS_LIST, (uint64_t)shared.list, size, place } } });
}

static void unshare(const char *name, uint64_t place)
{
    tell(name, (struct optee_message) {
                   .command = MESSAGE_UNREGISTER_MEMORY, .count = 1, .params = { registered(PARAM_REGISTERED_IN, 0, place) } });
}

static void make_random_numbers(void)
{
    uint32_t session;

    if (open(&random_numbers)) {
        session = shared.message.session;
        fill("rng 64 bytes", session, registered(PARAM_REGISTERED_IN_OUT, 64, SMALL_PLACE));
        fill("rng 4 KiB", session, registered(PARAM_REGISTERED_IN_OUT, PAGE, SMALL_PLACE));
        close(&random_numbers, session);
    }
}

static void list_devices(void)
{
    uint32_t session;

    if (open(&devices)) {
        session = shared.message.session;
        fill("list in 4 KiB", session, registered(PARAM_REGISTERED_OUT, PAGE, SMALL_PLACE));
        if (share("share 4 MiB", (uint64_t)shared.large, LARGE, LARGE_PLACE)) {
            fill("list in 4 MiB", session, registered(PARAM_REGISTERED_OUT, LARGE, LARGE_PLACE));
            unshare("unshare 4 MiB", LARGE_PLACE);
        }
        close(&devices, session);
    }
}

static struct call fast(uint64_t function)
{
    struct call call = { { function } };

    name_calls("");
    make_call(&call);
    return call;
}

static void ask_again(uint64_t function)
{
    struct call call = { { function } };

    make_call(&call);
}

void make_optee_calls(void)
{
    struct call capabilities;

    if ((uint32_t)fast(CALLS_UID).x[0] != UID_0) {
        return;
    }
    fast(CALLS_COUNT);
    fast(CALLS_REVISION);
    fast(GET_OS_UUID);
    fast(GET_OS_REVISION);
    fast(GET_SHM_CONFIG);
    fast(L2CC_MUTEX);
    fast(GET_THREAD_COUNT);
    fast(GET_ASYNC_NOTIF_VALUE);
    capabilities = fast(EXCHANGE_CAPABILITIES);
    sweep("", ask_again, CALLS_UID);
    if (capabilities.x[0] == 0 && capabilities.x[1] & DYNAMIC_MEMORY && share("share 4 KiB", (uint64_t)shared.small, PAGE, SMALL_PLACE)) {
        make_random_numbers();
        list_devices();
        unshare("unshare 4 KiB", SMALL_PLACE);
    }
}
