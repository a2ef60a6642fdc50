/*
 * Which domains go down with a core, and which come up. Locks are taken from level 1 upwards and held for the bookkeeping
 * alone; docs/locking.md argues the steps, the order and what happens between the release and the real power-down.
 */
#include "psci_private.h"
#include "trace.h"

static uint64_t place(enum psci_level level, unsigned domain)
{
    return (uint64_t)level << 16 | domain;
}

static void lock(enum psci_level level, unsigned domain)
{
    trace_event(TRACE_LOCK_REQUEST, place(level, domain));
    arch_lock_acquire(&psci.domains[domain].lock);
    trace_event(TRACE_LOCK_ACQUIRE, place(level, domain));
}

static void unlock(enum psci_level level, unsigned domain)
{
    trace_event(TRACE_LOCK_RELEASE, place(level, domain));
    arch_lock_release(&psci.domains[domain].lock);
}

/* The core's domains by level, from 1 to `highest`; entry 0 is unused. */
struct path {
    enum psci_level highest;
    uint16_t domain[PSCI_LEVELS];
};

static struct path path_of(unsigned core, enum psci_level highest)
{
    const struct psci_topology *topology = psci.platform->topology;
    struct path path = { .highest = highest };
    uint16_t domain = topology->domain_of_core[core];

    for (unsigned level = 1; level <= (unsigned)highest; level++) {
        path.domain[level] = domain;
        domain = topology->shapes[domain].parent;
    }
    return path;
}

static void lock_path(const struct path *path)
{
    for (unsigned level = 1; level <= (unsigned)path->highest; level++) {
        lock((enum psci_level)level, path->domain[level]);
    }
}

static void unlock_path(const struct path *path)
{
    for (unsigned level = (unsigned)path->highest; level >= 1; level--) {
        unlock((enum psci_level)level, path->domain[level]);
    }
}

static void set_request(unsigned core, unsigned level, struct psci_domain *domain, enum psci_local_state wanted)
{
    domain->requests[psci.cores[core].local[level]]--;
    domain->requests[wanted]++;
    psci.cores[core].local[level] = wanted;
    arch_shared_store(&domain->running, domain->requests[PSCI_RUN]);
}

/* The deepest state that every core of the domain agrees to. */
static enum psci_local_state agreed(const struct psci_domain *domain)
{
    if (domain->requests[PSCI_RUN] != 0) {
        return PSCI_RUN;
    }
    return domain->requests[PSCI_RETENTION] != 0 ? PSCI_RETENTION : PSCI_OFF;
}

/*
 * OS-initiated (DEN0022, 5.4.5): the caller must be the last core of each domain that it sends to sleep, and each must be
 * able to go as deep as asked.
 */
static int64_t check_last(unsigned core, const struct psci_request *request, const struct path *path)
{
    if (request->last_at < request->highest) {
        return PSCI_INVALID_PARAMETERS;
    }
    for (unsigned level = 1; level <= (unsigned)request->highest; level++) {
        const struct psci_domain *domain = &psci.domains[path->domain[level]];
        enum psci_local_state own = psci.cores[core].local[level];
        unsigned others_running = domain->requests[PSCI_RUN] - (own == PSCI_RUN ? 1U : 0U);

        if (others_running != 0) {
            return PSCI_DENIED;
        }
        if (request->local[level] == PSCI_OFF && domain->requests[PSCI_RETENTION] != 0) {
            return PSCI_INVALID_PARAMETERS;
        }
    }
    return PSCI_SUCCESS;
}

static void start_down(struct psci_domain *domain, enum psci_local_state local)
{
    domain->local = local;
    domain->down_ticks = arch_counter_ticks();
    if (local == PSCI_OFF) {
        arch_shared_store(&domain->state, PSCI_DOMAIN_GOING_DOWN);
    }
}

/* Posts the requests; returns the highest level at which the core is the last man of a domain that goes off. */
static enum psci_level post_requests(unsigned core, const struct psci_request *request, const struct path *path)
{
    enum psci_level last_man_of = PSCI_LEVEL_CORE;
    bool below_sleeps = true;

    for (unsigned level = 1; level <= (unsigned)path->highest; level++) {
        struct psci_domain *domain = &psci.domains[path->domain[level]];

        set_request(core, level, domain, request->local[level]);
        enum psci_local_state target = agreed(domain);

        below_sleeps = below_sleeps && target != PSCI_RUN;
        if (below_sleeps) {
            start_down(domain, target);
            last_man_of = target == PSCI_OFF ? (enum psci_level)level : last_man_of;
        }
    }
    return last_man_of;
}

int64_t psci_coordinate_down(unsigned core, const struct psci_request *request, enum psci_level *last_man_of)
{
    struct path path = path_of(core, request->highest);
    int64_t error = PSCI_SUCCESS;

    psci.cores[core].down_to = request->highest;
    lock_path(&path);
    if (request->must_be_last) {
        error = check_last(core, request, &path);
    }
    if (error == PSCI_SUCCESS) {
        *last_man_of = post_requests(core, request, &path);
    }
    unlock_path(&path);
    return error;
}

/*
 * Caches off, only the last man writes these states. A core that has come in the meantime waits in GOING_DOWN: the domain
 * stays on for it, and so does everything above.
 */
enum psci_level psci_settle_down(unsigned core, enum psci_level last_man_of)
{
    struct path path = path_of(core, last_man_of);
    unsigned level = 1;

    while (level <= (unsigned)last_man_of && arch_shared_load(&psci.domains[path.domain[level]].running) == 0) {
        level++;
    }
    return (enum psci_level)(level - 1U);
}

void psci_publish_down(unsigned core, enum psci_level last_man_of, enum psci_level goes_down)
{
    struct path path = path_of(core, last_man_of);

    for (unsigned level = 1; level <= (unsigned)last_man_of; level++) {
        bool is_down = level <= (unsigned)goes_down;

        arch_shared_store(&psci.domains[path.domain[level]].state, is_down ? PSCI_DOMAIN_DOWN : PSCI_DOMAIN_ON);
    }
    arch_event_send();
}

static void wait_until_settled(enum psci_level level, unsigned domain)
{
    const struct arch_shared *state = &psci.domains[domain].state;
    uint32_t now = arch_shared_load(state);

    trace_event(TRACE_ENTER_DOMAIN_WAIT, place(level, domain));
    while (now == PSCI_DOMAIN_GOING_DOWN || now == PSCI_DOMAIN_COMING_UP) {
        arch_event_wait();
        now = arch_shared_load(state);
    }
    trace_event(TRACE_EXIT_DOMAIN_WAIT, place(level, domain));
}

/* The highest level whose domain is on its way up or down by another core's hand; PSCI_LEVEL_CORE if none is. */
static enum psci_level highest_in_transit(const struct path *path)
{
    for (unsigned level = (unsigned)path->highest; level >= 1; level--) {
        uint32_t state = arch_shared_load(&psci.domains[path->domain[level]].state);

        if (state == PSCI_DOMAIN_GOING_DOWN || state == PSCI_DOMAIN_COMING_UP) {
            return (enum psci_level)level;
        }
    }
    return PSCI_LEVEL_CORE;
}

/* A domain that was to go off and stayed on for a core that came was never in the state: it does not count. */
static void note_up(struct psci_domain *domain, bool was_down)
{
    if (was_down || domain->local == PSCI_RETENTION) {
        domain->stat[domain->local].count++;
        domain->stat[domain->local].residency_ticks += arch_counter_ticks() - domain->down_ticks;
    }
    domain->local = PSCI_RUN;
}

/* With the locks of the path held: claims every domain that is down. Returns the highest level claimed. */
static enum psci_level claim(const struct path *path)
{
    enum psci_level claimed = PSCI_LEVEL_CORE;

    for (unsigned level = 1; level <= (unsigned)path->highest; level++) {
        struct psci_domain *domain = &psci.domains[path->domain[level]];

        bool was_down = arch_shared_load(&domain->state) == PSCI_DOMAIN_DOWN;

        if (domain->local != PSCI_RUN) {
            note_up(domain, was_down);
        }
        if (was_down) {
            arch_shared_store(&domain->state, PSCI_DOMAIN_COMING_UP);
            claimed = (enum psci_level)level;
        }
    }
    return claimed;
}

static void bring_up(const struct path *path, enum psci_level claimed)
{
    for (unsigned level = (unsigned)claimed; level >= 1; level--) {
        unsigned domain = path->domain[level];

        if (arch_shared_load(&psci.domains[domain].state) != PSCI_DOMAIN_COMING_UP) {
            continue;
        }
        if (psci.platform->domain_up != NULL) {
            psci.platform->domain_up(domain);
        }
        arch_shared_store(&psci.domains[domain].state, PSCI_DOMAIN_ON);
    }
    arch_event_send();
}

void psci_coordinate_up(unsigned core)
{
    struct path path = path_of(core, psci.cores[core].down_to);
    enum psci_level in_transit = PSCI_LEVEL_CORE;
    enum psci_level claimed = PSCI_LEVEL_CORE;

    if (path.highest == PSCI_LEVEL_CORE) {
        return;
    }
    do {
        if (in_transit != PSCI_LEVEL_CORE) {
            wait_until_settled(in_transit, path.domain[in_transit]);
        }
        lock_path(&path);
        for (unsigned level = 1; level <= (unsigned)path.highest; level++) {
            set_request(core, level, &psci.domains[path.domain[level]], PSCI_RUN);
        }
        in_transit = highest_in_transit(&path);
        if (in_transit == PSCI_LEVEL_CORE) {
            claimed = claim(&path);
        }
        unlock_path(&path);
    } while (in_transit != PSCI_LEVEL_CORE);

    if (claimed != PSCI_LEVEL_CORE) {
        bring_up(&path, claimed);
    }
}
