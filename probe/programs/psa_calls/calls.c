/* SPDX-License-Identifier: BSD-3-Clause */
/* One call, with what has to go before and after it. */
#include "psa_calls.h"

#define SYSTICK_ON      7U /* the processor's clock, an interrupt, running */
#define SYSTICK_OFF     0U
#define CLEAR_PENDING   (1U << 25)
#define LONGEST_WAIT    50000000U
#define CONNECTED       0 /* the status of a psa_connect that gave a handle */
#define FNV_BASIS       2166136261U
#define FNV_PRIME       16777619U
#define UNTOUCHED       0xA5U

typedef uint32_t veneer_function(uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3);

struct vector {
    void *base;
    size_t bytes;
};

/* What armed_call() takes, in this order: the mark, then the call behind it. */
struct armed {
    uint32_t mark[4];
    uint32_t mark_veneer;
    uint32_t arguments[4];
    uint32_t timer; /* into SYST_CSR */
    uint32_t target;
};

struct vectors {
    struct vector in[MOST_VECTORS];
    struct vector out[MOST_VECTORS];
};

int32_t armed_call(const struct armed *armed);
uint32_t address_of_do_nothing(void);
void on_systick(void);

/* The instruction at which it begins is what is measured, outside of here. A short period may have passed more than once by now. */
void on_systick(void)
{
    struct memory *memory = (struct memory *)SCB_VTOR;

    SYST_CSR = SYSTICK_OFF;
    SCB_ICSR = CLEAR_PENDING;
    memory->fired = 1;
}

static uint32_t call_veneer(const struct memory *memory, enum veneer veneer, uint32_t r0, uint32_t r1, uint32_t r2)
{
    return ((veneer_function *)(uintptr_t)memory->params->veneers[veneer])(r0, r1, r2, 0);
}

static bool needs_connection(const struct call *call)
{
    return call->kind == CALL_CLOSE || call->kind == CALL_ON_CONNECTION;
}

bool call_is_possible(const struct params *params, const struct call *call)
{
    bool connects = needs_connection(call) || call->kind == CALL_CONNECT;
    bool calls = call->kind == CALL_ON_HANDLE || call->kind == CALL_ON_CONNECTION;

    if (call->kind == CALL_VERSION && params->veneers[VENEER_VERSION] == 0U) {
        return false;
    }
    if (connects && (params->veneers[VENEER_CONNECT] == 0U || params->veneers[VENEER_CLOSE] == 0U)) {
        return false;
    }
    return !calls || params->veneers[VENEER_CALL] != 0U;
}

static void fill_vectors(struct memory *memory, const struct call *call, struct vectors *vectors)
{
    uint8_t *to = memory->out;

    for (uint32_t i = 0; i < call->in_count; i++) {
        vectors->in[i] = (struct vector) { (void *)((uintptr_t)memory->params + call->in_offset[i]), call->in_bytes[i] };
    }
    for (uint32_t i = 0; i < call->out_count; i++) {
        vectors->out[i] = (struct vector) { to, call->out_bytes[i] };
        for (uint32_t byte = 0; byte < call->out_bytes[i]; byte++) {
            to[byte] = UNTOUCHED;
        }
        to += (call->out_bytes[i] + 7U) & ~7U;
    }
}

static uint32_t digest_of(const struct call *call, const struct vectors *vectors)
{
    uint32_t digest = FNV_BASIS;

    for (uint32_t i = 0; i < call->out_count; i++) {
        const uint8_t *bytes = vectors->out[i].base;

        digest = (digest ^ vectors->out[i].bytes) * FNV_PRIME;
        for (uint32_t byte = 0; byte < call->out_bytes[i]; byte++) {
            digest = (digest ^ bytes[byte]) * FNV_PRIME;
        }
    }
    return digest;
}

/* The veneer and its arguments. */
static void aim(const struct memory *memory, const struct call *call, int32_t connection, struct vectors *vectors, struct armed *armed)
{
    const uint32_t *veneers = memory->params->veneers;

    switch (call->kind) {
    case CALL_FRAMEWORK_VERSION:
        armed->target = veneers[VENEER_FRAMEWORK_VERSION];
        break;
    case CALL_VERSION:
        armed->target = veneers[VENEER_VERSION];
        armed->arguments[0] = call->service;
        break;
    case CALL_CONNECT:
        armed->target = veneers[VENEER_CONNECT];
        armed->arguments[0] = call->service;
        armed->arguments[1] = call->version;
        break;
    case CALL_CLOSE:
        armed->target = veneers[VENEER_CLOSE];
        armed->arguments[0] = (uint32_t)connection;
        break;
    case CALL_ON_HANDLE:
    case CALL_ON_CONNECTION:
        armed->target = veneers[VENEER_CALL];
        armed->arguments[0] = call->kind == CALL_ON_HANDLE ? call->service : (uint32_t)connection;
        armed->arguments[1] = call->control;
        armed->arguments[2] = (uint32_t)(uintptr_t)vectors->in;
        armed->arguments[3] = (uint32_t)(uintptr_t)vectors->out;
        break;
    default:
        armed->target = address_of_do_nothing();
        break;
    }
}

static void set_timer(struct memory *memory, uint32_t ticks)
{
    memory->fired = 0;
    SYST_CSR = SYSTICK_OFF;
    SYST_RVR = ticks;
    SYST_CVR = 0;
}

/* Ends the program where the interrupt never comes: the firmware may have taken the timer. */
static void wait_for_interrupt(const struct memory *memory, uint32_t index)
{
    for (uint32_t i = 0; memory->fired == 0U; i++) {
        if (i == LONGEST_WAIT) {
            say(memory, "SILENT call=%lu", (unsigned long)index);
            leave(1);
        }
    }
}

static int32_t status_of(const struct call *call, int32_t returned)
{
    switch (call->kind) {
    case CALL_NOTHING:
    case CALL_CLOSE:
        return 0;
    case CALL_CONNECT:
        return returned > 0 ? CONNECTED : returned;
    default:
        return returned;
    }
}

struct answer call_once(struct memory *memory, uint32_t index, enum mark mark, uint32_t number, uint32_t ticks)
{
    const struct call *call = &memory->params->calls[index];
    struct vectors vectors;
    struct armed armed = {
        .mark = { (uint32_t)mark, index, number, 0 },
        .mark_veneer = memory->params->veneers[VENEER_FRAMEWORK_VERSION],
        .timer = ticks != 0U ? SYSTICK_ON : SYSTICK_OFF,
    };
    int32_t connection = 0;
    int32_t returned;

    fill_vectors(memory, call, &vectors);
    if (needs_connection(call)) {
        connection = (int32_t)call_veneer(memory, VENEER_CONNECT, call->service, call->version, 0);
        if (connection <= 0) {
            return (struct answer) { connection, 0 };
        }
    }
    aim(memory, call, connection, &vectors, &armed);
    if (ticks != 0U) {
        set_timer(memory, ticks);
    }
    returned = armed_call(&armed);
    if (ticks != 0U) {
        wait_for_interrupt(memory, index);
    }
    call_veneer(memory, VENEER_FRAMEWORK_VERSION, (uint32_t)mark + MARK_END, index, number);
    if (call->kind == CALL_CONNECT && returned > 0) {
        connection = returned;
    }
    if (connection > 0 && call->kind != CALL_CLOSE) {
        call_veneer(memory, VENEER_CLOSE, (uint32_t)connection, 0, 0);
    }
    return (struct answer) { status_of(call, returned), digest_of(call, &vectors) };
}
