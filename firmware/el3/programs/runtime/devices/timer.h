/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The EL1 physical timer of the calling core: deadlines, sleep, and the time, in ticks of the system counter. One use at a
 * time.
 */
#ifndef PAYLOAD_TIMER_H
#define PAYLOAD_TIMER_H

#include <stdbool.h>
#include <stdint.h>

uint64_t timer_now(void);
uint64_t timer_frequency_hz(void);
uint64_t timer_ticks_of_us(uint64_t us);
/* Makes the timer interrupt pending from `deadline` on. */
void timer_start_at(uint64_t deadline);
void timer_stop(void);
bool timer_is_on(void);
/* Waits with WFI; other interrupts are taken and dropped. */
void timer_sleep_us(uint64_t us);
/* The same, until the counter is at the next multiple of `ticks`. */
void timer_sleep_to_multiple(uint64_t ticks);

#endif
