/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which domains go down with a core, and which come up. Locks are taken from level 1 upwards and held for the bookkeeping
 * alone; docs/explanation/locking.md argues the steps, the order and what happens between the release and the real power-down.
 */
#include "psci_private.h"
#include "trace.h"

/* The core's domains from level 1 up to `highest`, which is at least 1. */
#define FOR_EACH_DOMAIN(domain, core, highest) \
    for (struct psci_domain *domain = (core)->domain; domain != NULL; domain = domain->level == (highest) ? NULL : domain->parent)

static void lock(struct psci_domain *domain)
{
    trace_event(TRACE_LOCK_REQUEST, domain->trace_arg);
    arch_lock_acquire(&domain->lock);
    trace_event(TRACE_LOCK_ACQUIRE, domain->trace_arg);
}

static void unlock(struct psci_domain *domain)
{
    trace_event(TRACE_LOCK_RELEASE, domain->trace_arg);
    arch_lock_release(&domain->lock);
}

static void unlock_up_to(const struct psci_core *core, const struct psci_domain *top)
{
    FOR_EACH_DOMAIN (domain, core, top->level) {
        unlock(domain);
    }
}

/* Whether the domain's sums hold the vote of one child. Lock held. */
static inline bool has_counted(const struct psci_domain *domain, const struct psci_vote *vote)
{
    for (unsigned level = 1; level < PSCI_LEVELS; level++) {
        if (psci_votes_at(domain->running, level) < psci_votes_at(vote->running, level)
            || psci_votes_at(domain->retention, level) < psci_votes_at(vote->retention, level)) {
            return false;
        }
    }
    return true;
}

/* Replaces a child's vote in the sums of its domain. */
static void cast(struct psci_domain *domain, struct psci_vote *vote, struct psci_vote now)
{
    REQUIRE(has_counted(domain, vote));
    domain->running += now.running - vote->running;
    domain->retention += now.retention - vote->retention;
    *vote = now;
}

/* The deepest state of `level` that every child of the domain agrees to. */
static enum psci_local_state agreed(const struct psci_domain *domain, unsigned level)
{
    if (psci_votes_at(domain->running, level) != 0) {
        return PSCI_RUN;
    }
    return psci_votes_at(domain->retention, level) != 0 ? PSCI_RETENTION : PSCI_OFF;
}

/* What the domain's children together let the levels above it do. */
static struct psci_vote vote_of(const struct psci_domain *domain)
{
    struct psci_vote vote = { 0 };

    for (unsigned level = (unsigned)domain->level + 1U; level < PSCI_LEVELS; level++) {
        enum psci_local_state state = agreed(domain, level);

        vote.running |= (uint64_t)(state == PSCI_RUN) << (PSCI_VOTE_BITS * level);
        vote.retention |= (uint64_t)(state == PSCI_RETENTION) << (PSCI_VOTE_BITS * level);
    }
    return vote;
}

/*
 * The caller must be the last core of each domain that it sends to sleep, and each must be able to go as deep as asked
 * (DEN0022, 5.4.5). A core that comes after the look is a core that comes while the domain goes down: it stays on.
 */
int64_t psci_check_last(const struct psci_core *core, const struct psci_request *request)
{
    const struct psci_vote *own = &core->vote;

    REQUIRE(core == psci_self());
    REQUIRE(request->highest != PSCI_LEVEL_CORE && request->highest <= psci.platform->topology->top_level);
    if (request->last_at < request->highest) {
        return PSCI_INVALID_PARAMETERS;
    }
    FOR_EACH_DOMAIN (domain, core, request->highest) {
        unsigned level = (unsigned)domain->level;

        lock(domain);
        bool others_run = psci_votes_at(domain->running, level) != psci_votes_at(own->running, level);
        bool too_deep = request->local[level] == PSCI_OFF && psci_votes_at(domain->retention, level) != 0;
        unlock(domain);
        if (others_run) {
            return PSCI_DENIED;
        }
        if (too_deep) {
            return PSCI_INVALID_PARAMETERS;
        }
        own = &domain->vote;
    }
    return PSCI_SUCCESS;
}

static void start_down(struct psci_domain *domain, enum psci_local_state local)
{
    REQUIRE(domain->local == PSCI_RUN && local != PSCI_RUN);
    domain->local = local;
    domain->down_ticks = arch_counter_ticks();
    if (local == PSCI_OFF) {
        arch_shared_store(&domain->wanted, false);
        arch_shared_store(&domain->state, PSCI_DOMAIN_GOING_DOWN);
    }
}

/* Goes up only as far as domains fall asleep: a core whose cluster stays on takes one lock. */
enum psci_level psci_coordinate_down(struct psci_core *core, const struct psci_request *request)
{
    enum psci_level last_man_of = PSCI_LEVEL_CORE;
    struct psci_domain *domain = core->domain;
    struct psci_vote *vote = &core->vote;
    struct psci_vote now = request->vote;

    REQUIRE(core == psci_self());
    REQUIRE(request->local[PSCI_LEVEL_CORE] != PSCI_RUN);
    for (;;) {
        lock(domain);
        cast(domain, vote, now);
        enum psci_local_state target = agreed(domain, (unsigned)domain->level);

        if (target > request->local[domain->level]) {
            target = request->local[domain->level];
        }
        if (target == PSCI_RUN) {
            break;
        }
        start_down(domain, target);
        last_man_of = target == PSCI_OFF ? domain->level : last_man_of;
        if (domain->parent == NULL) {
            break;
        }
        now = vote_of(domain);
        vote = &domain->vote;
        domain = domain->parent;
    }
    unlock_up_to(core, domain);
    return last_man_of;
}

static bool has_caches_to_flush(enum psci_core_state state)
{
    return state == PSCI_CORE_ON || state == PSCI_CORE_SUSPENDING;
}

/*
 * A core of the cluster that has voted may still be flushing. It takes no lock and waits for nobody until it has; one that
 * has come back waits for the last man and is in neither state.
 */
void psci_await_flushes(const struct psci_core *core)
{
    const struct psci_domain_shape *shape = &psci.platform->topology->shapes[core->domain - psci.domains];

    for (unsigned other = shape->first_core; other < (unsigned)shape->first_core + shape->cores; other++) {
        while (other != core->index && has_caches_to_flush(psci_core_state(&psci.cores[other]))) {
            arch_relax(&psci.cores[other].state);
        }
    }
}

/*
 * Caches off, only the last man writes these states. A core that has come in the meantime waits in GOING_DOWN: the domain
 * stays on for it, and so does everything above.
 */
enum psci_level psci_settle_down(const struct psci_core *core, enum psci_level last_man_of)
{
    enum psci_level goes_down = PSCI_LEVEL_CORE;

    REQUIRE(last_man_of != PSCI_LEVEL_CORE);
    FOR_EACH_DOMAIN (domain, core, last_man_of) {
        if (arch_shared_load(&domain->wanted) != 0) {
            break;
        }
        goes_down = domain->level;
    }
    return goes_down;
}

void psci_publish_down(const struct psci_core *core, enum psci_level last_man_of, enum psci_level goes_down)
{
    REQUIRE(last_man_of != PSCI_LEVEL_CORE && goes_down <= last_man_of);
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

/*
 * A domain that is on its way up or down by another core's hand, the highest first; NULL if none is. Those on their way
 * down are told that they are wanted. Above `top`, which is awake, a domain may still be coming up: a cluster that was
 * about to go down and stayed on can lie in a system that did go down.
 */
static struct psci_domain *find_in_transit(const struct psci_core *core, const struct psci_domain *top)
{
    struct psci_domain *found = NULL;

    for (struct psci_domain *domain = core->domain; domain != NULL; domain = domain->parent) {
        if (!is_in_transit(domain)) {
            continue;
        }
        found = domain;
        if (domain->level <= top->level) {
            arch_shared_store(&domain->wanted, true);
        }
    }
    return found;
}

/*
 * A domain that was to go off and stayed on for a core that came was never in the state: it does not count. Nor does the
 * time before a domain's first core was on.
 */
static void note_up(struct psci_domain *domain, bool was_down)
{
    REQUIRE(domain->local != PSCI_RUN);
    if ((was_down || domain->local == PSCI_RETENTION) && domain->down_ticks != 0) {
        domain->stat[domain->local].count++;
        domain->stat[domain->local].residency_ticks += arch_counter_ticks() - domain->down_ticks;
    }
    domain->local = PSCI_RUN;
}

/* Locks held, nothing in transit: claims every domain that is down. Returns the highest level claimed. */
static enum psci_level claim(const struct psci_core *core, const struct psci_domain *top)
{
    enum psci_level claimed = PSCI_LEVEL_CORE;

    FOR_EACH_DOMAIN (domain, core, top->level) {
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

/* Votes for running in every domain up to the first that is awake anyway; returns that one. All are locked. */
static struct psci_domain *vote_awake(struct psci_core *core)
{
    struct psci_domain *domain = core->domain;
    struct psci_vote *vote = &core->vote;

    for (;;) {
        lock(domain);
        cast(domain, vote, PSCI_VOTE_AWAKE);
        if (domain->local == PSCI_RUN || domain->parent == NULL) {
            return domain;
        }
        vote = &domain->vote;
        domain = domain->parent;
    }
}

/* Claims what is down; returns what must settle first, NULL when all is claimed. */
static struct psci_domain *try_up(struct psci_core *core, enum psci_level *claimed)
{
    struct psci_domain *top = vote_awake(core);
    struct psci_domain *in_transit = find_in_transit(core, top);

    if (in_transit == NULL) {
        *claimed = claim(core, top);
    }
    unlock_up_to(core, top);
    return in_transit;
}

void psci_coordinate_up(struct psci_core *core)
{
    enum psci_level claimed = PSCI_LEVEL_CORE;

    REQUIRE(core == psci_self());
    REQUIRE(core->vote.running != PSCI_VOTE_AWAKE.running);
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
