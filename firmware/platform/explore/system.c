#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_private.h"
#include "psci_private.h"

#define ENTRY 0x80000000ULL

/* Arguments of a point in the platform. */
#define SEEN 0U
#define UNSEEN 1U

struct system_state system_state;

static struct system_setup setup;
static uint16_t domain_of_core[PSCI_MAX_CORES];
static struct psci_domain_shape shapes[PSCI_MAX_DOMAINS];
static struct psci_topology topology;
static unsigned chosen;
static const char *standing; /* the rule between steps that the last step broke */
static bool is_own_business; /* what the running core does next needs no point */


static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ hash >> 29;
}

static bool is_above(unsigned core, const struct psci_domain_shape *shape)
{
    return core - shape->first_core < shape->cores;
}

static bool has_stopped(unsigned core)
{
    return host_cores[core].wait == HOST_SUSPENDED || host_cores[core].wait == HOST_OFF;
}

/* The controller cuts a domain that it was told to cut as soon as every core in it has stopped. */
static void cut_domains(void)
{
    for (unsigned domain = 0; domain < topology.domains; domain++) {
        bool all_stopped = true;

        for (unsigned core = 0; core < topology.cores; core++) {
            all_stopped = all_stopped && (!is_above(core, &shapes[domain]) || has_stopped(core));
        }
        if (all_stopped && system_state.has_last_man[domain]) {
            system_state.is_cut[domain] = true;
        }
    }
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    return address >= ENTRY && bytes != 0;
}

static int core_of_mpidr(uint64_t mpidr)
{
    return mpidr < topology.cores ? (int)mpidr : -1;
}

static void core_on(unsigned core)
{
    host_require_no_lock("switching a core on");
    host_switch_on(core);
}

/* In the normal world, or on its way down without having agreed that its domains sleep. On its way up, it waits for them. */
static bool is_awake(unsigned core)
{
    const struct psci_core *psci_core = &psci.cores[core];

    return !system_state.in_call[core] ||
           (psci_core->state.value == PSCI_CORE_ON && psci_core->vote.running == PSCI_VOTE_AWAKE.running);
}

static void check_message(unsigned core, unsigned domain)
{
    for (unsigned other = 0; other < topology.cores; other++) {
        if (other != core && is_above(other, &shapes[domain]) && is_awake(other) && !has_stopped(other)) {
            host_fail("cuts domain %u while core %u runs in it", domain, other);
        }
    }
    if (system_state.has_last_man[domain]) {
        host_fail("is a second last man of domain %u", domain);
    }
    system_state.has_last_man[domain] = true;
}

static void power_message(unsigned core, enum psci_level level)
{
    host_point(HOST_PLATFORM, NULL, level == PSCI_LEVEL_CORE ? UNSEEN : SEEN);
    system_state.told_level[core] = (uint8_t)level;
    for (unsigned domain = domain_of_core[core], at = 1; at <= (unsigned)level; at++) {
        check_message(core, domain);
        domain = shapes[domain].parent;
    }
    host_release_kept();
}

/* Whoever reaches the normal world must find its domains on. */
static void core_up(unsigned core)
{
    for (unsigned domain = domain_of_core[core]; domain != PSCI_NO_DOMAIN; domain = shapes[domain].parent) {
        if (system_state.is_cut[domain]) {
            host_fail("goes on in domain %u, which is cut", domain);
        }
        if (psci.domains[domain].state.value != PSCI_DOMAIN_ON) {
            host_fail("goes on while domain %u is in state %u", domain, psci.domains[domain].state.value);
        }
    }
}

static void domain_up(unsigned domain)
{
    host_point(HOST_PLATFORM, NULL, SEEN);
    if (shapes[domain].parent != PSCI_NO_DOMAIN && system_state.is_cut[shapes[domain].parent]) {
        host_fail("brings domain %u up inside one that is cut", domain);
    }
    system_state.is_cut[domain] = false;
    system_state.has_last_man[domain] = false;
}

static void __attribute__((noreturn)) system_ends(void)
{
    host_fail("ends the system");
}

static bool mem_protect(bool enable)
{
    return enable;
}

static const struct psci_platform platform = {
    .topology = &topology,
    .core_of_mpidr = core_of_mpidr,
    .is_ns_memory = is_ns_memory,
    .core_on = core_on,
    .power_message = power_message,
    .power_down = host_power_down,
    .domain_up = domain_up,
    .core_up = core_up,
    .system_off = system_ends,
    .system_reset = system_ends,
    .mem_protect = mem_protect,
};

static void check_flush(unsigned core)
{
    const struct psci_domain_shape *cluster = &shapes[domain_of_core[core]];

    for (unsigned other = 0; other < topology.cores; other++) {
        if (other != core && is_above(other, cluster) && psci.cores[other].state.value == PSCI_CORE_ON) {
            host_fail("flushes the cache of its cluster while core %u still flushes its own or runs", other);
        }
    }
}

/*
 * What can be done together with the step before it without hiding an interleaving: a release, which only lets others go on
 * (it commutes to the left: Lipton, Reduction, CACM 1975), and what no other core can see.
 */
static bool commutes(enum host_operation operation, uint64_t arg)
{
    switch (operation) {
    case HOST_LOCK_RELEASE:
        return true;
    case HOST_CACHE_POWER_DOWN:
        return arg == PSCI_LEVEL_CORE;
    case HOST_PLATFORM:
        return arg == UNSEEN;
    default:
        return false;
    }
}

/* Called where a core is about to do something that others can see. */
static uint64_t cost_ticks(unsigned core, enum host_operation operation, const void *object, uint64_t arg)
{
    if (operation == HOST_COUNTER) {
        return 0;
    }
    if (operation == HOST_CACHE_POWER_DOWN && arg != PSCI_LEVEL_CORE) {
        check_flush(core);
    }
    system_state.about_to[core] = (uint8_t)operation;
    system_state.about_object[core] = object;
    is_own_business = commutes(operation, arg);
    return 0;
}

static unsigned next(unsigned current)
{
    if (current == HOST_NOBODY) {
        return chosen;
    }
    return is_own_business && host_runs(current) ? current : HOST_NOBODY;
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

static int64_t call(uint32_t id, uint64_t x1, uint64_t x2, uint64_t x3)
{
    struct smc_frame frame = { .x = { id, x1, x2, x3 } };

    system_state.in_call[host_self()] = true;
    host_smc(&frame);
    system_state.in_call[host_self()] = false;
    return (int64_t)frame.x[0];
}

static void suspend(unsigned core, uint32_t power_state)
{
    uint32_t highest = power_state >> 24;

    system_state.armed[core] = true;
    if (setup.transition_scope && highest != 0) {
        host_keep_locks();
    }
    int64_t result = call(PSCI_ID_64(PSCI_CPU_SUSPEND), power_state | (setup.os_initiated ? highest << 12 : 0), ENTRY, 0);

    if (result != PSCI_SUCCESS && !(setup.os_initiated && result == PSCI_DENIED)) {
        host_fail("CPU_SUSPEND %08x returned %lld", power_state, (long long)result);
    }
    system_state.armed[core] = false;
    host_cores[core].interrupt = false;
}

/* AFFINITY_INFO may lag behind a core that runs, but never call one off that does. */
static void ask(unsigned core)
{
    for (unsigned other = 0; other < topology.cores; other++) {
        int64_t affinity = call(PSCI_ID_64(PSCI_AFFINITY_INFO), other, 0, 0);

        if (other == core && affinity != 0) {
            host_fail("AFFINITY_INFO of itself is %lld", (long long)affinity);
        }
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
        if (setup.transition_scope) {
            host_keep_locks();
        }
        call(PSCI_CPU_OFF, 0, 0, 0);
        break;
    case 'a':
        ask(core);
        break;
    default:
        call(PSCI_ID_64(PSCI_CPU_ON), (uint64_t)(operation - 'A'), ENTRY, 0);
        break;
    }
}

static void normal_world(unsigned core, uint64_t context_id)
{
    (void)context_id;
    system_state.in_call[core] = false;
    for (;;) {
        char operation = setup.programs[core][system_state.position[core]];

        if (operation == '\0') {
            return;
        }
        system_state.position[core]++;
        host_point(HOST_PLATFORM, NULL, UNSEEN);
        perform(core, operation);
    }
}

static void add_domains(void)
{
    unsigned first = 0;

    for (unsigned cluster = 0; cluster < setup.clusters; cluster++) {
        shapes[cluster] = (struct psci_domain_shape){ (enum psci_level)1, (uint16_t)setup.clusters, (uint16_t)first,
                                                      (uint16_t)setup.cluster_cores[cluster] };
        for (unsigned core = 0; core < setup.cluster_cores[cluster]; core++) {
            domain_of_core[first++] = (uint16_t)cluster;
        }
    }
    shapes[setup.clusters] = (struct psci_domain_shape){ (enum psci_level)2, PSCI_NO_DOMAIN, 0, (uint16_t)setup.cores };
    topology = (struct psci_topology){ (uint16_t)setup.cores, (uint16_t)(setup.clusters + 1U), (enum psci_level)2, domain_of_core, shapes };
}

/* Every core on as after CPU_ON, without the calls: the exploration begins here. */
static void switch_all_on(void)
{
    for (unsigned core = 1; core < setup.cores; core++) {
        if (setup.programs[core][0] == '-') {
            system_state.position[core] = 1;
            system_state.in_call[core] = true; /* as after CPU_OFF */
            continue;
        }
        psci.cores[core].state.value = PSCI_CORE_ON_PENDING;
        psci.cores[core].entry.address = ENTRY;
        host_warm_boot(core);
        host_cores[core].cold = true;
    }
}

void system_start(const struct system_setup *described)
{
    static const struct host_machine machine = {
        .hz = 1000000000,
        .next = next,
        .cost_ticks = cost_ticks,
        .normal_world = normal_world,
        .lock_rank = lock_rank,
    };
    struct host_machine used = machine;

    setup = *described;
    add_domains();
    used.cores = setup.cores;
    memset(&system_state, 0, sizeof(system_state));
    host_init(&used, 0);
    for (unsigned core = 0; core < setup.cores; core++) {
        host_cores[core].now_ticks = 1;
    }
    psci_init(&platform, 0);
    arch_shared_store(&psci.os_initiated, setup.os_initiated);
    switch_all_on();
}

/*
 * An interrupt that comes early stays pending and is looked at where the core stops: so it makes a difference only there,
 * just before it stops (the core never does, and nothing is cut) and after.
 */
static bool may_interrupt(unsigned core)
{
    enum host_wait wait = host_cores[core].wait;
    bool stops_next = psci.cores[core].state.value == PSCI_CORE_FLUSHED && system_state.about_object[core] == &psci.cores[core].state;
    bool stands_by = wait == HOST_RUNS && system_state.about_to[core] == HOST_INTERRUPT_WAIT;

    return system_state.armed[core] && (wait == HOST_SUSPENDED || wait == HOST_IN_STANDBY || stops_next || stands_by);
}

unsigned system_choices(unsigned *choices)
{
    unsigned count = 0;

    for (unsigned core = 0; core < setup.cores; core++) {
        if (host_runs(core)) {
            choices[count++] = core;
        }
        if (may_interrupt(core)) {
            choices[count++] = setup.cores + core;
        }
    }
    return count;
}

/* What must hold between any two steps. */
static const char *standing_fault(void)
{
    for (unsigned core = 0; core < setup.cores; core++) {
        uint32_t state = psci.cores[core].state.value;

        if (!system_state.in_call[core] && host_runs(core) && psci.cores[core].vote.running != PSCI_VOTE_AWAKE.running) {
            return "a core runs in the normal world and its domains count it as asleep";
        }
        if (host_cores[core].wait == HOST_OFF && state != PSCI_CORE_OFF && state != PSCI_CORE_ON_PENDING) {
            return "a core has gone off and AFFINITY_INFO does not say so";
        }
        if (state == PSCI_CORE_OFF && host_cores[core].caches_on && host_cores[core].wait != HOST_OFF) {
            return "AFFINITY_INFO says OFF of a core that runs";
        }
    }
    return NULL;
}

const char *system_fault(void)
{
    return standing != NULL ? standing : host_violation();
}

bool system_step(unsigned choice)
{
    if (choice >= setup.cores) {
        system_state.armed[choice - setup.cores] = false;
        host_interrupt(choice - setup.cores);
        return true;
    }
    chosen = choice;
    if (!host_run()) {
        return false;
    }
    cut_domains();

    standing = standing_fault();
    return standing == NULL;
}

const char *system_rest_fault(void)
{
    for (unsigned core = 0; core < setup.cores; core++) {
        enum host_wait wait = host_cores[core].wait;

        if (wait != HOST_FINISHED && wait != HOST_OFF) {
            return "a core waits for ever: a deadlock or a lost wake-up";
        }
        if (wait == HOST_OFF && psci.cores[core].state.value == PSCI_CORE_ON_PENDING) {
            return "a core that was switched on never came";
        }
    }
    return NULL;
}

static uint64_t hash_core(uint64_t hash, unsigned index)
{
    const struct host_core *core = &host_cores[index];
    bool event = core->events_seen != host_events && core->wait != HOST_FINISHED;
    uint32_t queue_next = core->wait == HOST_IN_LOCK ? core->queue_next : 0;

    hash = mix(hash, (uint64_t)core->wait | (uint64_t)core->caches_on << 8 | (uint64_t)event << 9 | (uint64_t)core->interrupt << 10 |
                         (uint64_t)core->wanted_on << 11 | (uint64_t)core->cold << 12 | (uint64_t)core->keeps_locks << 13 |
                         (uint64_t)core->locks_held << 16 | (uint64_t)core->ranks_held << 24 | (uint64_t)queue_next << 32);
    for (unsigned i = 0; i < core->kept_count; i++) {
        hash = mix(hash, (uint64_t)(uintptr_t)core->kept[i]);
    }
    if (core->wait == HOST_IN_RELAX) {
        hash = mix(hash, (uint64_t)(uintptr_t)core->watched);
    }
    return mix(mix(mix(hash, psci.cores[index].state.value), psci.cores[index].vote.running), psci.cores[index].vote.retention);
}

static uint64_t hash_domain(uint64_t hash, const struct psci_domain *domain)
{
    uint32_t queue_tail = domain->lock.queue_head != 0 ? domain->lock.queue_tail : 0;

    hash = mix(hash, (uint64_t)domain->state.value << 8 | domain->wanted.value << 4 | (unsigned)domain->local);
    hash = mix(hash, (uint64_t)domain->lock.holder << 32 | domain->lock.queue_head << 8 | queue_tail);
    return mix(mix(mix(mix(hash, domain->running), domain->retention), domain->vote.running), domain->vote.retention);
}

static uint64_t hash_stack(uint64_t hash, unsigned core)
{
    size_t all;
    const uint8_t *stack = host_stack(core, &all);
    const uint64_t *word = host_cores[core].coroutine.stack_pointer;

    if (host_cores[core].wait == HOST_OFF || host_cores[core].wait == HOST_FINISHED) {
        return hash;
    }
    for (; word < (const uint64_t *)(const void *)(stack + all); word++) {
        hash = mix(hash, *word);
    }
    return hash;
}

/* Two states with the same hash are taken for one: all that psci, the cores and their stacks hold, but no times and statistics. */
uint64_t system_hash(void)
{
    uint64_t hash = 1;

    for (unsigned core = 0; core < setup.cores; core++) {
        hash = hash_stack(hash_core(hash, core), core);
        hash = mix(hash, (uint64_t)system_state.position[core] << 8 | system_state.armed[core] | system_state.in_call[core] << 1);
    }
    for (unsigned domain = 0; domain < topology.domains; domain++) {
        hash = hash_domain(hash, &psci.domains[domain]);
        hash = mix(hash, (uint64_t)system_state.is_cut[domain] << 1 | system_state.has_last_man[domain]);
    }
    return hash;
}

static bool parse_clusters(const char *text)
{
    char *end;

    for (;;) {
        unsigned long cores = strtoul(text, &end, 10);

        if (end == text || cores == 0 || setup.clusters + 1U >= PSCI_MAX_DOMAINS || setup.cores + cores > PSCI_MAX_CORES) {
            return false;
        }
        setup.cluster_cores[setup.clusters++] = (unsigned)cores;
        setup.cores += (unsigned)cores;
        if (*end == '\0') {
            return true;
        }
        text = end + 1;
    }
}

static bool parse_programs(const char *text)
{
    unsigned core = 0;
    unsigned length = 0;

    for (; *text != '\0'; text++) {
        if (*text == '|') {
            core++;
            length = 0;
        } else if (core >= setup.cores || length + 1U >= SYSTEM_OPERATIONS || strchr("210rsfa-ABCDEFGHIJKLMNOP", *text) == NULL) {
            return false;
        } else {
            setup.programs[core][length++] = *text;
        }
    }
    return core + 1U == setup.cores && setup.programs[0][0] != '-';
}

bool system_parse(struct system_setup *out, const char *clusters, const char *programs)
{
    memset(&setup, 0, sizeof(setup));

    bool sound = parse_clusters(clusters) && parse_programs(programs);

    *out = setup;
    return sound;
}

static const char *name_of(const void *object, char *text, unsigned bytes)
{
    for (unsigned domain = 0; domain < topology.domains; domain++) {
        const struct psci_domain *candidate = &psci.domains[domain];

        if (object == &candidate->lock || object == &candidate->state || object == &candidate->wanted) {
            const char *what = object == &candidate->lock ? "lock" : object == &candidate->state ? "state" : "wanted";

            snprintf(text, bytes, "%s of domain %u", what, domain);
            return text;
        }
    }
    for (unsigned core = 0; core < topology.cores; core++) {
        if (object == &psci.cores[core].state) {
            snprintf(text, bytes, "state of core %u", core);
            return text;
        }
    }
    return "";
}

const char *system_describe(unsigned choice, char *text, unsigned bytes)
{
    static const char *const names[HOST_OPERATIONS] = {
        "reads the counter", "takes the", "gets the", "releases the", "reads the", "writes the", "swaps the", "waits for an event",
        "sends an event", "looks again", "waits for an interrupt", "flushes its caches", "goes on",
    };
    char object[48];

    if (choice >= setup.cores) {
        snprintf(text, bytes, "core %u: its interrupt comes", choice - setup.cores);
        return text;
    }
    snprintf(text, bytes, "core %u: %s %s", choice, names[system_state.about_to[choice]], name_of(system_state.about_object[choice], object, sizeof(object)));
    return text;
}
