/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids that nobody defined, and what every call owes to the registers of its caller. */
#include "cases.h"

#include <stddef.h>
#include <stdint.h>

#include "check.h"
#include "core.h"
#include "format.h"
#include "psci.h"

#define GARBAGE_ABOVE_32_BITS 0xdeadbeef00000000UL

static const uint32_t unknown[] = {
    0x00000000, 0x02000000, 0x04000001, 0x44000003, 0x7fffffff, /* yielding */
    0x84000016, 0x8400001f, 0xc400001f, 0x8400004f, 0x84000054, 0x8400fe00, /* standard service, not assigned in PSCI 1.3 or TRNG 1.0 */
    0x84020001, 0x84800001, 0x84fe0000, 0xc4020003, 0xc4800003, /* reserved bits 23 to 17 */
    0xc4000000, 0xc4000002, 0xc4000006, 0xc4000008, 0xc4000009, 0xc400000a, 0xc400000f, 0xc4000013, /* 64-bit forms that do not exist */
    0xc4000050, 0xc4000051, 0xc4000052, 0xc0000000, 0xc0000001, 0x8000fff0, 0x81000000, 0x82000001, 0x83000000,
    0x85000000, 0x86000000, 0x88000000, 0x8f000000, /* other owners */
    0xb0000000, 0xb1000000, 0xb2000000, 0xbf000000, 0xf2000000, /* trusted applications and trusted OS */
    0x87000030, 0x87000034, 0xc7000035, 0xc700001f, 0x87000022, /* vendor service, beside the calls that exist */
    0xffffffff,
};

static void check_unknown(uint32_t function)
{
    char name[96];

    format_text(name, sizeof(name), "id %08x is unknown and keeps x4 to x30", function);
    check_preserving(name, SMC_UNK, function, 1, 2, 3);
}

void cases_unknown(void)
{
    uint64_t own = cores[lead_index].mpidr;

    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        check_unknown(unknown[i]);
    }
    check_preserving("PSCI_VERSION keeps x4 to x30", 0x10003, PSCI_VERSION, 1, 2, 3);
    check_preserving("AFFINITY_INFO keeps x4 to x30", AFFINITY_ON, SMC64(PSCI_AFFINITY_INFO), own, 0, 0);
    check_preserving("A refused CPU_ON keeps x4 to x30", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_ON), 0xff, 0, 0);
    check_preserving("A refused CPU_SUSPEND keeps x4 to x30", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_SUSPEND), 0, 0, 0);
    check_preserving("STAT_COUNT keeps x4 to x30", call(SMC64(PSCI_STAT_COUNT), own, POWER_STATE_DOWN_0, 0),
                     SMC64(PSCI_STAT_COUNT), own, POWER_STATE_DOWN_0, 0);
    check_preserving("The function id is w0 and not x0", 0x10003, GARBAGE_ABOVE_32_BITS | PSCI_VERSION, 0, 0, 0);
    check_preserving("A 32-bit call takes its arguments from w1 and w2", AFFINITY_ON, PSCI_AFFINITY_INFO,
                     GARBAGE_ABOVE_32_BITS | own, GARBAGE_ABOVE_32_BITS, 0);
}
