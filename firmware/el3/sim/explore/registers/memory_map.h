/* SPDX-License-Identifier: BSD-3-Clause */
/* The explored system as platform/common sees it. */
#ifndef MEMORY_MAP_H
#define MEMORY_MAP_H

#define MAX_CORES PSCI_MAX_CORES

#endif
