/* SPDX-License-Identifier: BSD-3-Clause */
/* PL011, polled. */
#ifndef PAYLOAD_UART_H
#define PAYLOAD_UART_H

void uart_init(void);
void uart_write(const char *text);
/* Until the last bit has left the wire. */
void uart_drain(void);

#endif
