/* SPDX-License-Identifier: BSD-3-Clause */
/* Nothing is captured here. */
#ifndef TRACE_HOOKS_H
#define TRACE_HOOKS_H

#endif
