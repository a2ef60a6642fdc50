/* SPDX-License-Identifier: BSD-3-Clause */
/* A small system for the unit tests: a non-secure client, a secure client and a server, moved by hand. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "harness.h"
#include "spm.h"

#define SID_CONNECTED 0x100U
#define SID_STATELESS 0x101U
#define STATELESS_HANDLE ((psa_handle_t)(1U << 30 | 2U << 8))
#define SID_MAPPED    0x102U
#define MAPPED_HANDLE ((psa_handle_t)(1U << 30 | 1U << 8 | 1U))
#define SERVER_SIGNAL_CONNECTED 0x10U
#define SERVER_SIGNAL_STATELESS 0x20U
#define SERVER_SIGNAL_FLIH      0x40U
#define SERVER_SIGNAL_SLIH      0x80U
#define SERVER_SIGNAL_MAPPED    0x100U
#define LINE_FLIH 3U
#define LINE_SLIH 4U

extern struct spm_partition client, server;

void system_start(void);
void run_as(struct spm_partition *partition);
void grant(const struct spm_partition *owner, const void *base, size_t bytes, bool writable);

/* The result of the last call of `partition`, which must have been blocked and woken. */
spm_word woken(struct spm_partition *partition);

/* The server takes the next message. */
psa_msg_t take(psa_signal_t signal);

psa_handle_t connected(struct spm_partition *from);

/* Runs `body` and says which panic it ended in; NONE if it came back. */
enum spm_cause panic_of(void (*body)(void));

#endif
