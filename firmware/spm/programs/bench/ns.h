/* SPDX-License-Identifier: BSD-3-Clause */
/* The non-secure world of the payloads: console, counters and the platform's veneers. */
#ifndef NS_H
#define NS_H

#include <stdint.h>

#include "devices.h"

#define NS_REG32(address) (*(volatile uint32_t *)(address))

void ns_print(const char *text);
void ns_print_unsigned(const char *label, uint32_t value);
void ns_print_signed(const char *label, int32_t value);
void ns_print_hex(const char *label, uint32_t value);

void ns_svc_handler(void);
void ns_pendsv_handler(void);
void ns_systick_handler(void);
void ns_timer1_handler(void);

/* The program; its result is the exit code of the run. */
uint32_t ns_main(void);

/* Ends the run from anywhere. */
_Noreturn void ns_stop(uint32_t code);

/* Of images with SPM_TEST_VENEERS alone. */
uint32_t nsc_panic_word(uint32_t index); /* of struct spm_panic_record */
uint32_t nsc_stack_limit(uint32_t of_handlers); /* in handlers */

#endif
