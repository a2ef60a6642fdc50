/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program still knows after a reset. */
#ifndef PSCI_CONFORMANCE_PROGRESS_H
#define PSCI_CONFORMANCE_PROGRESS_H

#include "check.h"

enum stage { STAGE_CASES, STAGE_AFTER_RESET, STAGE_AFTER_RESET2, STAGE_AFTER_MEM_PROTECT };

/* Also restores the totals where the stage is not the first. */
enum stage progress_read(void);
void progress_keep(enum stage next);

#endif
