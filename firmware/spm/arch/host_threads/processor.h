/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One processor with threads, interrupt lines and a pended switch, as the thread gate and PendSV of armv8m have them. An interrupt is
 * taken between two accesses of whatever runs, and runs to its end there; another one may come in its middle.
 */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

/* The handler of the switch, what the devices do, and what becomes of a fault that was found. */
struct processor_world {
    void (*switch_handler)(bool non_secure);
    void (*non_secure)(void);        /* the thread of the non-secure side */
    void (*access)(uintptr_t place); /* before each access of instrumented code */
    bool (*asleep)(void);            /* nothing runs; false: nothing will come either */
    void (*wrong)(const char *what) __attribute__((noreturn));
};

/* Before each access of instrumented code (accesses.c): what is due is taken here. */
void processor_access(uintptr_t place);

/* All as after a reset. */
void processor_start(const struct processor_world *world);

/* The most urgent thread begins. Comes back when processor_stop() is called, in whatever thread. */
void processor_run(void);
_Noreturn void processor_stop(void);

/* A device asks for as long as its line is raised; it is taken when it is enabled and its handler is not under way. */
void processor_raise(uint32_t line);
void processor_lower(uint32_t line);
bool processor_is_raised(uint32_t line);
bool processor_is_enabled(uint32_t line);

/* From access(): the non-secure side interrupts a thread of either world and runs another one, which may take interrupts. */
bool processor_is_in_thread(void);
void processor_visit_non_secure(void (*other_thread)(void));

/* The thread of the non-secure side enters and leaves its own code: no switch is made there, it is written down. */
void processor_is_non_secure(bool is);

/* Somebody more urgent may run, and nobody is going to make the switch. Asked by a secure thread outside a call. */
bool processor_forgot_a_switch(void);

/* What spm_arch.h asks for. */
void processor_pend_switch(void);
void processor_switch(void);
void processor_sleep(void);

/* For the gate and the handler of the switch: what becomes of the threads. */
void processor_resume(uint32_t from, uint32_t next);
void processor_set_r0(uint32_t thread, uintptr_t value);
uintptr_t processor_r0(uint32_t thread);

#endif
