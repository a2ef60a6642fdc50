/* SPDX-License-Identifier: BSD-3-Clause */
/* PMF and trace calls, as docs/reference/trace-format.md promises them. */
#include "cases.h"

#include <stdint.h>

#include "check.h"
#include "core.h"
#include "format.h"
#include "psci.h"
#include "smc.h"
#include "timer.h"
#include "trace_call.h"

#define TRACE_INVALID_ARGUMENT (-2)
#define STAMPS 6
#define UNKNOWN_CORE 0xff
#define MPIDR_NO_AFFINITY 0xc1000000UL /* RES1, U and MT */

/* Events of events.toml. */
#define EVENT_ENTER_PSCI 1
#define EVENT_EXIT_PSCI 2

static void check_pmf(void)
{
    uint64_t own = cores[lead_index].mpidr;
    uint64_t before = timer_now();
    struct smc_result r, w;

    smc(PSCI_VERSION, 0, 0, 0);
    r = smc(SMC64(PMF_GET_TIMESTAMP), PMF_RUNTIME_INSTRUMENTATION(0), own, 0);
    check_equal("PMF_GET_TIMESTAMP succeeds", 0, (int64_t)r.x[0]);
    check_true("PMF_GET_TIMESTAMP gives the time of the last ENTER_PSCI", r.x[1] >= before && r.x[1] <= timer_now(),
               "a time during the call before", (int64_t)r.x[1]);
    w = smc(PMF_GET_TIMESTAMP, PMF_RUNTIME_INSTRUMENTATION(0), own, 0);
    check_equal("PMF_GET_TIMESTAMP (32-bit) gives the same time in two halves", (int64_t)r.x[1],
                (int64_t)((w.x[1] & 0xffffffff) | w.x[2] << 32));
    check_equal("PMF_GET_TIMESTAMP takes the MPIDR as the register has it", (int64_t)r.x[1],
                (int64_t)smc(SMC64(PMF_GET_TIMESTAMP), PMF_RUNTIME_INSTRUMENTATION(0), own | MPIDR_NO_AFFINITY, 0).x[1]);
    check_refused("PMF_GET_TIMESTAMP refuses an unknown core", TRACE_INVALID_ARGUMENT, SMC64(PMF_GET_TIMESTAMP),
                  PMF_RUNTIME_INSTRUMENTATION(0), UNKNOWN_CORE, 0);
    check_refused("PMF_GET_TIMESTAMP refuses an index that does not exist", TRACE_INVALID_ARGUMENT, SMC64(PMF_GET_TIMESTAMP),
                  PMF_RUNTIME_INSTRUMENTATION(STAMPS), own, 0);
    check_refused("PMF_GET_TIMESTAMP refuses a service that does not exist", TRACE_INVALID_ARGUMENT, SMC64(PMF_GET_TIMESTAMP),
                  0x41000800, own, 0);
    check_equal("PMF_GET_VERSION (64-bit) is 0.1", 1, (int64_t)smc(SMC64(PMF_GET_VERSION), 0, 0, 0).x[1]);
    check_equal("PMF_GET_VERSION is 0.1", 1, (int64_t)(smc(PMF_GET_VERSION, 0, 0, 0).x[1] & 0xffffffff));
}

static void check_topology(void)
{
    struct smc_result r;
    char name[96];

    for (uint64_t i = 0; i < core_count; i++) {
        r = smc(TRACE_TOPOLOGY, i, 0, 0);
        format_text(name, sizeof(name), "TRACE_TOPOLOGY knows core %lu of %u", i, core_count);
        check_true(name, r.x[0] == 0 && r.x[3] == core_count && psci_affinity_info(r.x[1], 0) >= 0,
                   "success, the number of cores and an MPIDR that AFFINITY_INFO knows", (int64_t)r.x[1]);
    }
    check_refused("TRACE_TOPOLOGY refuses an index that does not exist", TRACE_INVALID_ARGUMENT, TRACE_TOPOLOGY, core_count, 0,
                  0);
}

static void check_ring(void)
{
    uint64_t own = cores[lead_index].mpidr;
    uint64_t first = smc(TRACE_STATUS, own, 0, 0).x[1];
    uint64_t before = timer_now(), end;
    struct smc_result r;

    check_equal("Trace calls leave no record", (int64_t)first, (int64_t)smc(TRACE_STATUS, own, 0, 0).x[1]);
    smc(PSCI_VERSION, 0, 0, 0);
    end = smc(TRACE_STATUS, own, 0, 0).x[1];
    check_equal("PSCI_VERSION leaves two records", (int64_t)first + 2, (int64_t)end);
    r = smc(TRACE_READ, own, first, 0);
    check_true("TRACE_READ gives both records of PSCI_VERSION", (int64_t)r.x[0] == 2, "2", (int64_t)r.x[0]);
    check_equal("The first record of a call is ENTER_PSCI with the function id",
                (int64_t)((uint64_t)PSCI_VERSION << 16 | EVENT_ENTER_PSCI), (int64_t)r.x[2]);
    check_equal("The last record of a call is EXIT_PSCI with the result", (int64_t)(0x10003UL << 16 | EVENT_EXIT_PSCI),
                (int64_t)r.x[4]);
    check_true("Records of a call have times of the call, in order",
               before <= r.x[1] && r.x[1] <= r.x[3] && r.x[3] <= timer_now(), "two times in order", (int64_t)r.x[1]);
    check_call("TRACE_READ of the record that comes next returns 0", 0, TRACE_READ, own, end, 0);
    check_refused("TRACE_READ refuses an unknown core", TRACE_INVALID_ARGUMENT, TRACE_READ, UNKNOWN_CORE, 0, 0);
    check_refused("TRACE_STATUS refuses an unknown core", TRACE_INVALID_ARGUMENT, TRACE_STATUS, UNKNOWN_CORE, 0, 0);
}

/* Calls PSCI_VERSION until the ring has lost a record, but not for ever. */
static void check_lost(void)
{
    uint64_t own = cores[lead_index].mpidr;
    uint64_t first = smc(TRACE_STATUS, own, 0, 0).x[1];
    uint32_t calls = 0;

    while (smc(TRACE_STATUS, own, 0, 0).x[2] <= first && calls++ < 100000) {
        smc(PSCI_VERSION, 0, 0, 0);
    }
    check_call("TRACE_READ refuses a record that was overwritten", TRACE_INVALID_ARGUMENT, TRACE_READ, own, first, 0);
    check_call("TRACE_READ gives three records from the oldest one on", TRACE_RECORDS_PER_READ, TRACE_READ, own,
               smc(TRACE_STATUS, own, 0, 0).x[2], 0);
}

/* Reading leaves no event, so the ring does not change meanwhile. */
static void check_held(void)
{
    uint64_t own = cores[lead_index].mpidr;
    struct smc_result status = smc(TRACE_STATUS, own, 0, 0);
    uint64_t sequence = status.x[2];

    while (sequence < status.x[1]) {
        int64_t count = (int64_t)smc(TRACE_READ, own, sequence, 0).x[0];

        if (count <= 0) {
            break;
        }
        sequence += (uint64_t)count;
    }
    check_equal("A ring that has gone round reads back from its oldest record to the last, none more or less", (int64_t)status.x[1],
                (int64_t)sequence);
    check_refused("TRACE_READ refuses the record before the oldest", TRACE_INVALID_ARGUMENT, TRACE_READ, own, status.x[2] - 1, 0);
}

#define FAR_BEHIND_THE_RING 0x100000

/* Must come first: on the instruction clock the other cores have not run yet, and EL3 has to have set up their rings for them. */
void cases_empty_rings(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i == lead_index) {
            continue;
        }
        uint64_t mpidr = cores[i].mpidr;
        struct smc_result status = smc(TRACE_STATUS, mpidr, 0, 0);

        check_true("The ring of a core that has not run is empty", status.x[0] == 0 && status.x[1] == 0 && status.x[2] == 0,
                   "success, and no record", (int64_t)status.x[1]);
        check_call("TRACE_READ of a core that has not run returns no record", 0, TRACE_READ, mpidr, 0, 0);
        check_call("TRACE_READ of a core that has not run shows nothing else of EL3's memory", 0, TRACE_READ, mpidr,
                   FAR_BEHIND_THE_RING, 0);
        check_equal("PMF_GET_TIMESTAMP of a core that has not run gives 0 ticks", 0,
                    (int64_t)smc(SMC64(PMF_GET_TIMESTAMP), PMF_RUNTIME_INSTRUMENTATION(0), mpidr, 0).x[1]);
    }
}

void cases_trace(void)
{
    struct smc_result info = smc(TRACE_INFO, 0, 0, 0);

    check_equal("TRACE_INFO succeeds", 0, (int64_t)info.x[0]);
    check_equal("TRACE_INFO gives the counter's frequency", (int64_t)timer_frequency_hz(), (int64_t)info.x[2]);
    check_true("TRACE_INFO gives the hash of the event table", info.x[1] != 0, "a number that is not 0", (int64_t)info.x[1]);
    check_pmf();
    check_topology();
    check_ring();
    check_lost();
    check_held();
    check_call("TRACE_BUILD describes the firmware", 0, TRACE_BUILD, 0, 0, 0);
    check_refused("TRACE_BUILD refuses an offset between its chunks", TRACE_INVALID_ARGUMENT, TRACE_BUILD, 1, 0, 0);
    check_refused("TRACE_BUILD refuses an offset behind its end", TRACE_INVALID_ARGUMENT, TRACE_BUILD, TRACE_BUILD_BYTES, 0, 0);
}
