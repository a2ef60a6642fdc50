/*
 * latlab_explore: every interleaving of a small system, or random walks through a large one.
 *   latlab_explore [--transition] [--os-initiated] [--every-access] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS
 * Depth first over snapshots of the whole machine; a state that has been seen is not gone into again (64-bit hashes).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_private.h"
#include "psci_private.h"
#include "system.h"
#include "timeline.h"

#define MOST_DEPTH 4096U
#define STACK_KEPT 4096U
#define FIRST_ENTRIES (1ULL << 16)
#define MOST_STATES 300000000ULL /* 4 GiB of table */
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
    unsigned choices[SYSTEM_MOST_CHOICES];
    unsigned count;
    unsigned taken;
    unsigned last;        /* the core that ran */
    unsigned preemptions; /* how often another core ran although it could have gone on */
};

static struct frame frames[MOST_DEPTH];
static unsigned depth;
static bool is_elsewhere; /* the machine is not in the state of the last frame */
static uint64_t *table;
static uint64_t table_entries;
static uint64_t states;
static uint64_t steps;
static uint64_t rests;
static uint64_t rests_hash; /* of them all, whatever their order */
static unsigned most_preemptions = UNBOUNDED;
static uint64_t most_states = MOST_STATES;

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

static void copy_psci(struct psci_state *to, const struct psci_state *from)
{
    memcpy(to, from, offsetof(struct psci_state, cores) + system_setup.cores * sizeof(from->cores[0]));
    memcpy(to->domains, from->domains, system_topology.domains * sizeof(from->domains[0]));
}

static void save(struct snapshot *snapshot)
{
    size_t bytes;

    copy_psci(&snapshot->psci, &psci);
    snapshot->system = system_state;
    memcpy(snapshot->cores, host_cores, system_setup.cores * sizeof(host_cores[0]));
    snapshot->watchers = host_watchers;
    snapshot->waiters = host_waiters;
    snapshot->events = host_events;
    for (unsigned core = 0; core < system_setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(snapshot->stacks[core], stack, bytes);
    }
}

static void restore(const struct snapshot *snapshot)
{
    size_t bytes;

    copy_psci(&psci, &snapshot->psci);
    system_state = snapshot->system;
    memcpy(host_cores, snapshot->cores, system_setup.cores * sizeof(host_cores[0]));
    host_watchers = snapshot->watchers;
    host_waiters = snapshot->waiters;
    host_events = snapshot->events;
    for (unsigned core = 0; core < system_setup.cores; core++) {
        uint8_t *stack = used_stack(core, &bytes);

        memcpy(stack, snapshot->stacks[core], bytes);
    }
}

/* False where it is there already. */
static bool insert(uint64_t hash)
{
    uint64_t mask = table_entries - 1U;
    uint64_t at = hash & mask;

    while (table[at] != 0) {
        if (table[at] == hash) {
            return false;
        }
        at = (at + 1U) & mask;
    }
    table[at] = hash;
    return true;
}

static void grow_table(void)
{
    uint64_t *old = table;
    uint64_t old_entries = table_entries;

    table_entries = old == NULL ? FIRST_ENTRIES : 2U * old_entries;
    table = calloc(table_entries, sizeof(*table));
    if (table == NULL) {
        fprintf(stderr, "no memory for a table of %llu states\n", (unsigned long long)table_entries);
        exit(2);
    }
    for (uint64_t i = 0; i < old_entries; i++) {
        if (old[i] != 0) {
            insert(old[i]);
        }
    }
    free(old);
}

/* False where the state has been seen. */
static bool is_new(uint64_t hash)
{
    if (4U * states >= 3U * table_entries) {
        grow_table();
    }
    bool fresh = insert(hash | (hash == 0));

    states += fresh;
    return fresh;
}

static int report(const char *what, const unsigned *choices, unsigned count)
{
    char sentence[256];

    snprintf(sentence, sizeof(sentence), "%s", what);
    timeline_print(choices, count);
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
    uint64_t state = system_hash();
    uint64_t hash = state;

    /* With a bound, what can follow depends on who ran and on what is left of the bound. */
    if (most_preemptions != UNBOUNDED) {
        hash = (state ^ ((uint64_t)last << 32 | preemptions)) * 0x9E3779B97F4A7C15ULL;
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
        rests_hash += state;
        return system_rest_fault();
    }
    if (frame->snapshot == NULL && (frame->snapshot = malloc(sizeof(*frame->snapshot))) == NULL) {
        fputs("no memory for a snapshot\n", stderr);
        exit(2);
    }
    save(frame->snapshot);
    is_elsewhere = false;
    depth++;
    return NULL;
}

static void print_counts(const char *verdict)
{
    printf("%s: %llu states, %llu steps, %llu ends (%016llx)\n", verdict, (unsigned long long)states, (unsigned long long)steps,
           (unsigned long long)rests, (unsigned long long)rests_hash);
}

/* An interrupt is nobody's preemption. */
static bool is_preemption(const struct frame *frame, unsigned choice)
{
    if (choice >= system_setup.cores || choice == frame->last) {
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
    system_start();
    enter(system_setup.cores, 0);
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
        if (is_elsewhere) {
            restore(frame->snapshot);
        }
        is_elsewhere = true;
        steps++;
        const char *fault = system_step(choice);

        if (fault == NULL) {
            fault = enter(choice < system_setup.cores ? choice : frame->last, preemptions);
        }
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
    unsigned choices[SYSTEM_MOST_CHOICES];
    unsigned length = 0;
    unsigned count;

    system_start();
    while ((count = system_choices(choices)) != 0) {
        unsigned choice = choices[random_number() % count];

        path[length++] = choice;
        steps++;
        const char *fault = system_step(choice);

        if (fault != NULL) {
            return report(fault, path, length);
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
    if (!timeline_print(path, length)) {
        fputs("these choices cannot be made here; were they printed for this system, scope and build?\n", stderr);
        return 2;
    }
    return 0;
}

static int usage(void)
{
    fputs("usage: latlab_explore [--transition] [--os-initiated] [--every-access] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    bool transition = false;
    bool os_initiated = false;
    bool every_access = false;
    unsigned long walks = 0;
    char *choices = NULL;
    int at = 1;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--transition") == 0) {
            transition = true;
        } else if (strcmp(argv[at], "--os-initiated") == 0) {
            os_initiated = true;
        } else if (strcmp(argv[at], "--every-access") == 0) {
            every_access = true;
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
    if (argc - at != 2 || !system_parse(argv[at], argv[at + 1])) {
        return usage();
    }
    system_setup.transition_scope = transition;
    system_setup.os_initiated = os_initiated;
    system_setup.every_access = every_access;
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
