/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_platform.h"

#include "harness.h"
#include "psci_private.h"

const struct fake_shape fake_juno = { .clusters = 2, .cores = { 2, 4 } };
const struct psci_topology *fake_topology;
struct fake_seen fake_seen;
bool fake_refuses_to_switch_on;

static uint16_t domain_of_core[PSCI_MAX_CORES];
static struct psci_domain_shape shapes[PSCI_MAX_DOMAINS];
static struct psci_topology topology;

uint64_t fake_mpidr(unsigned core)
{
    unsigned domain = domain_of_core[core];
    uint64_t group = (unsigned)topology.top_level == 3 ? shapes[domain].parent : 0U;

    return group << 16 | (uint64_t)domain << 8 | (core - shapes[domain].first_core);
}

static int core_of_mpidr(uint64_t mpidr)
{
    for (unsigned core = 0; core < topology.cores; core++) {
        if (fake_mpidr(core) == mpidr) {
            return (int)core;
        }
    }
    return -1;
}

static void hook(void)
{
    host_require_no_lock("platform hook");
    host_point(HOST_PLATFORM, NULL, 0);
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    hook();
    return address >= FAKE_NS_BASE && bytes <= FAKE_NS_BYTES && address - FAKE_NS_BASE <= FAKE_NS_BYTES - bytes;
}

static bool core_on(unsigned core)
{
    hook();
    if (fake_refuses_to_switch_on) {
        return false;
    }
    fake_seen.switched_on[core]++;
    host_switch_on(core);
    return true;
}

static void core_prepare_down(unsigned core, bool for_off)
{
    hook();
    if (core != host_self()) {
        host_fail("prepares core %u", core);
    }
    fake_seen.prepared_for_off += for_off;
}

static void power_message(unsigned core, enum psci_level level)
{
    hook();
    if (host_cores[core].caches_on) {
        host_fail("tells the power controller with its caches on");
    }
    fake_seen.messages++;
    fake_seen.last_message = level;
}

static void domain_up(unsigned domain)
{
    hook();
    if (psci.domains[domain].state.value != PSCI_DOMAIN_COMING_UP) {
        host_fail("brings up domain %u, which is not coming up", domain);
    }
    fake_seen.domain_ups[domain]++;
}

static void core_up(unsigned core)
{
    hook();
    for (const struct psci_domain *domain = psci.cores[core].domain; domain != NULL; domain = domain->parent) {
        if (domain->state.value != PSCI_DOMAIN_ON) {
            host_fail("goes on while its domain of level %u is in state %u", (unsigned)domain->level, domain->state.value);
        }
    }
}

static void __attribute__((noreturn)) leave(unsigned *count)
{
    (*count)++;
    host_require_no_lock("end of the system");
    host_cores[host_self()].caches_on = false;
    host_power_down(host_self(), true);
}

static void __attribute__((noreturn)) system_off(void)
{
    leave(&fake_seen.system_offs);
}

static void __attribute__((noreturn)) system_reset(bool alone)
{
    fake_seen.resets_alone += alone;
    leave(&fake_seen.system_resets);
}

static bool mem_protect(bool enable)
{
    bool was = fake_seen.mem_protect;

    hook();
    fake_seen.mem_protect = enable;
    return was;
}

static const struct psci_platform platform = {
    .topology = &topology,
    .default_suspend_state = 0x00010002,
    .core_of_mpidr = core_of_mpidr,
    .mpidr_of_core = fake_mpidr,
    .is_ns_memory = is_ns_memory,
    .core_on = core_on,
    .core_prepare_down = core_prepare_down,
    .power_message = power_message,
    .power_down = host_power_down,
    .domain_up = domain_up,
    .core_up = core_up,
    .system_off = system_off,
    .system_reset = system_reset,
    .mem_protect = mem_protect,
};
static struct psci_platform in_use;

static uint16_t add_domain(unsigned level, unsigned first_core, unsigned cores)
{
    shapes[topology.domains] = (struct psci_domain_shape){
        .level = (enum psci_level)level,
        .parent = PSCI_NO_DOMAIN,
        .first_core = (uint16_t)first_core,
        .cores = (uint16_t)cores,
    };
    topology.top_level = (enum psci_level)level;
    return topology.domains++;
}

/* Gives the parentless domains of the level below parents, `each` children a parent. */
static void add_level(unsigned level, unsigned each)
{
    unsigned below_end = topology.domains;

    for (unsigned child = 0, in_parent = 0; child < below_end; child++) {
        if ((unsigned)shapes[child].level != level - 1) {
            continue;
        }
        if (in_parent % each == 0) {
            add_domain(level, shapes[child].first_core, 0);
        }
        shapes[child].parent = (uint16_t)(topology.domains - 1U);
        shapes[topology.domains - 1U].cores = (uint16_t)(shapes[topology.domains - 1U].cores + shapes[child].cores);
        in_parent++;
    }
}

static void build(const struct fake_shape *shape)
{
    topology = (struct psci_topology){ .domain_of_core = domain_of_core, .shapes = shapes };
    for (unsigned cluster = 0; cluster < shape->clusters; cluster++) {
        uint16_t domain = add_domain(1, topology.cores, shape->cores[cluster]);

        for (unsigned core = 0; core < shape->cores[cluster]; core++) {
            domain_of_core[topology.cores++] = domain;
        }
    }
    if (shape->clusters_per_group != 0) {
        add_level(2, shape->clusters_per_group);
        add_level(3, shape->clusters);
    } else if (!shape->no_system) {
        add_level(2, shape->clusters);
    }
    fake_topology = &topology;
}

static unsigned lock_rank(const struct arch_lock *lock)
{
    for (unsigned domain = 0; domain < topology.domains; domain++) {
        if (lock == &psci.domains[domain].lock) {
            return (unsigned)psci.domains[domain].level;
        }
    }
    host_fail("takes a lock that is no domain's");
}

/* What a core writes back into the shared cache after the last man has passed there is lost with it. */
static void check_others_have_flushed(void)
{
    const struct psci_domain_shape *shape = &topology.shapes[domain_of_core[host_self()]];

    for (unsigned core = shape->first_core; core < (unsigned)shape->first_core + shape->cores; core++) {
        if (core != host_self() && (psci.cores[core].state.value == PSCI_CORE_ON || psci.cores[core].state.value == PSCI_CORE_SUSPENDING)) {
            host_fail("flushes the cache of its cluster while core %u still flushes its own", core);
        }
    }
}

static uint64_t cost_ticks(unsigned core, enum host_operation operation, const void *object, uint64_t arg)
{
    (void)core;
    (void)object;
    if (operation == HOST_CACHE_POWER_DOWN && arg != PSCI_LEVEL_CORE) {
        check_others_have_flushed();
    }
    return 1;
}

static unsigned stay(unsigned current)
{
    return current;
}

static const struct trace_ring *ring_of(unsigned core)
{
    return &host_cores[core].ring;
}

static struct monitor_location location(unsigned core)
{
    return (struct monitor_location){
        .mpidr = fake_mpidr(core),
        .cluster = domain_of_core[core],
        .core = core - shapes[domain_of_core[core]].first_core,
    };
}

static uint64_t all_ones(void)
{
    return UINT64_MAX;
}

void fake_init(const struct fake_shape *shape, const struct host_machine *machine)
{
    static const uint32_t system_suspend_states[] = { 0, 0x01011022, 0x02012222, 0x02012222 };
    struct host_machine used = machine != NULL ? *machine : (struct host_machine){ 0 };

    build(shape);
    used.cores = topology.cores;
    used.hz = used.hz != 0 ? used.hz : 1000000;
    used.next = used.next != NULL ? used.next : stay;
    used.lock_rank = lock_rank;
    used.cost_ticks = cost_ticks;
    host_init(&used, 0);
    in_use = platform;
    in_use.system_suspend_state = system_suspend_states[topology.top_level];
    fake_seen = (struct fake_seen){ 0 };
    fake_refuses_to_switch_on = false;
    psci_init(&in_use, 0);
    monitor = (struct monitor_platform){
        .soc_version = 0x043B1234,
        .soc_revision = 7,
        .trng_uuid = { 1, 2, 3, 4 },
        .random = all_ones,
        .build = "a build description",
        .cores = topology.cores,
        .capture_mticks = 1500,
        .location = location,
        .core_of_mpidr = core_of_mpidr,
        .ring = ring_of,
    };
}

enum host_outcome fake_call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3, int64_t *result)
{
    struct smc_frame frame = { .x = { id, x1, x2, x3 } };
    enum host_outcome outcome = host_smc(&frame);

    if (result != NULL) {
        *result = (int64_t)frame.x[0];
    }
    return outcome;
}

int64_t fake_returns(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    int64_t result = 0;

    CHECK_EQUAL(fake_call(id, x1, x2, x3, &result), HOST_RETURNED);
    return result;
}
