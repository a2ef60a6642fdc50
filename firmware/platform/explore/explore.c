/*
 * latlab_explore: every interleaving of a small system, or random walks through a large one.
 *   latlab_explore [--transition] [--os-initiated] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS
 * Depth first over snapshots of the whole machine; a state that has been seen is not gone into again (64-bit hashes).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_private.h"
#include "psci_private.h"
#include "system.h"

#define MOST_DEPTH 4096U
#define MOST_CHOICES (2U * PSCI_MAX_CORES)
#define STACK_KEPT 4096U
#define TABLE_BITS 26U
#define UNBOUNDED UINT32_MAX

struct snapshot {
    struct psci_state psci;
    struct system_state system;
    struct host_core cores[PSCI_MAX_CORES];
    struct host_list watchers;
    struct host_list waiters;
    uint64_t events;
    uint8_t stacks[PSCI_MAX_CORES][STACK_KEPT];
};

struct frame {
    struct snapshot *snapshot;
    unsigned choices[MOST_CHOICES];
    unsigned count;
    unsigned taken;
    unsigned last;        /* the core that ran */
    unsigned preemptions; /* how often another core ran although it could have gone on */
};

static struct system_setup setup;
static struct frame frames[MOST_DEPTH];
static unsigned depth;
static uint64_t *table;
static uint64_t states;
static uint64_t steps;
static uint64_t rests;
static unsigned most_preemptions = UNBOUNDED;
static uint64_t most_states = 1ULL << (TABLE_BITS - 1U);

static uint8_t *used_stack(unsigned core, size_t *bytes)
{
    size_t all;
    uint8_t *stack = host_stack(core, &all);
    uint8_t *pointer = host_cores[core].coroutine.stack_pointer;

    *bytes = (size_t)(stack + all - pointer);
    if (*bytes > STACK_KEPT) {
        fprintf(stderr, "core %u uses %zu bytes of stack, more than a snapshot keeps\n", core, *bytes);
        exit(2);
    }
    return pointer;
}

static void save(struct snapshot *snapshot)
{
    size_t bytes;

    memcpy(&snapshot->psci, &psci, sizeof(psci));
    memcpy(&snapshot->system, &system_state, sizeof(system_state));
    memcpy(snapshot->cores, host_cores, setup.cores * sizeof(host_cores[0]));
    snapshot->watchers = host_watchers;
    snapshot->waiters = host_waiters;
    snapshot->events = host_events;
    for (unsigned core = 0; core < setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(snapshot->stacks[core], stack, bytes);
    }
}

static void restore(const struct snapshot *snapshot)
{
    size_t bytes;

    memcpy(&psci, &snapshot->psci, sizeof(psci));
    memcpy(&system_state, &snapshot->system, sizeof(system_state));
    memcpy(host_cores, snapshot->cores, setup.cores * sizeof(host_cores[0]));
    host_watchers = snapshot->watchers;
    host_waiters = snapshot->waiters;
    host_events = snapshot->events;
    for (unsigned core = 0; core < setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(stack, snapshot->stacks[core], bytes);
    }
}

/* False where the state has been seen. */
static bool is_new(uint64_t hash)
{
    uint64_t mask = (1ULL << TABLE_BITS) - 1U;
    uint64_t at = hash & mask;

    hash |= hash == 0;
    while (table[at] != 0) {
        if (table[at] == hash) {
            return false;
        }
        at = (at + 1U) & mask;
    }
    table[at] = hash;
    states++;
    return true;
}

/* The timeline of a counterexample: made again from its choices, with what each step was about to do. */
static void print_timeline(const unsigned *choices, unsigned count)
{
    char text[128];

    system_start(&setup);
    for (unsigned i = 0; i < count; i++) {
        printf("%4u  %s\n", i, system_describe(choices[i], text, sizeof(text)));
        if (!system_step(choices[i])) {
            printf("      BROKEN: %s\n", system_fault());
            return;
        }
    }
    printf("      %s\n", system_rest_fault() != NULL ? system_rest_fault() : "no rule is broken");
}

static int report(const char *what, const unsigned *choices, unsigned count)
{
    char sentence[256];

    snprintf(sentence, sizeof(sentence), "%s", what);
    print_timeline(choices, count);
    printf("violation: %s\nreplay:", sentence);
    for (unsigned i = 0; i < count; i++) {
        printf("%c%u", i == 0 ? ' ' : ',', choices[i]);
    }
    printf("\n");
    return 1;
}

static int report_path(const char *what)
{
    static unsigned path[MOST_DEPTH];

    for (unsigned i = 0; i < depth; i++) {
        path[i] = frames[i].choices[frames[i].taken - 1U];
    }
    return report(what, path, depth);
}

/* Looks at the state that has just been reached; goes on into it where it is new. */
static const char *enter(unsigned last, unsigned preemptions)
{
    uint64_t hash = system_hash();

    /* With a bound, what can follow depends on who ran and on what is left of the bound. */
    if (most_preemptions != UNBOUNDED) {
        hash = (hash ^ ((uint64_t)last << 32 | preemptions)) * 0x9E3779B97F4A7C15ULL;
    }
    if (!is_new(hash)) {
        return NULL;
    }
    if (depth == MOST_DEPTH) {
        fprintf(stderr, "a path of more than %u steps; shorten the programs\n", MOST_DEPTH);
        exit(2);
    }
    struct frame *frame = &frames[depth];

    frame->count = system_choices(frame->choices);
    frame->taken = 0;
    frame->last = last;
    frame->preemptions = preemptions;
    if (frame->count == 0) {
        rests++;
        return system_rest_fault();
    }
    if (frame->snapshot == NULL && (frame->snapshot = malloc(sizeof(*frame->snapshot))) == NULL) {
        fputs("no memory for a snapshot\n", stderr);
        exit(2);
    }
    save(frame->snapshot);
    depth++;
    return NULL;
}

static void print_counts(const char *verdict)
{
    printf("%s: %llu states, %llu steps, %llu ends\n", verdict, (unsigned long long)states, (unsigned long long)steps,
           (unsigned long long)rests);
}

/* An interrupt is nobody's preemption. */
static bool is_preemption(const struct frame *frame, unsigned choice)
{
    if (choice >= setup.cores || choice == frame->last) {
        return false;
    }
    for (unsigned i = 0; i < frame->count; i++) {
        if (frame->choices[i] == frame->last) {
            return true;
        }
    }
    return false;
}

static int explore(void)
{
    table = calloc(1ULL << TABLE_BITS, sizeof(*table));
    if (table == NULL) {
        fputs("no memory for the table of states\n", stderr);
        return 2;
    }
    system_start(&setup);
    enter(setup.cores, 0);
    while (depth != 0) {
        struct frame *frame = &frames[depth - 1U];

        if (frame->taken == frame->count) {
            depth--;
            continue;
        }
        unsigned choice = frame->choices[frame->taken++];
        unsigned preemptions = frame->preemptions + is_preemption(frame, choice);

        if (preemptions > most_preemptions) {
            continue;
        }
        restore(frame->snapshot);
        steps++;
        const char *fault = system_step(choice) ? enter(choice < setup.cores ? choice : frame->last, preemptions) : system_fault();

        if (fault != NULL) {
            print_counts("broken");
            return report_path(fault);
        }
        if (states > most_states) {
            print_counts("not finished");
            return 3;
        }
    }
    print_counts(most_preemptions == UNBOUNDED ? "every interleaving keeps the rules" : "every interleaving within the bound keeps the rules");
    return 0;
}

static uint64_t random_state;

static uint64_t random_number(void)
{
    random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
    return random_state >> 33;
}

static int walk(void)
{
    static unsigned path[1U << 16];
    unsigned choices[MOST_CHOICES];
    unsigned length = 0;
    unsigned count;

    system_start(&setup);
    while ((count = system_choices(choices)) != 0) {
        unsigned choice = choices[random_number() % count];

        path[length++] = choice;
        steps++;
        if (!system_step(choice)) {
            return report(system_fault(), path, length);
        }
        if (length == sizeof(path) / sizeof(path[0])) {
            return report("a walk does not end", path, length);
        }
    }
    rests++;
    return system_rest_fault() != NULL ? report(system_rest_fault(), path, length) : 0;
}

static int replay(char *text)
{
    static unsigned path[1U << 16];
    unsigned length = 0;

    for (char *word = strtok(text, ","); word != NULL && length < sizeof(path) / sizeof(path[0]); word = strtok(NULL, ",")) {
        path[length++] = (unsigned)strtoul(word, NULL, 10);
    }
    print_timeline(path, length);
    return 0;
}

static int usage(void)
{
    fputs("usage: latlab_explore [--transition] [--os-initiated] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    bool transition = false;
    bool os_initiated = false;
    unsigned long walks = 0;
    char *choices = NULL;
    int at = 1;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--transition") == 0) {
            transition = true;
        } else if (strcmp(argv[at], "--os-initiated") == 0) {
            os_initiated = true;
        } else if (strcmp(argv[at], "--walks") == 0 && at + 2 < argc) {
            walks = strtoul(argv[++at], NULL, 10);
            random_state = strtoull(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--replay") == 0 && at + 1 < argc) {
            choices = argv[++at];
        } else if (strcmp(argv[at], "--preemptions") == 0 && at + 1 < argc) {
            most_preemptions = (unsigned)strtoul(argv[++at], NULL, 10);
        } else if (strcmp(argv[at], "--most") == 0 && at + 1 < argc) {
            most_states = strtoull(argv[++at], NULL, 10);
        } else {
            return usage();
        }
    }
    if (argc - at != 2 || most_states > 1ULL << (TABLE_BITS - 1U) || !system_parse(&setup, argv[at], argv[at + 1])) {
        return usage();
    }
    setup.transition_scope = transition;
    setup.os_initiated = os_initiated;
    if (choices != NULL) {
        return replay(choices);
    }
    for (unsigned long i = 0; i < walks; i++) {
        int broken = walk();

        if (broken != 0) {
            return broken;
        }
    }
    if (walks != 0) {
        print_counts("every walk keeps the rules");
        return 0;
    }
    return explore();
}
