/* SPDX-License-Identifier: BSD-3-Clause */
/* The one stream of this probe, which every core's thread writes to. */
#ifndef PROBE_RECORDS_H
#define PROBE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "stream.h"

/* The lock of the stream and of all that must not change while a record is written: a number that a record names is in the stream before
 * anyone else can name it. */
void records_lock(void);
void records_unlock(void);

/* As stream_open(); `name` is what sentences call the file. The lock is held. */
void records_open(FILE *file, const char *name, uint64_t limit_bytes, const void *header, size_t header_bytes);

/* As stream_put(). */
void records_put(enum record_kind kind, uint32_t core, const void *body, size_t bytes);

/* The same where the lock is held. */
void records_put_locked(enum record_kind kind, uint32_t core, const void *body, size_t bytes);

/* So that a reader sees what came, however little comes. */
void records_flush_when_due(void);

/* As stream_keep(). The lock is held. */
void records_keep(bool keeps_held);

/* As stream_close(), and says on the standard error what is not in the stream. The lock is held. */
void records_close(bool keeps_held);

#endif
