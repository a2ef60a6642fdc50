/* SPDX-License-Identifier: BSD-3-Clause */
/* MEM_PROTECT and MEM_PROTECT_CHECK_RANGE. */
#include "cases.h"

#include <stdint.h>

#include "board.h"
#include "check.h"
#include "psci.h"

#define PAGE 0x1000UL

static void check_without(void)
{
    check_preserving("MEM_PROTECT is not supported", PSCI_NOT_SUPPORTED, PSCI_MEM_PROTECT, 1, 0, 0);
    check_preserving("MEM_PROTECT_CHECK_RANGE is not supported", PSCI_NOT_SUPPORTED, SMC64(PSCI_MEM_PROTECT_CHECK_RANGE),
                     board.normal_memory, PAGE, 0);
}

void cases_memory(void)
{
    if (!board.has_mem_protect) {
        check_without();
        return;
    }
    check_call("MEM_PROTECT is off after boot", 0, PSCI_MEM_PROTECT, 0, 0, 0);
    check_call("MEM_PROTECT returns that it was off when it is switched on", 0, PSCI_MEM_PROTECT, 1, 0, 0);
    check_call("MEM_PROTECT returns that it was on when it is switched off", 1, PSCI_MEM_PROTECT, 0, 0, 0);
    check_call("MEM_PROTECT is off in the end", 0, PSCI_MEM_PROTECT, 0, 0, 0);

    if (board_fits_32_bits()) {
        check_call("MEM_PROTECT_CHECK_RANGE accepts normal memory", PSCI_SUCCESS, PSCI_MEM_PROTECT_CHECK_RANGE, board.normal_memory, PAGE, 0);
    }
    check_call("MEM_PROTECT_CHECK_RANGE (64-bit) accepts normal memory", PSCI_SUCCESS, SMC64(PSCI_MEM_PROTECT_CHECK_RANGE),
               board.normal_memory, PAGE, 0);
    check_refused("MEM_PROTECT_CHECK_RANGE denies secure memory", PSCI_DENIED, SMC64(PSCI_MEM_PROTECT_CHECK_RANGE), board.secure_memory,
                  PAGE, 0);
    check_refused("MEM_PROTECT_CHECK_RANGE (32-bit) denies secure memory", PSCI_DENIED, PSCI_MEM_PROTECT_CHECK_RANGE, board.secure_memory,
                  PAGE, 0);
    check_refused("MEM_PROTECT_CHECK_RANGE denies memory that nothing is mapped to", PSCI_DENIED,
                  SMC64(PSCI_MEM_PROTECT_CHECK_RANGE), 1UL << 48, PAGE, 0);
    check_refused("MEM_PROTECT_CHECK_RANGE denies a range that leaves normal memory", PSCI_DENIED,
                  SMC64(PSCI_MEM_PROTECT_CHECK_RANGE), board.normal_memory, 1UL << 48, 0);
    check_refused("MEM_PROTECT_CHECK_RANGE denies a range that wraps", PSCI_DENIED, SMC64(PSCI_MEM_PROTECT_CHECK_RANGE),
                  board.normal_memory, UINT64_MAX, 0);
}
