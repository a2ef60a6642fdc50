/* SPDX-License-Identifier: BSD-3-Clause */
/* PSA calls on any firmware: nothing is measured here, the calls stand between marks that a probe sees. */
#include "psa_calls.h"

#define SYSTICK        15U
#define FIRST_FAULT    2U
#define PRIORITY_SHIFT 24U /* of SysTick in SHPR3 */

_Noreturn void calls_main(const struct params *params);
uint32_t address_of_on_fault(void);
uint32_t address_of_on_systick(void);
void on_fault(void);
void on_systick(void);

static struct memory *memory_here(void)
{
    return (struct memory *)SCB_VTOR;
}

void on_fault(void)
{
    console_put(memory_here()->params->console, "PANIC a fault in the program\n");
    leave(1);
}

static struct memory *prepare(const struct params *params)
{
    struct memory *memory = (struct memory *)(((uintptr_t)params + params->bytes + MEMORY_ALIGN - 1U) & ~(uintptr_t)(MEMORY_ALIGN - 1U));

    for (uint32_t i = FIRST_FAULT; i < VECTORS; i++) {
        memory->vectors[i] = address_of_on_fault();
    }
    memory->vectors[SYSTICK] = address_of_on_systick();
    memory->params = params;
    memory->fired = 0;
    SCB_VTOR = (uint32_t)(uintptr_t)memory;
    SCB_SHPR3 = params->priority << PRIORITY_SHIFT;
    console_open(params->console);
    return memory;
}

/* One call goes before those that count: it initialises the service. Returns how many answers were not the first one. */
static uint32_t measure(struct memory *memory, uint32_t index, struct answer right)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < memory->params->iterations; i++) {
        struct answer answer = call_once(memory, index, MARK_CALL, i, 0);

        if (answer.status != right.status) {
            say(memory, "STATUS call=%lu iteration=%lu status=%ld", (unsigned long)index, (unsigned long)i, (long)answer.status);
        }
        others += answer.digest != right.digest ? 1U : 0U;
    }
    return others;
}

static void run(struct memory *memory, uint32_t index)
{
    const struct call *call = &memory->params->calls[index];
    struct answer right = { 0, 0 };
    uint32_t others;

    if (!call_is_possible(memory->params, call)) {
        say(memory, "SKIP call=%lu why=no-veneer", (unsigned long)index);
        return;
    }
    right = call_once(memory, index, MARK_FIRST, 0, 0);
    if (right.status != call->expected) {
        say(memory, "REFUSED call=%lu status=%ld expected=%ld", (unsigned long)index, (long)right.status, (long)call->expected);
        return;
    }
    others = measure(memory, index, right);
    say(memory, "DONE call=%lu status=%ld outputs=%s", (unsigned long)index, (long)right.status, others == 0U ? "equal" : "vary");
    if (call->shots != 0U) {
        sweep(memory, index, right, others == 0U);
    }
}

_Noreturn void calls_main(const struct params *params)
{
    uint32_t (*framework_version)(void) = (uint32_t(*)(void))(uintptr_t)params->veneers[VENEER_FRAMEWORK_VERSION];
    struct memory *memory;

    if (params->magic != PARAMS_MAGIC) {
        leave(1); /* no console is known */
    }
    memory = prepare(params);
    say(memory, "PSA framework=%lx iterations=%lu calls=%lu", (unsigned long)framework_version(), (unsigned long)params->iterations,
        (unsigned long)params->call_count);
    for (uint32_t i = 0; i < params->call_count; i++) {
        run(memory, i);
    }
    say(memory, "END calls=%lu", (unsigned long)params->call_count);
    leave(0);
}
