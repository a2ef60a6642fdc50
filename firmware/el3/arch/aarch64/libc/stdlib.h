/* SPDX-License-Identifier: BSD-3-Clause */
/* libfdt includes it; the parts of libfdt that are built use nothing of it. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#endif
