/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"

#include "psci.h"
#include "timeline.h"

#define NEVER UINT64_MAX
#define NO_TURN UINT32_MAX
#define NS_BASE 0x80000000ULL
#define NS_BYTES 0x10000000ULL

struct clockwork {
    uint64_t timer_ns;      /* the next interrupt of the core's timer */
    uint64_t call_ns;       /* still to be charged to the call that it is in */
    bool names_domains;     /* its call names a level above the core */
    bool comes_from_off;
    enum psci_level goes_down;
    bool holds_channel;
    unsigned turn;          /* when it may take the channel, where that is given */
    bool waits_for_turn;
};

uint64_t machine_transitions;

static unsigned awaited = HOST_NOBODY; /* the core that the lead waits for */

static const struct board *board;
static struct clockwork cores[HOST_MAX_CORES];
static uint16_t domain_of_core[PSCI_MAX_CORES];
static struct psci_domain_shape shapes[PSCI_MAX_DOMAINS];
static struct psci_topology topology;
static unsigned flushing[PSCI_MAX_DOMAINS]; /* cores of a cluster on their way to or in their flush */
static uint64_t noise_state;

/* The one channel to the power controller: who has it, and from when on it takes a message. */
static struct arch_lock channel;
static uint64_t channel_free_ns;
static uint64_t controller_free_ns;
static unsigned next_turn;

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static const struct board_class *class_of(unsigned core)
{
    return board_class_of_cluster(board, domain_of_core[core]);
}

uint64_t machine_mpidr(unsigned core)
{
    unsigned cluster = domain_of_core[core];

    return (uint64_t)cluster << 16 | (core - shapes[cluster].first_core);
}

unsigned machine_cluster(unsigned core)
{
    return domain_of_core[core];
}

unsigned machine_core_in_cluster(unsigned core)
{
    return core - shapes[domain_of_core[core]].first_core;
}

static int core_of_mpidr(uint64_t mpidr)
{
    uint64_t cluster = mpidr >> 16;
    uint64_t core = mpidr & 0xFFFFU;

    if (cluster >= board->clusters || core >= shapes[cluster].cores) {
        return -1;
    }
    return (int)(shapes[cluster].first_core + core);
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t noise(void)
{
    if (board->noise_ns == 0) {
        return 0;
    }
    noise_state += 0x9E3779B97F4A7C15ULL;

    uint64_t z = noise_state;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return (z ^ z >> 31) % (board->noise_ns + 1);
}

static uint64_t flush_ns(unsigned core, uint64_t level)
{
    const struct board_class *class = class_of(core);
    uint64_t own = level == PSCI_LEVEL_CORE && !board->flush_always_cluster ? class->flush_core_ns : class->flush_cluster_ns;

    return own + (flushing[domain_of_core[core]] > 1 ? class->flush_crowd_ns : 0) + noise();
}

static unsigned waiting_for(const struct arch_lock *lock)
{
    unsigned waiting = 0;

    for (uint32_t core = lock->queue_head; core != 0; core = host_cores[core - 1U].queue_next) {
        waiting++;
    }
    return waiting;
}

static uint64_t handover_ns(const struct arch_lock *lock)
{
    return board->lock_handover_ns + (board->lock_handover_core_ns != 0 ? board->lock_handover_core_ns * waiting_for(lock) : 0);
}

static uint64_t take_call_ns(unsigned core)
{
    uint64_t call_ns = cores[core].call_ns;

    cores[core].call_ns = 0;
    return call_ns;
}

/* A call's own cost lies between its first record and what comes next. */
static uint64_t counter_ns(unsigned core)
{
    struct clockwork *clockwork = &cores[core];

    if (clockwork->call_ns == NEVER) {
        clockwork->call_ns = class_of(core)->call_ns;
        return board->capture_ns;
    }
    return board->capture_ns + take_call_ns(core);
}

static uint64_t cost_ticks(unsigned core, enum host_operation operation, const void *object, uint64_t arg)
{
    switch (operation) {
    case HOST_COUNTER:
        return counter_ns(core);
    case HOST_LOCK_ACQUIRE:
        return board->lock_acquire_ns + board->lock_acquire_core_ns * board->cores;
    case HOST_LOCK_HANDOVER:
        return handover_ns(object);
    case HOST_SHARED_LOAD:
    case HOST_SHARED_STORE:
    case HOST_SHARED_COMPARE_SWAP:
        return board->shared_ns;
    case HOST_CACHE_POWER_DOWN:
        return flush_ns(core, arg);
    default:
        return 0;
    }
}

/* The swap goes to whoever comes first: chance, but the same chance in every run. */
static unsigned heir(const struct arch_lock *lock)
{
    if (board->lock != BOARD_LOCK_SWAP || lock == &channel) {
        return 0;
    }
    noise_state = noise_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)((noise_state >> 33) % waiting_for(lock));
}

static void runnable(unsigned core)
{
    timeline_add(core, host_cores[core].now_ticks);
}

static void asleep(unsigned core)
{
    if (cores[core].timer_ns != NEVER) {
        timeline_add(core, later(cores[core].timer_ns, host_cores[core].now_ticks));
    }
}

/* A timer has fired. A controller that wakes one core after the other comes to this one when it has done with those before. */
static void fire(unsigned core, uint64_t time_ns)
{
    uint64_t begun_ns = time_ns;

    timeline_drop_first();
    if (host_cores[core].wait == HOST_SUSPENDED) {
        begun_ns = later(time_ns, controller_free_ns);
        controller_free_ns = begun_ns + board->wake_each_ns;
        begun_ns += board->wake_ns;
    }
    cores[core].timer_ns = NEVER;
    host_cores[core].interrupt = true;
    host_set_running(core, begun_ns);
}

/* An order that cannot be served: who has the turn waits for a lock that one of those holds who wait for it. They go on as they came. */
static bool give_up_turns(void)
{
    bool waited = false;

    for (unsigned core = 0; core < board->cores; core++) {
        cores[core].turn = NO_TURN;
        if (cores[core].waits_for_turn) {
            cores[core].waits_for_turn = false;
            host_set_running(core, 0);
            waited = true;
        }
    }
    return waited;
}

static unsigned next(unsigned current)
{
    bool goes_on = current != HOST_NOBODY && host_runs(current);

    for (;;) {
        uint64_t time_ns = 0;
        unsigned first = timeline_first(&time_ns);

        if (first == HOST_NOBODY) {
            if (goes_on) {
                return current;
            }
            if (give_up_turns()) {
                continue;
            }
            return HOST_NOBODY;
        }
        if (goes_on) {
            uint64_t now_ns = host_cores[current].now_ticks;

            if (now_ns < time_ns || (now_ns == time_ns && current < first)) {
                return current;
            }
        }
        if (!host_runs(first)) {
            fire(first, time_ns);
            continue;
        }
        if (goes_on) {
            timeline_replace_first(current, host_cores[current].now_ticks);
        } else {
            timeline_drop_first();
        }
        return first;
    }
}

static bool is_ns_memory(uint64_t address, uint64_t bytes)
{
    return address >= NS_BASE && bytes <= NS_BYTES && address - NS_BASE <= NS_BYTES - bytes;
}

static bool core_on(unsigned core)
{
    host_point(HOST_PLATFORM, NULL, 0);
    cores[core].comes_from_off = true;
    cores[core].names_domains = true;
    if (host_cores[core].wait == HOST_OFF) {
        host_cores[core].now_ticks = later(host_cores[core].now_ticks, machine_now_ns()) + board->wake_ns;
    }
    host_switch_on(core);
    return true;
}

static void core_prepare_down(unsigned core, bool for_off)
{
    const struct board_class *class = class_of(core);

    cores[core].names_domains = cores[core].names_domains || for_off;
    flushing[domain_of_core[core]]++;
    host_spend(class->entry_ns + (cores[core].names_domains ? class->entry_deep_ns : 0) + noise());
    host_point(HOST_PLATFORM, NULL, 0);
}

/* On a board who waits when the channel becomes free is served by chance; which it was is known of what is to be predicted. */
static void await_turn(void)
{
    struct clockwork *own = &cores[host_self()];

    if (own->turn == NO_TURN) {
        return;
    }
    if (own->turn != next_turn) {
        own->waits_for_turn = true;
        host_block(HOST_IN_PLATFORM);
    }
    if (own->turn == NO_TURN) {
        return;
    }
    own->turn = NO_TURN;
    next_turn++;
    for (unsigned core = 0; core < board->cores; core++) {
        if (cores[core].waits_for_turn && cores[core].turn == next_turn) {
            cores[core].waits_for_turn = false;
            host_set_running(core, machine_now_ns());
        }
    }
}

static void take_channel(void)
{
    await_turn();
    if (channel.holder != 0) {
        if (channel.queue_head == 0) {
            channel.queue_head = host_self() + 1U;
        } else {
            host_cores[channel.queue_tail - 1U].queue_next = host_self() + 1U;
        }
        channel.queue_tail = host_self() + 1U;
        host_cores[host_self()].queue_next = 0;
        host_block(HOST_IN_PLATFORM);
        return;
    }
    channel.holder = host_self() + 1U;
    machine_sleep_until_ns(channel_free_ns);
}

static void power_message(unsigned core, enum psci_level level)
{
    flushing[domain_of_core[core]]--;
    cores[core].goes_down = level;
    host_point(HOST_PLATFORM, NULL, 0);
    if (board->channel == BOARD_CHANNEL_SHARED) {
        take_channel();
        cores[core].holds_channel = true;
    }
    host_spend(board->message_ns + noise());
    host_point(HOST_PLATFORM, NULL, 0);
    host_release_kept();
}

/* The controller sees the core in WFI, takes it down, and only then looks at the channel again. */
static void free_channel(unsigned core, bool for_off)
{
    uint64_t cluster_ns = cores[core].goes_down != PSCI_LEVEL_CORE ? board->busy_cluster_ns : 0;

    cores[core].holds_channel = false;
    channel_free_ns = machine_now_ns() + board->busy_core_ns + cluster_ns + (for_off ? board->busy_off_ns : 0);
    channel.holder = channel.queue_head;
    if (channel.holder != 0) {
        channel.queue_head = host_cores[channel.holder - 1U].queue_next;
        host_set_running(channel.holder - 1U, channel_free_ns);
    }
}

static void __attribute__((noreturn)) power_down(unsigned core, bool for_off)
{
    host_point(HOST_PLATFORM, NULL, 0);
    if (cores[core].holds_channel) {
        free_channel(core, for_off);
    }
    machine_transitions++;
    if (for_off && awaited == core && host_cores[board->lead].wait == HOST_IN_PLATFORM) {
        awaited = HOST_NOBODY;
        host_set_running(board->lead, machine_now_ns());
    }
    host_power_down(core, for_off);
}

static void domain_up(unsigned domain)
{
    const struct board_class *class = class_of(host_self());

    host_spend((shapes[domain].level == 1 ? class->cluster_up_ns : class->system_up_ns) + noise());
}

static void core_up(unsigned core)
{
    const struct board_class *class = class_of(core);

    host_spend(class->exit_ns + (cores[core].names_domains ? class->exit_deep_ns : 0) +
               (cores[core].comes_from_off ? class->exit_on_ns : 0) + noise());
    cores[core].comes_from_off = false;
    cores[core].names_domains = false;
}

static void __attribute__((noreturn)) system_ends(void)
{
    host_fail("ends the system");
}

static void __attribute__((noreturn)) system_reset(bool alone)
{
    (void)alone;
    system_ends();
}

static bool mem_protect(bool enable)
{
    return enable;
}

static struct psci_platform platform = {
    .topology = &topology,
    .default_suspend_state = 0x00010002,
    .system_suspend_state = 0x02012222,
    .core_of_mpidr = core_of_mpidr,
    .mpidr_of_core = machine_mpidr,
    .is_ns_memory = is_ns_memory,
    .core_on = core_on,
    .core_prepare_down = core_prepare_down,
    .power_message = power_message,
    .power_down = power_down,
    .domain_up = domain_up,
    .core_up = core_up,
    .system_off = system_ends,
    .system_reset = system_reset,
    .mem_protect = mem_protect,
};

static void build_topology(void)
{
    unsigned first = 0;

    for (unsigned cluster = 0; cluster < board->clusters; cluster++) {
        shapes[cluster] = (struct psci_domain_shape){
            .level = (enum psci_level)1,
            .parent = (uint16_t)board->clusters,
            .first_core = (uint16_t)first,
            .cores = board->cluster_cores[cluster],
        };
        for (unsigned core = 0; core < board->cluster_cores[cluster]; core++) {
            domain_of_core[first++] = (uint16_t)cluster;
        }
    }
    shapes[board->clusters] = (struct psci_domain_shape){
        .level = (enum psci_level)2, .parent = PSCI_NO_DOMAIN, .first_core = 0, .cores = (uint16_t)board->cores
    };
    topology = (struct psci_topology){
        .cores = (uint16_t)board->cores,
        .domains = (uint16_t)(board->clusters + 1U),
        .top_level = (enum psci_level)2,
        .domain_of_core = domain_of_core,
        .shapes = shapes,
    };
}

void machine_init(const struct board *described, void (*normal_world)(unsigned core, uint64_t context_id))
{
    const struct host_machine machine = {
        .cores = described->cores,
        .hz = 1000000000,
        .next = next,
        .cost_ticks = cost_ticks,
        .runnable = runnable,
        .asleep = asleep,
        .heir = heir,
        .normal_world = normal_world,
    };

    board = described;
    noise_state = board->seed;
    channel = (struct arch_lock){ 0 };
    channel_free_ns = 0;
    next_turn = 0;
    controller_free_ns = 0;
    awaited = HOST_NOBODY;
    build_topology();
    for (unsigned cluster = 0; cluster < board->clusters; cluster++) {
        flushing[cluster] = 0;
    }
    for (unsigned core = 0; core < board->cores; core++) {
        cores[core] = (struct clockwork){ .timer_ns = NEVER, .turn = NO_TURN };
    }
    timeline_clear();
    host_init(&machine, board->lead);
    psci_init(&platform, board->lead);
    timeline_add(board->lead, host_cores[board->lead].now_ticks);
}

uint64_t machine_now_ns(void)
{
    return host_cores[host_self()].now_ticks;
}

void machine_sleep_until_ns(uint64_t time_ns)
{
    if (time_ns > machine_now_ns()) {
        host_spend(time_ns - machine_now_ns());
    }
    host_point(HOST_PLATFORM, NULL, 0);
}

void machine_set_turns(const unsigned *order, unsigned count)
{
    next_turn = 0;
    for (unsigned turn = 0; turn < count; turn++) {
        cores[order[turn]].turn = turn;
    }
}

void machine_wait_off(unsigned core)
{
    host_point(HOST_PLATFORM, NULL, 0);
    if (host_cores[core].wait != HOST_OFF) {
        awaited = core;
        host_block(HOST_IN_PLATFORM);
    }
}

void machine_set_timer_ns(uint64_t time_ns)
{
    cores[host_self()].timer_ns = time_ns;
}

static bool names_domains(const struct smc_frame *frame)
{
    const uint32_t level_bits = 3U << 24;
    uint32_t id = (uint32_t)frame->x[0];

    return id == PSCI_CPU_OFF || ((id & ~0x40000000U) == PSCI_CPU_SUSPEND && (frame->x[1] & level_bits) != 0);
}

enum host_outcome machine_smc(struct smc_frame *frame)
{
    unsigned core = host_self();

    cores[core].names_domains = names_domains(frame);
    cores[core].call_ns = NEVER;
    if (board->scope == BOARD_SCOPE_TRANSITION && cores[core].names_domains) {
        host_keep_locks();
    }
    enum host_outcome outcome = host_smc(frame);

    cores[core].call_ns = 0;
    return outcome;
}
