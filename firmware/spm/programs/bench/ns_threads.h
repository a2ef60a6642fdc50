/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads without a scheduler: a timer's handler runs the second one in the middle of what the first one does. */
#ifndef NS_THREADS_H
#define NS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* What the handlers of these exceptions do. */
extern void (*volatile ns_on_timer1)(void);
extern void (*volatile ns_on_svc)(void);

/*
 * The action of TIMER1 is to switch threads: it is put off while it interrupts a handler, of the secure side too. A
 * scheduler has that for nothing, because it switches at the lowest priority.
 */
extern bool ns_threads_only;

/* TIMER1 fires once, so many ticks from now. */
void ns_fire_timer1(uint32_t ticks);

/* In a handler: runs `entry` as a thread until it calls ns_leave_second_thread(). ns_on_svc has to be the end of it. */
void ns_run_second_thread(void (*entry)(void));
void ns_leave_second_thread(void);
void ns_end_second_thread(void);

/* What a call comes back with. */
struct ns_registers {
    uint32_t r0_to_r3[4];
    uint32_t r4_to_r11[8];
    uint32_t r12;
    uint32_t flags;
};

/* Calls a veneer with these four arguments, and junk in all other registers and in the flags. */
void ns_call_with_junk(struct ns_registers *after, void *veneer, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3);

/* Nothing of the secure side in registers and flags, and what belongs to the caller is as it was. */
bool ns_is_scrubbed(const struct ns_registers *after);

#endif
