/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls with arguments from all over, none of which may start, stop or change anything. */
#ifndef CALLS_H
#define CALLS_H

#include "random.h"

/* Makes one and prints what it returned. */
void calls_make_one(struct random *random);

#endif
