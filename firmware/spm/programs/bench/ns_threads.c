/* SPDX-License-Identifier: BSD-3-Clause */
#include "ns_threads.h"

#include "ns.h"

#define JUNK        0xA5A5A5A5U

void (*volatile ns_on_timer1)(void);
void (*volatile ns_on_svc)(void);
bool ns_threads_only;

static uint32_t resume_sp __attribute__((used));

void ns_fire_timer1(uint32_t ticks)
{
    timer1_fire(ticks);
}

#define EXC_RETURN_THREAD 0x8U

static __attribute__((used)) void timer1(uint32_t exc_return)
{
    timer1_stop();
    if (ns_threads_only && (exc_return & EXC_RETURN_THREAD) == 0U) {
        ns_fire_timer1(TIMER1_SOON_TICKS);
        return;
    }
    ns_on_timer1();
}

__attribute__((naked)) void ns_timer1_handler(void)
{
    __asm__ volatile("mov r0, lr\n\t"
                     "b timer1");
}

/* A frame that the handler returns through, on the main stack, which both threads use. */
__attribute__((naked)) void ns_run_second_thread(void (*entry)(void) __attribute__((unused)))
{
    __asm__ volatile("push {r4-r11, lr}\n\t"
                     "ldr r1, =resume_sp\n\t"
                     "str sp, [r1]\n\t"
                     "sub sp, #36\n\t"
                     "mov r1, #0x01000000\n\t"
                     "str r1, [sp, #28]\n\t"
                     "bic r0, #1\n\t"
                     "str r0, [sp, #24]\n\t"
                     "mvn lr, #0x47\n\t"
                     "bx lr\n\t"
                     ".ltorg");
}

void ns_leave_second_thread(void)
{
    __asm__ volatile("svc #0");
}

/* Back in the handler that began it. */
__attribute__((naked)) void ns_end_second_thread(void)
{
    __asm__ volatile("ldr r1, =resume_sp\n\t"
                     "ldr sp, [r1]\n\t"
                     "pop {r4-r11, pc}\n\t"
                     ".ltorg");
}

__attribute__((naked)) void ns_svc_handler(void)
{
    __asm__ volatile("ldr r0, =ns_on_svc\n\t"
                     "ldr r0, [r0]\n\t"
                     "bx r0\n\t"
                     ".ltorg");
}

__attribute__((naked, noinline)) void ns_call_with_junk(struct ns_registers *after __attribute__((unused)),
                                                        void *veneer __attribute__((unused)), uint32_t r0 __attribute__((unused)),
                                                        uint32_t r1 __attribute__((unused)), uint32_t r2 __attribute__((unused)),
                                                        uint32_t r3 __attribute__((unused)))
{
    __asm__ volatile("push {r0, r4-r11, lr}\n\t"
                     "mov lr, r1\n\t"
                     "mov r0, r2\n\t"
                     "mov r1, r3\n\t"
                     "ldr r2, [sp, #40]\n\t"
                     "ldr r3, [sp, #44]\n\t"
                     "ldr r4, =0xA5A5A5A5\n\t"
                     "mov r5, r4\n\tmov r6, r4\n\tmov r7, r4\n\tmov r8, r4\n\t"
                     "mov r9, r4\n\tmov r10, r4\n\tmov r11, r4\n\tmov r12, r4\n\t"
                     "msr apsr_nzcvq, r4\n\t"
                     "blx lr\n\t"
                     "push {r12}\n\t"
                     "mrs r12, apsr\n\t"
                     "push {r12}\n\t"
                     "ldr r12, [sp, #8]\n\t"
                     "stmia r12!, {r0-r11}\n\t"
                     "pop {r1, r2}\n\t"
                     "str r2, [r12]\n\t"
                     "str r1, [r12, #4]\n\t"
                     "pop {r0, r4-r11, pc}\n\t"
                     ".ltorg");
}

bool ns_is_scrubbed(const struct ns_registers *after)
{
    for (uint32_t i = 0; i < 8U; i++) {
        if (after->r4_to_r11[i] != JUNK) {
            return false;
        }
    }
    return (after->r0_to_r3[1] | after->r0_to_r3[2] | after->r0_to_r3[3] | after->r12 | after->flags >> 27) == 0U;
}
