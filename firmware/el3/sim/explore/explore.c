/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * latlab_explore: every interleaving of a small system, or random walks through a large one.
 *   latlab_explore [--transition] [--os-initiated] [--every-access] [--interrupts gicv2-hide|gicv2-pass|gicv3-hide|gicv3-pass|gicv2-plain] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS
 * Depth first over snapshots of the whole machine; a state that has been seen is not gone into again (64-bit hashes).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupts.h"
#include "seen.h"
#include "snapshot.h"
#include "system.h"
#include "timeline.h"

#define MOST_DEPTH 4096U
#define MOST_STATES 400000000ULL /* 4 GiB of hashes, and 2 GiB more when their table has grown */
#define UNBOUNDED UINT32_MAX

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
static uint64_t states;
static uint64_t steps;
static uint64_t rests;
static uint64_t rests_hash; /* of them all, whatever their order */
static unsigned most_preemptions = UNBOUNDED;
static uint64_t most_states = MOST_STATES;

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
    if (!seen_add(hash)) {
        return NULL;
    }
    states++;
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
    snapshot_save(frame->snapshot);
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
            snapshot_restore(frame->snapshot);
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

static bool read_number(const char *text, uint64_t most, uint64_t *value)
{
    char *end;

    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && *value <= most;
}

static int replay(char *text)
{
    static unsigned path[1U << 16];
    unsigned length = 0;

    for (char *word = strtok(text, ","); word != NULL; word = strtok(NULL, ",")) {
        uint64_t choice;

        if (!read_number(word, SYSTEM_MOST_CHOICES, &choice) || length == sizeof(path) / sizeof(path[0])) {
            fprintf(stderr, "choice %u is %.20s; choices are numbers joined by commas, as they stand behind `replay:`\n", length, word);
            return 2;
        }
        path[length++] = (unsigned)choice;
    }
    if (!timeline_print(path, length)) {
        fputs("these choices cannot be made here; were they printed for this system, scope and build?\n", stderr);
        return 2;
    }
    return 0;
}

static int usage(void)
{
    fputs("usage: latlab_explore [--transition] [--os-initiated] [--every-access] [--interrupts gicv2-hide|gicv2-pass|gicv3-hide|gicv3-pass|gicv2-plain] [--walks N SEED | --replay CHOICES] [--preemptions N] [--most STATES] CLUSTERS PROGRAMS\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    bool transition = false;
    bool os_initiated = false;
    bool every_access = false;
    uint64_t walks = 0;
    uint64_t bound;
    char *choices = NULL;
    int at = 1;

    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--transition") == 0) {
            transition = true;
        } else if (strcmp(argv[at], "--os-initiated") == 0) {
            os_initiated = true;
        } else if (strcmp(argv[at], "--every-access") == 0) {
            every_access = true;
        } else if (strcmp(argv[at], "--walks") == 0 && at + 2 < argc && read_number(argv[at + 1], UINT32_MAX, &walks) &&
                   read_number(argv[at + 2], UINT64_MAX, &random_state)) {
            at += 2;
        } else if (strcmp(argv[at], "--interrupts") == 0 && at + 1 < argc && interrupts_parse(argv[at + 1])) {
            at++;
        } else if (strcmp(argv[at], "--replay") == 0 && at + 1 < argc) {
            choices = argv[++at];
        } else if (strcmp(argv[at], "--preemptions") == 0 && at + 1 < argc && read_number(argv[at + 1], UNBOUNDED - 1U, &bound)) {
            most_preemptions = (unsigned)bound;
            at++;
        } else if (strcmp(argv[at], "--most") == 0 && at + 1 < argc && read_number(argv[at + 1], MOST_STATES, &most_states)) {
            at++;
        } else {
            return usage();
        }
    }
    if (argc - at != 2) {
        return usage();
    }
    const char *fault = system_parse(argv[at], argv[at + 1]);

    if (fault != NULL) {
        fprintf(stderr, "%s\n", fault);
        return 2;
    }
    system_setup.transition_scope = transition;
    system_setup.os_initiated = os_initiated;
    system_setup.every_access = every_access;
    if (choices != NULL) {
        return replay(choices);
    }
    for (uint64_t i = 0; i < walks; i++) {
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
