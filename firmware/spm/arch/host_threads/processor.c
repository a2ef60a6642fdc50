/* SPDX-License-Identifier: BSD-3-Clause */
#include "processor.h"

#include <stdlib.h>
#include <ucontext.h>

#include "spm.h"

#define THREADS     8U
#define STACK_BYTES 65536U
#define MOST_NESTED 2U

static const struct processor_world *world;
static ucontext_t outside;

static struct {
    ucontext_t context;
    uintptr_t r0; /* as its frame has it */
    void (*entry)(void);
    uint8_t stack[STACK_BYTES] __attribute__((aligned(16)));
} threads[THREADS];

static struct {
    uint32_t threads;
    uint32_t raised;
    uint32_t enabled;
    uint32_t active;
    uint32_t nested; /* handlers under way */
    bool switch_pended;
    bool switching;  /* in the handler of the switch */
    bool answering;  /* the world's access() is under way */
    bool non_secure;
    bool left_to_next_call; /* a switch was written down because the non-secure side ran */
} now;

static uint32_t bit(uint32_t line)
{
    return 1U << line;
}

void processor_start(const struct processor_world *given)
{
    world = given;
    memset(&now, 0, sizeof(now));
}

static void begin(void)
{
    now.switching = false;
    threads[spm_kernel.current->context.thread].entry();
    world->wrong("a thread came back");
}

void spm_arch_thread_init(struct spm_partition *partition, void (*entry)(void))
{
    uint32_t index = now.threads++;

    if (index >= THREADS) {
        abort();
    }
    partition->context.thread = index;
    threads[index].entry = entry != NULL ? entry : world->non_secure;
    getcontext(&threads[index].context);
    threads[index].context.uc_stack.ss_sp = threads[index].stack;
    threads[index].context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&threads[index].context, begin, 0);
}

void processor_set_r0(uint32_t thread, uintptr_t value)
{
    threads[thread].r0 = value;
}

uintptr_t processor_r0(uint32_t thread)
{
    return threads[thread].r0;
}

void processor_resume(uint32_t from, uint32_t next)
{
    now.left_to_next_call = false;
    if (next != from) {
        swapcontext(&threads[from].context, &threads[next].context);
    }
}

/* The lowest of all handlers: what is pended meanwhile comes behind it. */
static void take_switch(void)
{
    while (now.switch_pended && !now.switching && now.nested == 0U) {
        now.switch_pended = false;
        now.switching = true;
        now.left_to_next_call |= now.non_secure;
        world->switch_handler(now.non_secure);
        now.switching = false;
    }
}

static void take_lines(void)
{
    uint32_t due;

    while (now.nested < MOST_NESTED && (due = now.raised & now.enabled & ~now.active) != 0U) {
        uint32_t line = (uint32_t)__builtin_ctz(due);

        now.active |= bit(line);
        now.nested++;
        spm_irq(line);
        now.nested--;
        now.active &= ~bit(line);
    }
}

static void take_all(void)
{
    take_lines();
    take_switch();
}

void processor_access(uintptr_t place)
{
    if (now.answering || world == NULL) {
        return;
    }
    now.answering = true;
    world->access(place);
    now.answering = false;
    take_all();
}

bool processor_is_in_thread(void)
{
    return now.nested == 0U && !now.switching && !now.non_secure;
}

void processor_visit_non_secure(void (*other_thread)(void))
{
    now.non_secure = true;
    other_thread();
    now.answering = false;
    take_all();
    now.answering = true;
    now.non_secure = false;
}

void processor_is_non_secure(bool is)
{
    now.non_secure = is;
}

void processor_raise(uint32_t line)
{
    now.raised |= bit(line);
}

void processor_lower(uint32_t line)
{
    now.raised &= ~bit(line);
}

bool processor_is_raised(uint32_t line)
{
    return (now.raised & bit(line)) != 0U;
}

bool processor_is_enabled(uint32_t line)
{
    return (now.enabled & bit(line)) != 0U;
}

void processor_pend_switch(void)
{
    now.switch_pended = true;
}

/* Whatever is due at the same instruction comes first. */
void processor_switch(void)
{
    now.switch_pended = true;
    processor_access((uintptr_t)__builtin_return_address(0));
}

/* What came since the last look ends the sleep at once. */
void processor_sleep(void)
{
    now.answering = true;
    if (spm_kernel.switch_wanted == 0U && !world->asleep()) {
        world->wrong("every thread waits, and nothing will come that could wake one");
    }
    now.answering = false;
    take_all();
}

bool processor_forgot_a_switch(void)
{
    uint32_t first = (uint32_t)__builtin_clz(atomic_load(&spm_kernel.ready));

    return spm_kernel.by_rank[first] != spm_kernel.current && !(spm_kernel.switch_wanted != 0U && now.left_to_next_call);
}

void processor_run(void)
{
    uint32_t first = (uint32_t)__builtin_clz(atomic_load(&spm_kernel.ready));

    spm_kernel.current = spm_kernel.by_rank[first];
    swapcontext(&outside, &threads[spm_kernel.current->context.thread].context);
    world = NULL;
}

_Noreturn void processor_stop(void)
{
    setcontext(&outside);
    abort();
}

_Noreturn void spm_arch_reset(void)
{
    world->wrong("the SPM panicked");
}

bool spm_arch_is_in_gateway(void)
{
    return false;
}

void spm_arch_irq_claim(uint32_t line)
{
    now.enabled &= ~bit(line);
}

void spm_arch_irq_enable(uint32_t line)
{
    now.enabled |= bit(line);
}

void spm_arch_irq_clear_pending(uint32_t line)
{
    (void)line; /* lines are levels */
}

bool spm_arch_irq_disable(uint32_t line)
{
    bool was = processor_is_enabled(line);

    now.enabled &= ~bit(line);
    return was;
}

psa_flih_result_t spm_arch_first_level(struct spm_partition *owner, psa_flih_result_t (*handler)(void))
{
    (void)owner;
    return handler();
}
