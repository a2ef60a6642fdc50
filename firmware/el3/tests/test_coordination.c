/* SPDX-License-Identifier: BSD-3-Clause */
/* Which domains go down and come up, against models that do not know how the votes are kept. */
#include "fake_platform.h"
#include "harness.h"
#include "psci_private.h"

#define STEPS 20000U

/* What each core has asked for; all zero is running. */
static unsigned asked[PSCI_MAX_CORES][PSCI_LEVELS];
static bool is_down[PSCI_MAX_CORES];
static bool is_off[PSCI_MAX_CORES];
static unsigned sleeps[PSCI_MAX_DOMAINS]; /* the state that each domain is in */
static uint64_t slept[PSCI_MAX_DOMAINS][PSCI_LOCAL_STATES];
static unsigned ups[PSCI_MAX_DOMAINS];
static bool was_ever_up[PSCI_MAX_DOMAINS];
static bool os_initiated;

static const struct fake_shape shapes[] = {
    { .clusters = 2, .cores = { 2, 4 } },
    { .clusters = 1, .cores = { 3 }, .no_system = true },
    { .clusters = 4, .cores = { 1, 2, 2, 1 }, .clusters_per_group = 2 },
    { .clusters = 4, .cores = { 1, 1, 1, 1 } },
};

static void init(const struct fake_shape *shape)
{
    fake_init(shape, NULL);
    os_initiated = false;
    for (unsigned core = 0; core < PSCI_MAX_CORES; core++) {
        is_down[core] = core != 0;
        is_off[core] = core != 0;
        for (unsigned level = 0; level < PSCI_LEVELS; level++) {
            asked[core][level] = core != 0 ? PSCI_OFF : PSCI_RUN;
        }
    }
    for (unsigned domain = 0; domain < PSCI_MAX_DOMAINS; domain++) {
        sleeps[domain] = domain < fake_topology->domains && fake_topology->shapes[domain].first_core == 0 ? PSCI_RUN : PSCI_OFF;
        slept[domain][PSCI_OFF] = slept[domain][PSCI_RETENTION] = 0;
        ups[domain] = 0;
        was_ever_up[domain] = sleeps[domain] == PSCI_RUN;
    }
}

static unsigned domain_over(unsigned core, unsigned level)
{
    unsigned domain = fake_topology->domain_of_core[core];

    while ((unsigned)fake_topology->shapes[domain].level != level) {
        domain = fake_topology->shapes[domain].parent;
    }
    return domain;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Platform-coordinated: the shallowest state that any core in the domain has asked for at its level. */
static unsigned agreed_by_cores(unsigned domain)
{
    const struct psci_domain_shape *shape = &fake_topology->shapes[domain];
    unsigned agreed = PSCI_OFF;

    for (unsigned core = shape->first_core; core < (unsigned)shape->first_core + shape->cores; core++) {
        agreed = least(agreed, asked[core][shape->level]);
    }
    return agreed;
}

/* OS-initiated: no deeper than any child sleeps; `except` is the child that asks. */
static unsigned agreed_by_children(unsigned domain, unsigned except_core, unsigned except_domain)
{
    const struct psci_domain_shape *shape = &fake_topology->shapes[domain];
    unsigned agreed = PSCI_OFF;

    if (shape->level == 1) {
        for (unsigned core = shape->first_core; core < (unsigned)shape->first_core + shape->cores; core++) {
            agreed = core == except_core ? agreed : least(agreed, asked[core][PSCI_LEVEL_CORE]);
        }
        return agreed;
    }
    for (unsigned child = 0; child < fake_topology->domains; child++) {
        if (fake_topology->shapes[child].parent == domain && child != except_domain) {
            agreed = least(agreed, sleeps[child] == PSCI_RUN ? PSCI_RUN : PSCI_OFF);
        }
    }
    return agreed;
}

static int64_t os_initiated_verdict(unsigned core, const struct psci_request *request)
{
    unsigned below = PSCI_NO_DOMAIN;

    if (request->highest == PSCI_LEVEL_CORE) {
        return PSCI_SUCCESS;
    }
    if (request->last_at < request->highest) {
        return PSCI_INVALID_PARAMETERS;
    }
    for (unsigned level = 1; level <= (unsigned)request->highest; level++) {
        unsigned domain = domain_over(core, level);

        if (agreed_by_children(domain, core, below) == PSCI_RUN) {
            return PSCI_DENIED;
        }
        below = domain;
    }
    return PSCI_SUCCESS;
}

/* Lets the model's domains fall asleep; returns the highest level that goes off. */
static unsigned model_down(unsigned core, const unsigned *request)
{
    unsigned goes_off = 0;

    for (unsigned level = 0; level < PSCI_LEVELS; level++) {
        asked[core][level] = request[level];
    }
    for (unsigned level = 1; level <= (unsigned)fake_topology->top_level; level++) {
        unsigned domain = domain_over(core, level);
        unsigned target = os_initiated ? least(request[level], agreed_by_children(domain, PSCI_MAX_CORES, PSCI_NO_DOMAIN)) :
                                         agreed_by_cores(domain);

        if (target == PSCI_RUN) {
            break;
        }
        sleeps[domain] = target;
        goes_off = target == PSCI_OFF ? level : goes_off;
    }
    return goes_off;
}

static void model_up(unsigned core)
{
    for (unsigned level = 0; level < PSCI_LEVELS; level++) {
        asked[core][level] = PSCI_RUN;
    }
    for (unsigned level = 1; level <= (unsigned)fake_topology->top_level; level++) {
        unsigned domain = domain_over(core, level);

        if (sleeps[domain] == PSCI_RUN) {
            continue;
        }
        ups[domain] += sleeps[domain] == PSCI_OFF;
        slept[domain][sleeps[domain]] += was_ever_up[domain];
        was_ever_up[domain] = true;
        sleeps[domain] = PSCI_RUN;
    }
    is_down[core] = false;
    is_off[core] = false;
}

static void check_domain(unsigned domain)
{
    static const int64_t hw_states[] = { 0, 2, 1 };
    const struct psci_domain_shape *shape = &fake_topology->shapes[domain];
    bool any_on = false;

    for (unsigned core = shape->first_core; core < (unsigned)shape->first_core + shape->cores; core++) {
        any_on = any_on || !is_off[core];
    }
    uint64_t mpidr = fake_mpidr(shape->first_core);

    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), mpidr, shape->level, 0), any_on ? 0 : 1);
    CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_NODE_HW_STATE), mpidr, shape->level, 0), hw_states[sleeps[domain]]);
    CHECK_EQUAL(fake_seen.domain_ups[domain], ups[domain]);
    CHECK_EQUAL(psci.domains[domain].stat[PSCI_OFF].count, slept[domain][PSCI_OFF]);
    CHECK_EQUAL(psci.domains[domain].stat[PSCI_RETENTION].count, slept[domain][PSCI_RETENTION]);
}

static unsigned pick(bool down)
{
    unsigned core;

    do {
        core = (unsigned)(harness_random() % fake_topology->cores);
    } while (is_down[core] != down);
    return core;
}

static unsigned count_down(void)
{
    unsigned count = 0;

    for (unsigned core = 0; core < fake_topology->cores; core++) {
        count += is_down[core];
    }
    return count;
}

/* Powered down at level 0, any valid states above it. */
static uint32_t random_power_state(void)
{
    unsigned top = least((unsigned)fake_topology->top_level, 2);
    unsigned highest = (unsigned)(harness_random() % (top + 1U));
    unsigned deepest = PSCI_OFF;
    uint32_t value = highest << 24 | 1U << 16 | PSCI_OFF;

    for (unsigned level = 1; level <= highest; level++) {
        deepest = 1U + (unsigned)(harness_random() % deepest);
        value |= deepest << (4 * level);
    }
    return value | (uint32_t)(harness_random() % (top + 1U)) << 12;
}

static void step_down(void)
{
    static const unsigned off[PSCI_LEVELS] = { PSCI_OFF, PSCI_OFF, PSCI_OFF, PSCI_OFF };
    unsigned core = pick(false);
    unsigned messages = fake_seen.messages;
    unsigned goes_off;

    host_become(core);
    if (harness_random() % 4 == 0) {
        CHECK_EQUAL(fake_call(PSCI_CPU_OFF, 0, 0, 0, NULL), HOST_DOWN);
        goes_off = model_down(core, off);
        is_off[core] = true;
    } else {
        struct psci_request request = { 0 };
        unsigned local[PSCI_LEVELS];
        uint32_t power_state = random_power_state();
        int64_t result = 0;

        CHECK(psci_decode_power_state(power_state, &request));
        int64_t verdict = os_initiated ? os_initiated_verdict(core, &request) : PSCI_SUCCESS;
        enum host_outcome outcome = fake_call(PSCI_ID_64(PSCI_CPU_SUSPEND), power_state, FAKE_ENTRY, core, &result);

        CHECK_EQUAL(outcome, verdict == PSCI_SUCCESS ? HOST_DOWN : HOST_RETURNED);
        if (verdict != PSCI_SUCCESS) {
            CHECK_EQUAL(result, verdict);
            return;
        }
        for (unsigned level = 0; level < PSCI_LEVELS; level++) {
            local[level] = (unsigned)request.local[level];
        }
        goes_off = model_down(core, local);
    }
    is_down[core] = true;
    CHECK_EQUAL(fake_seen.messages, messages + 1U);
    CHECK_EQUAL(fake_seen.last_message, goes_off);
}

static void step_up(void)
{
    unsigned core = pick(true);

    if (is_off[core]) {
        if (count_down() == fake_topology->cores) {
            return;
        }
        host_become(pick(false));
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_CPU_ON), fake_mpidr(core), FAKE_ENTRY + 4, core), PSCI_SUCCESS);
        CHECK_EQUAL(fake_returns(PSCI_ID_64(PSCI_AFFINITY_INFO), fake_mpidr(core), 0, 0), PSCI_CORE_ON_PENDING);
    }
    bool was_off = is_off[core];
    struct psci_entry entry = host_warm_boot(core);

    CHECK_EQUAL(entry.address, was_off ? FAKE_ENTRY + 4 : FAKE_ENTRY);
    CHECK_EQUAL(entry.context_id, core);
    model_up(core);
}

static bool all_down_are_off(void)
{
    for (unsigned core = 0; core < fake_topology->cores; core++) {
        if (is_down[core] && !is_off[core]) {
            return false;
        }
    }
    return true;
}

/* The last core that sleeps must be one that can be woken without another's help. */
static bool may_go_down(void)
{
    return count_down() < fake_topology->cores - 1U;
}

static void walk(const struct fake_shape *shape)
{
    init(shape);
    for (unsigned step = 0; step < STEPS; step++) {
        if (count_down() == fake_topology->cores || (count_down() != 0 && harness_random() % 2 == 0)) {
            step_up();
        } else if (may_go_down() || !all_down_are_off()) {
            step_down();
        }
        if (count_down() == fake_topology->cores) {
            if (all_down_are_off()) {
                return;
            }
            continue;
        }
        host_become(pick(false));
        for (unsigned domain = 0; domain < fake_topology->domains; domain++) {
            check_domain(domain);
        }
    }
}

TEST(platform_coordinated_domains_go_as_deep_as_every_core_in_them_allows)
{
    for (unsigned shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++) {
        walk(&shapes[shape]);
    }
}

static void walk_os_initiated(const struct fake_shape *shape)
{
    init(shape);
    CHECK_EQUAL(fake_returns(PSCI_SET_SUSPEND_MODE, 1, 0, 0), PSCI_SUCCESS);
    os_initiated = true;
    for (unsigned step = 0; step < STEPS; step++) {
        if (count_down() == fake_topology->cores || (count_down() != 0 && harness_random() % 2 == 0)) {
            step_up();
        } else if (may_go_down() || !all_down_are_off()) {
            step_down();
        }
        if (count_down() == fake_topology->cores && all_down_are_off()) {
            return;
        }
    }
}

TEST(os_initiated_domains_go_where_the_last_core_sends_them_and_no_other_core_may)
{
    for (unsigned shape = 0; shape < sizeof(shapes) / sizeof(shapes[0]); shape++) {
        walk_os_initiated(&shapes[shape]);
    }
}
