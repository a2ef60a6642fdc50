/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three partitions and a non-secure thread. The driver answers when its device has asked, the server counts the calls of a connection
 * and echoes, the relay asks both, when it is called and when an interrupt comes. Whoever has control outside a call looks whether it
 * should be somebody else.
 */
#include "work.h"

#include <stdio.h>
#include <string.h>

#include "gate.h"
#include "processor.h"
#include "spm.h"

#define SID_DRIVER 0x100U
#define SID_SERVER 0x101U
#define SID_RELAY  0x102U
#define STATELESS(index) ((psa_handle_t)(1U << 30 | 1U << 8 | (index)))
#define DRIVER_HANDLE STATELESS(0U)
#define RELAY_HANDLE  STATELESS(1U)

#define SERVICE_SIGNAL 0x10U
#define LINE_SIGNAL    0x40U
#define FIRST_SIGNAL   0x80U

#define CONNECTIONS 3U
#define BYTES       24U
#define MOST_INTERRUPTS 20U /* that come in one call and that nobody asked for */
#define DRIVER_ID   256

static void driver_thread(void);
static void relay_thread(void);
static void server_thread(void);
static psa_flih_result_t first_level(void);

static const struct spm_partition_info driver_info = {
    .name = "driver", .service_signals = SERVICE_SIGNAL, .irq_signals = LINE_SIGNAL | FIRST_SIGNAL, .ipc = true, .entry = driver_thread,
};
static const struct spm_partition_info relay_info = {
    .name = "relay", .service_signals = SERVICE_SIGNAL, .irq_signals = LINE_SIGNAL, .dependencies = 3U, .ipc = true,
    .entry = relay_thread,
};
static const struct spm_partition_info server_info = {
    .name = "server", .service_signals = SERVICE_SIGNAL, .irq_signals = LINE_SIGNAL, .ipc = true, .entry = server_thread,
};
static struct spm_partition driver = { .info = &driver_info, .id = DRIVER_ID };
static struct spm_partition relay = { .info = &relay_info, .id = DRIVER_ID + 1 };
static struct spm_partition server = { .info = &server_info, .id = DRIVER_ID + 2 };

struct spm_partition *const spm_partitions[] = { &driver, &relay, &server, &spm_ns_agent, &spm_idle };
const uint32_t spm_partition_count = sizeof(spm_partitions) / sizeof(spm_partitions[0]);
const struct spm_service spm_services[] = {
    { .sid = SID_DRIVER, .version = 1, .signal = SERVICE_SIGNAL, .stateless = true, .non_secure_clients = true, .index = 0, .owner = &driver },
    { .sid = SID_SERVER, .version = 1, .signal = SERVICE_SIGNAL, .non_secure_clients = true, .index = 1, .owner = &server },
    { .sid = SID_RELAY, .version = 1, .signal = SERVICE_SIGNAL, .stateless = true, .non_secure_clients = true, .index = 2, .owner = &relay },
};
const uint32_t spm_service_count = 3;
const struct spm_service *const spm_stateless[SPM_STATELESS_HANDLES] = { [0] = &spm_services[0], [1] = &spm_services[2] };
const struct spm_irq spm_irqs[] = {
    { .line = LINE_FIRST_LEVEL, .signal = FIRST_SIGNAL, .owner = &driver, .first_level = first_level },
    { .line = LINE_DRIVER, .signal = LINE_SIGNAL, .owner = &driver },
    { .line = LINE_SERVER, .signal = LINE_SIGNAL, .owner = &server },
    { .line = LINE_RELAY, .signal = LINE_SIGNAL, .owner = &relay },
};
const uint32_t spm_irq_count = LINES;

struct request {
    uint32_t serial;
    uint8_t bytes[BYTES];
};

static const struct work_outside *outside;
static uint32_t calls_left;
static bool driver_waits_for_its_device;
static uint32_t first_level_signals;
static uint32_t first_level_seen;

void work_prepare(const struct work_outside *given, uint32_t calls)
{
    outside = given;
    calls_left = calls;
    driver_waits_for_its_device = false;
    first_level_signals = first_level_seen = 0;
    for (uint32_t i = 0; i < spm_partition_count; i++) {
        const struct spm_partition_info *info = spm_partitions[i]->info;
        int32_t id = spm_partitions[i]->id;

        *spm_partitions[i] = (struct spm_partition){ .info = info, .id = id };
    }
    memset(&spm_kernel, 0, sizeof(spm_kernel));
}

static void expect(bool is, const char *else_wrong)
{
    if (!is) {
        outside->wrong(else_wrong);
    }
}

/* Nothing is under way in the SPM where this is asked. */
static void look_at_the_others(void)
{
    for (uint32_t i = 0; i < spm_partition_count; i++) {
        struct spm_partition *each = spm_partitions[i];
        bool is_ready = (atomic_load(&spm_kernel.ready) & each->rank_bit) != 0U;

        expect(is_ready || (atomic_load(&each->asserted) & atomic_load(&each->waiting)) == 0U, "a partition waits for a signal that it has");
    }
    for (uint32_t i = 0; i < spm_irq_count; i++) {
        const struct spm_irq *irq = &spm_irqs[i];
        bool is_told = (atomic_load(&irq->owner->asserted) & irq->signal) != 0U;

        expect(!processor_is_raised(irq->line) || is_told, "a device asks, and its partition was not told");
    }
}

/* Each call of a partition; what stands around it runs in its thread. */
#define CALL(call) (look_whose_turn_it_is(), after_call(GATE_CALL(call)))

static void look_whose_turn_it_is(void)
{
    expect(!processor_forgot_a_switch(), "a more urgent partition may run, and another one does");
}

static spm_word after_call(spm_word result)
{
    look_whose_turn_it_is();
    return result;
}

static psa_flih_result_t first_level(void)
{
    processor_lower(LINE_FIRST_LEVEL);
    if (outside->draw(2) == 0U) {
        return PSA_FLIH_NO_SIGNAL;
    }
    first_level_signals++;
    return PSA_FLIH_SIGNAL;
}

static void serve(uint32_t line)
{
    expect(processor_is_raised(line), "a partition was told of an interrupt that was not there");
    processor_lower(line);
    CALL(spm_eoi(LINE_SIGNAL));
}

bool work_device_due(void)
{
    if (!driver_waits_for_its_device || !processor_is_enabled(LINE_DRIVER)) {
        return false;
    }
    processor_raise(LINE_DRIVER);
    return true;
}

static uint32_t read_serial(const psa_msg_t *message)
{
    uint32_t serial = 0;

    CALL(spm_read((spm_word)message->handle, 0, (spm_word)&serial, sizeof(serial)));
    return serial;
}

static void answer_serial(const psa_msg_t *message, uint32_t serial)
{
    CALL(spm_write((spm_word)message->handle, 0, (spm_word)&serial, sizeof(serial)));
    CALL(spm_reply((spm_word)message->handle, PSA_SUCCESS));
}

static psa_msg_t taken(void)
{
    psa_msg_t message;

    expect(CALL(spm_get(SERVICE_SIGNAL, (spm_word)&message)) == (spm_word)PSA_SUCCESS, "a signal without a message");
    return message;
}

static void answer_by_device(void)
{
    psa_msg_t message = taken();
    uint32_t serial = read_serial(&message);

    driver_waits_for_its_device = true;
    expect(CALL(spm_wait(LINE_SIGNAL, PSA_BLOCK)) == LINE_SIGNAL, "a wait for one signal ended with another");
    driver_waits_for_its_device = false;
    serve(LINE_DRIVER);
    answer_serial(&message, serial + 1U);
}

static void driver_thread(void)
{
    CALL(spm_irq_enable(FIRST_SIGNAL));
    CALL(spm_irq_enable(LINE_SIGNAL));
    for (;;) {
        spm_word signals = CALL(spm_wait(PSA_WAIT_ANY, PSA_BLOCK));

        expect(signals != 0U, "a wait ended without a signal");
        if ((signals & FIRST_SIGNAL) != 0U) {
            CALL(spm_reset_signal(FIRST_SIGNAL));
            first_level_seen = first_level_signals;
        }
        if ((signals & LINE_SIGNAL) != 0U) {
            serve(LINE_DRIVER);
        }
        if ((signals & PSA_DOORBELL) != 0U) {
            CALL(spm_clear());
        }
        if ((signals & SERVICE_SIGNAL) != 0U) {
            answer_by_device();
        }
    }
}

/* The serial of a connection is how often it was called; what comes behind it goes back. */
static void echo(const psa_msg_t *message)
{
    struct request request = { .serial = 0 };
    uint32_t served = (uint32_t)(uintptr_t)message->rhandle;

    CALL(spm_read((spm_word)message->handle, 0, (spm_word)&request, sizeof(request)));
    expect(request.serial == served, "a call was lost, or served twice");
    CALL(spm_set_rhandle((spm_word)message->handle, served + 1U));
    if (served % 3U == 0U) {
        CALL(spm_notify(DRIVER_ID));
    }
    CALL(spm_write((spm_word)message->handle, 0, (spm_word)&request, message->in_size[0]));
    CALL(spm_reply((spm_word)message->handle, PSA_SUCCESS));
}

static void server_thread(void)
{
    CALL(spm_irq_enable(LINE_SIGNAL));
    for (;;) {
        spm_word signals = CALL(spm_wait(PSA_WAIT_ANY, PSA_BLOCK));

        if ((signals & LINE_SIGNAL) != 0U) {
            serve(LINE_SERVER);
        }
        if ((signals & SERVICE_SIGNAL) == 0U) {
            continue;
        }

        psa_msg_t message = taken();

        if (message.type >= 0) {
            echo(&message);
        } else {
            CALL(spm_reply((spm_word)message.handle, PSA_SUCCESS));
        }
    }
}

/* A client of the server, of either world. */
struct link {
    psa_handle_t handle;
    uint32_t serial;
};

static uint32_t call_echo(struct link *link, uint32_t bytes, uintptr_t (*call)(psa_handle_t, psa_invec *, psa_outvec *))
{
    struct request request = { .serial = link->serial++ };
    struct request answer = { .serial = 0 };
    psa_invec in = { &request, sizeof(request.serial) + bytes };
    psa_outvec out = { &answer, sizeof(answer) };

    for (uint32_t i = 0; i < bytes; i++) {
        request.bytes[i] = (uint8_t)(link->serial * 7U + i);
    }
    expect((psa_status_t)call(link->handle, &in, &out) == PSA_SUCCESS, "a call ended with another status");
    expect(out.len == in.len && memcmp(&request, &answer, in.len) == 0, "a call brought back something else");
    return answer.serial;
}

#define WITH_VECTORS (1U << PSA_CONTROL_IN_SHIFT | 1U << PSA_CONTROL_OUT_SHIFT)

static uintptr_t call_as_partition(psa_handle_t handle, psa_invec *in, psa_outvec *out)
{
    return CALL(spm_call((spm_word)handle, WITH_VECTORS, (spm_word)in, (spm_word)out));
}

static uintptr_t call_as_non_secure(psa_handle_t handle, psa_invec *in, psa_outvec *out)
{
    uintptr_t result;

    processor_is_non_secure(false);
    result = GATE_CALL(spm_call((spm_word)handle, WITH_VECTORS, (spm_word)in, (spm_word)out));
    processor_is_non_secure(true);
    return result;
}

static void ask(psa_handle_t handle, uint32_t serial, uint32_t wanted, uintptr_t (*call)(psa_handle_t, psa_invec *, psa_outvec *))
{
    uint32_t answer = 0;
    psa_invec in = { &serial, sizeof(serial) };
    psa_outvec out = { &answer, sizeof(answer) };

    expect((psa_status_t)call(handle, &in, &out) == PSA_SUCCESS, "a call ended with another status");
    expect(out.len == sizeof(answer) && answer == wanted, "a call brought back something else");
}

static void relay_to_both(struct link *link, uint32_t serial)
{
    call_echo(link, serial % BYTES, call_as_partition);
    if (serial % 2U == 0U) {
        ask(DRIVER_HANDLE, serial, serial + 1U, call_as_partition);
    }
}

static void relay_thread(void)
{
    struct link link = { .handle = (psa_handle_t)CALL(spm_connect(SID_SERVER, 1)) };

    CALL(spm_irq_enable(LINE_SIGNAL));
    for (;;) {
        spm_word signals = CALL(spm_wait(PSA_WAIT_ANY, PSA_BLOCK));

        if ((signals & LINE_SIGNAL) != 0U) {
            serve(LINE_RELAY);
            relay_to_both(&link, link.serial);
        }
        if ((signals & SERVICE_SIGNAL) != 0U) {
            psa_msg_t message = taken();
            uint32_t serial = read_serial(&message);

            relay_to_both(&link, serial);
            answer_serial(&message, serial + 2U);
        }
    }
}

static struct link connected(void)
{
    struct link link = { .serial = 0 };

    processor_is_non_secure(false);
    link.handle = (psa_handle_t)GATE_CALL(spm_connect(SID_SERVER, 1));
    processor_is_non_secure(true);
    expect(link.handle > 0, "a connection was refused");
    return link;
}

static void close(struct link *link)
{
    processor_is_non_secure(false);
    GATE_CALL(spm_close((spm_word)link->handle));
    processor_is_non_secure(true);
}

static void call_something(struct link *links)
{
    struct link *link = &links[outside->draw(CONNECTIONS)];

    switch (outside->draw(8)) {
    case 0:
    case 1:
        ask(DRIVER_HANDLE, calls_left, calls_left + 1U, call_as_non_secure);
        break;
    case 2:
    case 3:
        ask(RELAY_HANDLE, calls_left, calls_left + 2U, call_as_non_secure);
        break;
    case 4:
        close(link);
        *link = connected();
        break;
    default:
        call_echo(link, outside->draw(BYTES), call_as_non_secure);
        break;
    }
    look_at_the_others();
}

_Noreturn void work_non_secure(void)
{
    struct link links[CONNECTIONS];

    processor_is_non_secure(true);
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        links[i] = connected();
    }
    for (; calls_left > 0U; calls_left--) {
        outside->allow(outside->draw(MOST_INTERRUPTS));
        call_something(links);
    }
    outside->allow(0);
    ask(DRIVER_HANDLE, 0, 1, call_as_non_secure);
    call_echo(&links[0], 0, call_as_non_secure);
    ask(DRIVER_HANDLE, 0, 1, call_as_non_secure);
    look_at_the_others();
    expect(first_level_seen == first_level_signals, "a signal of a first-level handler was not seen");
    for (uint32_t line = 0; line < LINES; line++) {
        expect(!processor_is_raised(line), "a device asks for ever");
    }
    processor_stop();
}
