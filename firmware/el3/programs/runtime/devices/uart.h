/* SPDX-License-Identifier: BSD-3-Clause */
/* PL011, polled. No lock: only panic() writes here directly, all else goes through console.h. */
#ifndef PAYLOAD_UART_H
#define PAYLOAD_UART_H

/* Once, on the boot core, first of all. */
void uart_init(void);
void uart_write(const char *text);
/* Until the last bit has left the wire. */
void uart_drain(void);

#endif
