/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka.h needs these before it and does not include them. */
#ifndef PROBE_CMOCKA_NEEDS_H
#define PROBE_CMOCKA_NEEDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
