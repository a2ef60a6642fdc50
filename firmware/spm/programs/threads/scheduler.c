/* SPDX-License-Identifier: BSD-3-Clause */
#include "scheduler.h"

#include "ns.h"

#define SYST_CSR        NS_REG32(0xE000E010U)
#define SYST_RVR        NS_REG32(0xE000E014U)
#define SYST_CVR        NS_REG32(0xE000E018U)
#define SCB_ICSR        NS_REG32(0xE000ED04U)
#define SCB_SHPR3       NS_REG32(0xE000ED20U)
#define ICSR_PENDSVSET  (1U << 28)
#define LOWEST_PRIORITY 0xE0U

#define EXC_RETURN_SECURE     0x40U
#define EXC_RETURN_NON_SECURE 0xFFFFFFBCU /* to a non-secure thread on its own stack, without floating point */
#define KEPT_WORDS            10U /* limit, way back, r4 to r11 */
#define FRAME_WORDS           8U

struct thread {
    uint32_t *sp;
    bool asleep;
};

static struct thread threads[SCHEDULER_THREADS];
static uint32_t thread_count;
static volatile uint32_t current;
static volatile uint32_t blocked; /* a bit for each thread that waits for a mutex */
static uint32_t seed = 0x2545F491U;

volatile uint32_t scheduler_switches;
volatile uint32_t scheduler_switches_in_call;
void (*scheduler_on_tick)(void);

void scheduler_add(void (*entry)(void), uint32_t *stack, uint32_t words)
{
    uint32_t *frame = &stack[words - FRAME_WORDS];
    uint32_t *kept = frame - KEPT_WORDS;

    frame[6] = (uint32_t)entry & ~1U;
    frame[7] = 0x01000000U;
    kept[0] = (uint32_t)stack;
    kept[1] = EXC_RETURN_NON_SECURE;
    threads[thread_count++].sp = kept;
}

static void request_switch(void)
{
    SCB_ICSR = ICSR_PENDSVSET;
}

static uint32_t mask_interrupts(void)
{
    uint32_t before;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}

static void unmask_interrupts(uint32_t before)
{
    __asm__ volatile("msr primask, %0\n\tisb" : : "r"(before) : "memory");
}

/* Any thread that can run, by chance: over many calls everything happens between everything. */
static uint32_t next_thread(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    for (uint32_t i = 0; i < thread_count; i++) {
        uint32_t candidate = (seed + i) % thread_count;

        if (!threads[candidate].asleep && (blocked >> candidate & 1U) == 0U) {
            return candidate;
        }
    }
    return 0;
}

static __attribute__((used)) uint32_t *switch_thread(uint32_t *sp, uint32_t exc_return)
{
    uint32_t next = next_thread();

    if (next != current) {
        scheduler_switches++;
        scheduler_switches_in_call += (exc_return & EXC_RETURN_SECURE) != 0U ? 1U : 0U;
    }
    threads[current].sp = sp;
    current = next;
    return threads[next].sp;
}

__attribute__((naked)) void ns_pendsv_handler(void)
{
    __asm__ volatile(".fpu fpv5-sp-d16\n\t"
                     "mrs r0, psp\n\t"
                     "tst lr, #0x10\n\t"
                     "it eq\n\t"
                     "vstmdbeq r0!, {s16-s31}\n\t"
                     "mrs r2, psplim\n\t"
                     "mov r3, lr\n\t"
                     "stmdb r0!, {r2-r11}\n\t"
                     "mov r1, lr\n\t"
                     "cpsid i\n\t"
                     "bl switch_thread\n\t"
                     "cpsie i\n\t"
                     "ldmia r0!, {r2-r11}\n\t"
                     "mov lr, r3\n\t"
                     "tst lr, #0x10\n\t"
                     "it eq\n\t"
                     "vldmiaeq r0!, {s16-s31}\n\t"
                     "msr psplim, r2\n\t"
                     "msr psp, r0\n\t"
                     "bx lr");
}

void ns_systick_handler(void)
{
    SYST_RVR = SCHEDULER_PERIOD_TICKS;
    for (uint32_t i = 0; i < thread_count; i++) {
        threads[i].asleep = false;
    }
    if (scheduler_on_tick != 0) {
        scheduler_on_tick();
    }
    request_switch();
}

void scheduler_tick_in(uint32_t ticks)
{
    SYST_RVR = ticks;
    SYST_CVR = 0;
}

void scheduler_yield(void)
{
    request_switch();
    __asm__ volatile("dsb\n\tisb" ::: "memory");
}

void scheduler_sleep(void)
{
    threads[current].asleep = true;
    scheduler_yield();
}

uint32_t scheduler_self(void)
{
    return current;
}

void scheduler_lock(struct scheduler_mutex *mutex)
{
    uint32_t before = mask_interrupts();

    while (mutex->taken) {
        mutex->waiting |= 1U << current;
        blocked |= 1U << current;
        request_switch();
        unmask_interrupts(before);
        before = mask_interrupts();
    }
    mutex->taken = true;
    unmask_interrupts(before);
}

void scheduler_unlock(struct scheduler_mutex *mutex)
{
    uint32_t before = mask_interrupts();

    mutex->taken = false;
    blocked &= ~mutex->waiting;
    mutex->waiting = 0;
    unmask_interrupts(before);
}

/* The first thread begins on its stack without an exception: nothing of its registers matters yet. */
_Noreturn void scheduler_start(void)
{
    uint32_t *frame = threads[0].sp + KEPT_WORDS;

    SCB_SHPR3 = LOWEST_PRIORITY << 24 | LOWEST_PRIORITY << 16;
    SYST_RVR = SCHEDULER_PERIOD_TICKS;
    SYST_CVR = 0;
    SYST_CSR = 7;
    __asm__ volatile("msr psp, %0\n\t"
                     "msr control, %1\n\t"
                     "isb\n\t"
                     "msr psplim, %2\n\t"
                     "bx %3"
                     :
                     : "r"(frame + FRAME_WORDS), "r"(2U), "r"(threads[0].sp[0]), "r"(frame[6] | 1U)
                     : "memory");
    __builtin_unreachable();
}
