/* SPDX-License-Identifier: BSD-3-Clause */
/* In which context each fragment of measured code ran, context.h. */
#ifndef PROBE_CONTEXTS_H
#define PROBE_CONTEXTS_H

#include <stdint.h>

#include "core.h"
#include "fragment.h"

/* Notes that the core runs the fragment now. It goes into the path when it is over, since it may turn out to access a device. */
void contexts_ran(struct core *core, struct fragment *fragment);

/* What runs now has accessed a device. */
void contexts_device(struct core *core);

/* Puts what runs now into the path. */
void contexts_settle(struct core *core);

#endif
