/* SPDX-License-Identifier: BSD-3-Clause */
/* What SYSTEM_SUSPEND, SYSTEM_RESET2 and SYSTEM_OFF2 refuse. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "check.h"
#include "format.h"
#include "others.h"
#include "psci.h"
#include "smc.h"

#define RESERVED_RESET_TYPE 1

static void check_system_suspend_beside_running_core(void)
{
    uint32_t other = other_core();

    if (other == NO_CORE) {
        return;
    }
    other_start(other);
    check_refused("SYSTEM_SUSPEND is DENIED while another core is on", PSCI_DENIED, PSCI_SYSTEM_SUSPEND, (uint64_t)payload_resume,
                  0, 0);
    check_refused("SYSTEM_SUSPEND (64-bit) is DENIED while another core is on", PSCI_DENIED, SMC64(PSCI_SYSTEM_SUSPEND),
                  (uint64_t)payload_resume, 0, 0);
    other_stop(other);
}

void cases_system(void)
{
    char name[128];

    for (const struct named_address *bad = board.bad_entry; bad->name != NULL; bad++) {
        format_text(name, sizeof(name), "SYSTEM_SUSPEND refuses an entry point %s", bad->name);
        check_refused(name, PSCI_INVALID_ADDRESS, SMC64(PSCI_SYSTEM_SUSPEND), bad->address, 0, 0);
    }
    check_system_suspend_beside_running_core();
    check_refused("SYSTEM_RESET2 refuses a reserved type", PSCI_INVALID_PARAMETERS, PSCI_SYSTEM_RESET2, RESERVED_RESET_TYPE, 0,
                  0);
    check_refused("SYSTEM_RESET2 (64-bit) refuses a reserved type", PSCI_INVALID_PARAMETERS, SMC64(PSCI_SYSTEM_RESET2),
                  RESERVED_RESET_TYPE, 0, 0);
    check_refused("SYSTEM_RESET2 refuses the highest reserved type", PSCI_INVALID_PARAMETERS, PSCI_SYSTEM_RESET2, 0x7fffffff, 0,
                  0);
    check_refused("SYSTEM_OFF2 refuses a reserved type", PSCI_INVALID_PARAMETERS, PSCI_SYSTEM_OFF2, 2, 0, 0);
    check_refused("SYSTEM_OFF2 (64-bit) refuses a cookie", PSCI_INVALID_PARAMETERS, SMC64(PSCI_SYSTEM_OFF2), 1, 1, 0);
}
