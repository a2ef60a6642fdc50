/*
 * Which domains go down with a core, and which come up. Locks are taken from level 1 upwards and held for the bookkeeping
 * alone; docs/locking.md argues the steps, the order and what happens between the release and the real power-down.
 */
#include "psci_private.h"
#include "trace.h"

/* The core's domains from level 1 up to `highest`, which is at least 1. */
#define FOR_EACH_DOMAIN(domain, core, highest) \
    for (struct psci_domain *domain = (core)->domain; domain != NULL; domain = domain->level == (highest) ? NULL : domain->parent)

static void lock_path(const struct psci_core *core, enum psci_level highest)
{
    FOR_EACH_DOMAIN (domain, core, highest) {
        trace_event(TRACE_LOCK_REQUEST, domain->trace_arg);
        arch_lock_acquire(&domain->lock);
        trace_event(TRACE_LOCK_ACQUIRE, domain->trace_arg);
    }
}

static void unlock_path(const struct psci_core *core, enum psci_level highest)
{
    FOR_EACH_DOMAIN (domain, core, highest) {
        trace_event(TRACE_LOCK_RELEASE, domain->trace_arg);
        arch_lock_release(&domain->lock);
    }
}

static void set_request(struct psci_core *core, struct psci_domain *domain, enum psci_local_state wanted)
{
    domain->requests[core->local[domain->level]]--;
    domain->requests[wanted]++;
    core->local[domain->level] = wanted;
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
static int64_t check_last(const struct psci_core *core, const struct psci_request *request)
{
    if (request->last_at < request->highest) {
        return PSCI_INVALID_PARAMETERS;
    }
    FOR_EACH_DOMAIN (domain, core, request->highest) {
        unsigned own_run = core->local[domain->level] == PSCI_RUN ? 1U : 0U;

        if (domain->requests[PSCI_RUN] != own_run) {
            return PSCI_DENIED;
        }
        if (request->local[domain->level] == PSCI_OFF && domain->requests[PSCI_RETENTION] != 0) {
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
static enum psci_level post_requests(struct psci_core *core, const struct psci_request *request)
{
    enum psci_level last_man_of = PSCI_LEVEL_CORE;
    bool below_sleeps = true;

    FOR_EACH_DOMAIN (domain, core, request->highest) {
        set_request(core, domain, request->local[domain->level]);
        enum psci_local_state target = agreed(domain);

        below_sleeps = below_sleeps && target != PSCI_RUN;
        if (below_sleeps) {
            start_down(domain, target);
            last_man_of = target == PSCI_OFF ? domain->level : last_man_of;
        }
    }
    return last_man_of;
}

int64_t psci_coordinate_down(struct psci_core *core, const struct psci_request *request, enum psci_level *last_man_of)
{
    int64_t error = PSCI_SUCCESS;

    *last_man_of = PSCI_LEVEL_CORE;
    core->down_to = request->highest;
    if (request->highest == PSCI_LEVEL_CORE) {
        return PSCI_SUCCESS;
    }
    lock_path(core, request->highest);
    if (request->must_be_last) {
        error = check_last(core, request);
    }
    if (error == PSCI_SUCCESS) {
        *last_man_of = post_requests(core, request);
    }
    unlock_path(core, request->highest);
    return error;
}

/*
 * Caches off, only the last man writes these states. A core that has come in the meantime waits in GOING_DOWN: the domain
 * stays on for it, and so does everything above.
 */
enum psci_level psci_settle_down(const struct psci_core *core, enum psci_level last_man_of)
{
    enum psci_level goes_down = PSCI_LEVEL_CORE;

    FOR_EACH_DOMAIN (domain, core, last_man_of) {
        if (arch_shared_load(&domain->running) != 0) {
            break;
        }
        goes_down = domain->level;
    }
    return goes_down;
}

void psci_publish_down(const struct psci_core *core, enum psci_level last_man_of, enum psci_level goes_down)
{
    FOR_EACH_DOMAIN (domain, core, last_man_of) {
        arch_shared_store(&domain->state, domain->level <= goes_down ? PSCI_DOMAIN_DOWN : PSCI_DOMAIN_ON);
    }
    arch_event_send();
}

static bool is_in_transit(const struct psci_domain *domain)
{
    uint32_t state = arch_shared_load(&domain->state);

    return state == PSCI_DOMAIN_GOING_DOWN || state == PSCI_DOMAIN_COMING_UP;
}

static void wait_until_settled(const struct psci_domain *domain)
{
    trace_event(TRACE_ENTER_DOMAIN_WAIT, domain->trace_arg);
    while (is_in_transit(domain)) {
        arch_event_wait();
    }
    trace_event(TRACE_EXIT_DOMAIN_WAIT, domain->trace_arg);
}

/* A domain that is on its way up or down by another core's hand, the highest first; NULL if none is. */
static struct psci_domain *find_in_transit(const struct psci_core *core)
{
    struct psci_domain *found = NULL;

    FOR_EACH_DOMAIN (domain, core, core->down_to) {
        found = is_in_transit(domain) ? domain : found;
    }
    return found;
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

/* Locks held, nothing in transit: claims every domain that is down. Returns the highest level claimed. */
static enum psci_level claim(const struct psci_core *core)
{
    enum psci_level claimed = PSCI_LEVEL_CORE;

    FOR_EACH_DOMAIN (domain, core, core->down_to) {
        bool was_down = arch_shared_load(&domain->state) == PSCI_DOMAIN_DOWN;

        if (domain->local != PSCI_RUN) {
            note_up(domain, was_down);
        }
        if (was_down) {
            arch_shared_store(&domain->state, PSCI_DOMAIN_COMING_UP);
            claimed = domain->level;
        }
    }
    return claimed;
}

/* From the top: a domain comes up inside one that is up. Nobody else touches what has been claimed. */
static void bring_up(const struct psci_core *core, enum psci_level claimed)
{
    for (unsigned level = (unsigned)claimed; level >= 1; level--) {
        struct psci_domain *domain = psci_domain_at(core, (enum psci_level)level);

        if (arch_shared_load(&domain->state) != PSCI_DOMAIN_COMING_UP) {
            continue;
        }
        if (psci.platform->domain_up != NULL) {
            psci.platform->domain_up((unsigned)(domain - psci.domains));
        }
        arch_shared_store(&domain->state, PSCI_DOMAIN_ON);
    }
    arch_event_send();
}

/* Posts the wish to run, then claims what is down; returns what must settle first, NULL when all is done. */
static struct psci_domain *try_up(struct psci_core *core, enum psci_level *claimed)
{
    lock_path(core, core->down_to);
    FOR_EACH_DOMAIN (domain, core, core->down_to) {
        set_request(core, domain, PSCI_RUN);
    }
    struct psci_domain *in_transit = find_in_transit(core);

    if (in_transit == NULL) {
        *claimed = claim(core);
    }
    unlock_path(core, core->down_to);
    return in_transit;
}

void psci_coordinate_up(struct psci_core *core)
{
    enum psci_level claimed = PSCI_LEVEL_CORE;

    if (core->down_to == PSCI_LEVEL_CORE) {
        return;
    }
    for (;;) {
        struct psci_domain *in_transit = try_up(core, &claimed);

        if (in_transit == NULL) {
            break;
        }
        wait_until_settled(in_transit);
    }
    if (claimed != PSCI_LEVEL_CORE) {
        bring_up(core, claimed);
    }
}
