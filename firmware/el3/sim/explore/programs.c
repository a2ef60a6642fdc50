/* SPDX-License-Identifier: BSD-3-Clause */
/* What the normal world does on each core, and how a system is written down. */
#include <stdlib.h>
#include <string.h>

#include "host_private.h"
#include "interrupts.h"
#include "movers.h"
#include "psci_private.h"
#include "system.h"

static int64_t call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    unsigned core = host_self();
    struct smc_frame frame = { .x = { id, x1, x2, x3 } };

    system_state.is_up[core] = false;
    system_state.in_call[core] = true;
    host_smc(&frame);
    system_state.in_call[core] = false;
    system_state.is_up[core] = true;
    return (int64_t)frame.x[0];
}

static bool may_be_os_initiated(void)
{
    return system_setup.os_initiated || system_setup.changes_mode;
}

static void suspend(unsigned core, uint32_t power_state)
{
    uint32_t highest = power_state >> 24;

    system_state.armed[core] = true;
    if (system_setup.transition_scope && highest != 0) {
        host_keep_locks();
    }
    int64_t result = call(PSCI_ID_64(PSCI_CPU_SUSPEND), power_state | (may_be_os_initiated() ? highest << 12 : 0), SYSTEM_ENTRY, 0);

    if (result != PSCI_SUCCESS && !(may_be_os_initiated() && result == PSCI_DENIED)) {
        host_fail("CPU_SUSPEND %08x returned %lld", power_state, (long long)result);
    }
    system_state.armed[core] = false;
    host_cores[core].interrupt = false;
    client_takes();
}

/* AFFINITY_INFO may lag behind a core that runs, but never call one off that does. */
static void ask(unsigned core)
{
    for (unsigned other = 0; other < system_setup.cores; other++) {
        int64_t affinity = call(PSCI_ID_64(PSCI_AFFINITY_INFO), other, 0, 0);

        if (other == core && affinity != 0) {
            host_fail("AFFINITY_INFO of itself is %lld", (long long)affinity);
        }
    }
}

/* A core that runs, and what it runs in, is on; of the others the answer may be old. */
static void ask_hardware(unsigned core)
{
    for (unsigned other = 0; other < system_setup.cores; other++) {
        for (unsigned level = 0; level <= (unsigned)system_topology.top_level; level++) {
            int64_t state = call(PSCI_ID_64(PSCI_NODE_HW_STATE), other, level, 0);

            if (state < 0 || state > 2 || (other == core && state != 0)) {
                host_fail("NODE_HW_STATE of core %u at level %u is %lld", other, level, (long long)state);
            }
        }
    }
}

static void set_mode(enum psci_suspend_mode mode)
{
    int64_t result = call(PSCI_SET_SUSPEND_MODE, mode, 0, 0);

    if (result != PSCI_SUCCESS && result != PSCI_DENIED) {
        host_fail("SET_SUSPEND_MODE %u returned %lld", (unsigned)mode, (long long)result);
    }
}

static void switch_on(unsigned core, unsigned target)
{
    int64_t result = call(PSCI_ID_64(PSCI_CPU_ON), target, SYSTEM_ENTRY, system_context_of(core));
    bool was_refused = system_state.refusal[core] == REFUSAL_MADE;

    if ((result == PSCI_INTERNAL_FAILURE) != was_refused) {
        host_fail("CPU_ON that the power controller has %s returned %lld", was_refused ? "refused" : "not refused", (long long)result);
    }
    if (was_refused) {
        system_state.refusal[core] = REFUSAL_NONE;
    }
}

static void perform(unsigned core, char operation)
{
    switch (operation) {
    case '2':
        suspend(core, 0x02010222);
        break;
    case '1':
        suspend(core, 0x01010022);
        break;
    case '0':
        suspend(core, 0x00010002);
        break;
    case 'r':
        suspend(core, 0x01010012);
        break;
    case 's':
        suspend(core, 0x00000001);
        break;
    case 'f':
        if (system_setup.transition_scope) {
            host_keep_locks();
        }
        call(PSCI_CPU_OFF, 0, 0, 0);
        break;
    case 'a':
        ask(core);
        break;
    case 'n':
        ask_hardware(core);
        break;
    case 'o':
        set_mode(PSCI_OS_INITIATED);
        break;
    case 'p':
        set_mode(PSCI_PLATFORM_COORDINATED);
        break;
    case 'h':
        client_begins_handler();
        call(PSCI_CPU_OFF, 0, 0, 0);
        break;
    case 'i':
        client_sends_to_others();
        break;
    case 'x':
        system_state.refusal[core] = REFUSAL_TO_COME;
        break;
    default:
        switch_on(core, (unsigned)(operation - 'A'));
        break;
    }
}

void system_normal_world(unsigned core, uint64_t context_id)
{
    bool was_switched_on = system_state.position[core] != 0;

    if (was_switched_on && context_id != system_state.granted[core]) {
        host_fail("comes up at the entry point of an earlier CPU_ON");
    }
    client_starts();
    system_state.in_call[core] = false;
    system_state.is_up[core] = true;
    for (;;) {
        char operation = system_setup.programs[core][system_state.position[core]];

        if (psci.cores[core].vote.running != PSCI_VOTE_AWAKE.running) {
            host_fail("runs in the normal world and its domains count it as asleep");
        }
        if (operation == '\0') {
            return;
        }
        system_state.position[core]++;
        host_point(HOST_PLATFORM, NULL, PLATFORM_UNSEEN);
        perform(core, operation);
    }
}

_Static_assert(PSCI_MAX_CORES == 16U && PSCI_MAX_DOMAINS == 9U && SYSTEM_OPERATIONS == 16U, "the sentences below name these limits");

static const char *parse_clusters(const char *text)
{
    static const char *const fault = "the clusters are no list such as 2,2 of 8 clusters and 16 cores at most";
    char *end;

    for (;;) {
        unsigned long cores = strtoul(text, &end, 10);

        if (*text < '0' || *text > '9' || cores == 0 || cores > PSCI_MAX_CORES - system_setup.cores ||
            system_setup.clusters + 1U >= PSCI_MAX_DOMAINS) {
            return fault;
        }
        system_setup.cluster_cores[system_setup.clusters++] = (unsigned)cores;
        system_setup.cores += (unsigned)cores;
        if (*end == '\0') {
            return NULL;
        }
        if (*end != ',') {
            return fault;
        }
        text = end + 1;
    }
}

static const char *parse_programs(const char *text)
{
    unsigned core = 0;
    unsigned length = 0;
    bool calls_for_interrupts = strpbrk(text, "hi") != NULL;

    for (; *text != '\0'; text++) {
        if (*text == '|') {
            core++;
            length = 0;
        } else if (core >= system_setup.cores) {
            return "there are more programs than cores";
        } else if (strchr("210rsfanophix-ABCDEFGHIJKLMNOP", *text) == NULL || (*text == '-' && length != 0)) {
            return "a program is made of 2, 1, 0, r, s, f, a, n, o, p, h, i, x and A to P, with - before them where the core starts off";
        } else if (length + 1U >= SYSTEM_OPERATIONS) {
            return "a program is longer than 15 letters";
        } else {
            system_setup.changes_mode = system_setup.changes_mode || *text == 'o' || *text == 'p';
            system_setup.programs[core][length++] = *text;
        }
    }
    if (calls_for_interrupts && interrupts_setup.version == 0) {
        return "h and i are of an interrupt controller, and none is named";
    }
    if (core + 1U != system_setup.cores) {
        return core + 1U < system_setup.cores ? "there are fewer programs than cores" : "there are more programs than cores";
    }
    return system_setup.programs[0][0] == '-' ? "core 0 starts the others and cannot start off" : NULL;
}

const char *system_parse(const char *clusters, const char *programs)
{
    memset(&system_setup, 0, sizeof(system_setup));
    const char *fault = parse_clusters(clusters);

    return fault != NULL ? fault : parse_programs(programs);
}
