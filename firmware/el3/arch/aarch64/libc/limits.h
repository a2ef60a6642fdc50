/* SPDX-License-Identifier: BSD-3-Clause */
/* What libfdt uses of it; the compiler's own asks for a C library's. */
#ifndef LIMITS_H
#define LIMITS_H

#define INT_MAX __INT_MAX__
#define UINT_MAX (2U * __INT_MAX__ + 1U)

#endif
