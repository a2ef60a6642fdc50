/* SPDX-License-Identifier: BSD-3-Clause */
/* latlab-steal: what the firmware and the secure world take of each CPU, by counters that stop there, and what a hypervisor and SMIs take by
 * their own counts; docs/howto/steal.md. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "outside_counts.h"
#include "output.h"
#include "watch.h"

#define EXIT_USAGE 2
#define EXIT_DATA 3
#define MOST_CPUS 64U
#define MOST_US 1000000UL
#define MOST_S 31536000UL
#define PRIORITY 90
#define THEFTS_WRITTEN 200000U

struct options {
    const char *output;
    const char *outside_counts; /* NULL: none are kept */
    uint64_t duration_ns;
    uint64_t interval_ns;
    uint64_t threshold_ns;
    bool idle_states_allowed;
};

static struct watcher *watchers[MOST_CPUS];
static unsigned cpus;
static uint32_t cpu_numbers[MOST_CPUS];
static struct outside_counts outside_counts;
static uint64_t written;

static void stop(int number)
{
    (void)number;
    atomic_store_explicit(&watch_stop, true, memory_order_relaxed);
}

static int say(int status, const char *what, int error)
{
    fprintf(stderr, "latlab-steal: %s: %s\n", what, strerror(error));
    return status;
}

static bool read_number(const char *text, unsigned long lowest, unsigned long highest, uint64_t *value)
{
    char *end = NULL;
    unsigned long found = (errno = 0, strtoul(text, &end, 10));

    *value = found;
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && found >= lowest && found <= highest;
}

static bool read_options(struct options *options, int argc, char **argv)
{
    uint64_t value = 0;
    int option;

    *options = (struct options){ .duration_ns = 10 * NS_PER_S, .interval_ns = 100000, .threshold_ns = 1000 };
    while ((option = getopt(argc, argv, "o:c:D:i:t:I")) != -1) {
        bool good = true;

        switch (option) {
        case 'o':
            options->output = optarg;
            break;
        case 'c':
            options->outside_counts = optarg;
            break;
        case 'D':
            good = read_number(optarg, 1, MOST_S, &value);
            options->duration_ns = value * NS_PER_S;
            break;
        case 'i':
            good = read_number(optarg, 20, MOST_US, &value);
            options->interval_ns = value * 1000U;
            break;
        case 't':
            good = read_number(optarg, 0, MOST_US * 1000U, &options->threshold_ns);
            break;
        case 'I':
            options->idle_states_allowed = true;
            break;
        default:
            return false;
        }
        if (!good) {
            fprintf(stderr, "latlab-steal: -%c %s is out of range\n", option, optarg);
            return false;
        }
    }
    if (options->output == NULL || optind != argc) {
        fprintf(stderr, "usage: latlab-steal -o FILE [-c counts] [-D seconds] [-i interval_us] [-t threshold_ns] [-I]\n"
                        "  -c keeps in another file the counts of what takes a CPU from its kernel: the hypervisor's steal clock, SMIs\n"
                        "  -t what was taken in one window goes into the time line from this on\n"
                        "  -I leaves the idle states allowed; otherwise /dev/cpu_dma_latency is held at 0\n");
        return false;
    }
    return true;
}

/* An idle state that goes through the firmware is time in the firmware that nobody missed. Held open for as long as the process lives. */
static void forbid_idle_states(void)
{
    const int32_t no_latency = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, &no_latency, sizeof(no_latency)) != (ssize_t)sizeof(no_latency)) {
        fprintf(stderr, "latlab-steal: idle states stay allowed, /dev/cpu_dma_latency cannot be written: %s\n", strerror(errno));
    }
}

static int may_be_real_time(void)
{
    struct sched_param wanted = { .sched_priority = PRIORITY };
    struct sched_param normal = { 0 };

    if (sched_setscheduler(0, SCHED_FIFO, &wanted) != 0) {
        return 0;
    }
    sched_setscheduler(0, SCHED_OTHER, &normal);
    return PRIORITY;
}

static int make_watchers(const struct options *options, int priority)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return errno;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && cpus < MOST_CPUS; cpu++) {
        if (!CPU_ISSET(cpu, &allowed)) {
            continue;
        }
        struct watcher *made = calloc(1, sizeof(*made));

        if (made == NULL) {
            return ENOMEM;
        }
        made->cpu = cpu;
        made->interval_ns = options->interval_ns;
        made->threshold_ns = options->threshold_ns;
        made->duration_ns = options->duration_ns;
        made->priority = priority;
        cpu_numbers[cpus] = cpu;
        watchers[cpus++] = made;
    }
    return 0;
}

static void write_news(FILE *file)
{
    for (unsigned i = 0; i < cpus; i++) {
        struct second second;
        struct theft theft;

        while (watch_take_theft(watchers[i], &theft)) {
            if (written++ < THEFTS_WRITTEN) {
                output_theft(file, watchers[i]->cpu, &theft);
            } else {
                watchers[i]->left_out++;
            }
        }
        while (watch_take_second(watchers[i], &second)) {
            output_second(file, watchers[i]->cpu, second.number, &second.sums, second.cycles_per_tick);
        }
    }
    fflush(file);
}

static void write_end(FILE *file)
{
    write_news(file);
    for (unsigned i = 0; i < cpus; i++) {
        struct watcher *one = watchers[i];

        if (one->found.blind == BLIND_NOT) {
            output_counts(file, one->cpu, &one->meter);
            output_end_of_cpu(file, one->cpu, &one->meter, one->dropped + one->left_out, one->own_ns, one->went_off);
        }
    }
    output_end(file);
}

static bool any_sees(void)
{
    for (unsigned i = 0; i < cpus; i++) {
        if (watchers[i]->found.blind == BLIND_NOT) {
            return true;
        }
    }
    return false;
}

static void begin_at(FILE *file, const struct options *options, int priority)
{
    struct utsname name;
    struct run_facts facts = {
        .machine = uname(&name) == 0 ? name.machine : "unknown",
        .counter_hz = counter_hz(),
        .interval_ns = options->interval_ns,
        .threshold_ns = options->threshold_ns,
        .duration_ns = options->duration_ns,
        .start_ns = clock_ns(CLOCK_MONOTONIC),
        .start_ticks = counter_ticks(),
        .priority = priority,
    };

    output_head(file, &facts);
    for (unsigned i = 0; i < cpus; i++) {
        watchers[i]->start_ticks = facts.start_ticks;
        output_cpu(file, watchers[i]->cpu, &watchers[i]->found);
    }
    fflush(file);
}

static void note_outside_counts(void)
{
    if (outside_counts.file != NULL) {
        outside_counts_note(&outside_counts); /* what cannot be written shows at the end */
    }
}

static int measure(FILE *file, const struct options *options, int priority)
{
    pthread_barrier_t ready;
    pthread_barrier_t go;

    pthread_barrier_init(&ready, NULL, cpus + 1U);
    pthread_barrier_init(&go, NULL, cpus + 1U);
    for (unsigned i = 0; i < cpus; i++) {
        int error = watch_start(watchers[i], &ready, &go);

        if (error != 0) {
            return say(EXIT_USAGE, "cannot start a thread on each CPU", error);
        }
    }
    pthread_barrier_wait(&ready);
    mlockall(MCL_CURRENT); /* what is needed is there by now; all that comes, and no thread would start where little may be locked */
    begin_at(file, options, priority);
    for (unsigned i = 0; i < cpus; i++) {
        int error = watch_keep_awake(watchers[i]);

        if (error != 0) {
            return say(EXIT_USAGE, "cannot keep a CPU awake", error);
        }
    }
    int error = options->outside_counts == NULL ? 0 : outside_counts_open(&outside_counts, options->outside_counts, cpus, cpu_numbers);

    if (error != 0) {
        return say(EXIT_USAGE, options->outside_counts, error);
    }
    pthread_barrier_wait(&go);
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + options->duration_ns;

    while ((any_sees() || outside_counts.file != NULL) && !atomic_load_explicit(&watch_stop, memory_order_relaxed) && clock_ns(CLOCK_MONOTONIC) < end_ns) {
        struct timespec next = from_ns(clock_ns(CLOCK_MONOTONIC) + NS_PER_S);

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        write_news(file);
        note_outside_counts();
    }
    atomic_store_explicit(&watch_stop, true, memory_order_relaxed);
    error = outside_counts.file == NULL ? 0 : outside_counts_close(&outside_counts);
    for (unsigned i = 0; i < cpus; i++) {
        watch_join(watchers[i]);
    }
    write_end(file);
    if (error != 0) {
        return say(EXIT_DATA, options->outside_counts, error);
    }
    return ferror(file) != 0 || fclose(file) != 0 ? say(EXIT_DATA, options->output, errno) : 0;
}

int main(int argc, char **argv)
{
    struct sigaction on_stop = { .sa_handler = stop };
    struct options options;

    if (!read_options(&options, argc, argv)) {
        return EXIT_USAGE;
    }
    sigaction(SIGINT, &on_stop, NULL);
    sigaction(SIGTERM, &on_stop, NULL);
    if (!options.idle_states_allowed) {
        forbid_idle_states();
    }
    FILE *file = fopen(options.output, "we");

    if (file == NULL) {
        return say(EXIT_USAGE, options.output, errno);
    }
    int priority = may_be_real_time();
    int error = make_watchers(&options, priority);

    return error != 0 ? say(EXIT_USAGE, "cannot ask for the CPUs or for memory", error) : measure(file, &options, priority);
}
