/* SPDX-License-Identifier: BSD-3-Clause */
/* latlab-recorder: wakes up on every CPU at fixed times and keeps how late that was; docs/reference/recorder.md says why. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "keep_awake.h"
#include "kernel_events_file.h"
#include "measure.h"
#include "options.h"
#include "outside_counts.h"
#include "pinned_thread.h"
#include "recording.h"
#include "steal_clock.h"

#define EXIT_USAGE 2
#define EXIT_DATA 3
#define START_DELAY_NS 100000000ULL
#define CHECKPOINT_NS NS_PER_S
#define CHECKPOINTS_OF_A_COUNT 10U
#define OWN_PRIORITY 1 /* above the load, below all that is measured: a checkpoint is late otherwise */

static struct measurer measurers[RECORD_MAX_CPUS];
static struct recording recording;
static struct tracepoints tracepoints;
static struct kernel_events *kernel_events[RECORD_MAX_CPUS]; /* NULL where they are not kept */
static struct kernel_events_file events_file;
static struct outside_counts outside_counts;

/* Handlers run on the main thread, which alone reads what they write; the others have these signals blocked. */
static volatile sig_atomic_t stopped_by;
static volatile sig_atomic_t continued;
static volatile uint64_t continued_ns;

static void stop(int number)
{
    stopped_by = number;
    atomic_store_explicit(&measure_stop, true, memory_order_relaxed);
}

static void note_continued(int number)
{
    (void)number;
    continued_ns = clock_ns(CLOCK_MONOTONIC);
    continued++;
}

static bool stopped(void)
{
    return atomic_load_explicit(&measure_stop, memory_order_relaxed);
}

static int say(int status, const char *what, const char *where, int error)
{
    fprintf(stderr, "latlab-recorder: %s %s: %s\n", what, where, strerror(error));
    return status;
}

#define LATENCY_DEVICE "/dev/cpu_dma_latency"

/* Held open for as long as the process lives. What is no device, or does not read as it was written, forbids nothing. */
static int forbid_idle_states(void)
{
    const int32_t no_latency = 0;
    int32_t in_force = -1;
    struct stat found;
    int fd = open(LATENCY_DEVICE, O_RDWR | O_CLOEXEC);
    bool is_readable = fd >= 0;

    if (!is_readable) {
        fd = open(LATENCY_DEVICE, O_WRONLY | O_CLOEXEC);
    }
    if (fd < 0 || fstat(fd, &found) != 0) {
        return errno;
    }
    if (!S_ISCHR(found.st_mode)) {
        return ENODEV;
    }
    if (write(fd, &no_latency, sizeof(no_latency)) != (ssize_t)sizeof(no_latency)) {
        return errno;
    }
    return !is_readable || (pread(fd, &in_force, sizeof(in_force), 0) == (ssize_t)sizeof(in_force) && in_force == no_latency) ? 0 : ENODEV;
}

static int take_rights(const struct options *options)
{
    struct sched_param own = { .sched_priority = OWN_PRIORITY };

    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        return say(EXIT_USAGE, "cannot lock its memory;", "run it as root or raise RLIMIT_MEMLOCK", errno);
    }
    if (sched_setscheduler(0, SCHED_FIFO, &own) != 0) {
        return say(EXIT_USAGE, "cannot become real-time;", "run it as root or with CAP_SYS_NICE", errno);
    }
    if (!options->idle_states_allowed) {
        int error = forbid_idle_states();

        if (error != 0) {
            return say(EXIT_USAGE, "cannot forbid idle states by /dev/cpu_dma_latency;", "run it as root or allow them with -I", error);
        }
    }
    return 0;
}

/* Mapped for as long as the process lives. */
static int share_record(const char *path)
{
    struct stat found;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &found) != 0) {
        return errno;
    }
    void *memory = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED) {
        return errno;
    }
    record_share(&recording.file, memory, (uint64_t)found.st_size);
    return 0;
}

static int open_record(const struct options *options, uint64_t start_ns)
{
    if (options->memory != NULL) {
        int unusable = share_record(options->memory);

        if (unusable != 0) {
            return say(EXIT_USAGE, "cannot share", options->memory, unusable);
        }
    }
    recording.file.header = (struct record_header){
        .cpus = options->cpus,
        .priority = (uint32_t)options->priority,
        .interval_ns = options->interval_ns,
        .outlier_ns = options->outlier_ns,
        .duration_ns = options->duration_ns,
        .start_realtime_ns = clock_ns(CLOCK_REALTIME),
        .start_ns = start_ns,
        .counter_hz = counter_hz(),
        .loop_cost_ps = measure_loop_cost_ps(&measurers[0]),
        .idle_states_allowed = options->idle_states_allowed,
    };
    memcpy(recording.file.header.cpu_numbers, options->cpu_numbers, sizeof(options->cpu_numbers));
    int error = record_create(&recording.file, options->output);

    return error == 0 ? 0 : say(EXIT_USAGE, "cannot write", options->output, error);
}

struct opening {
    struct kernel_events *events;
    unsigned cpu;
};

static void *open_events_of(void *argument)
{
    const struct opening *opening = argument;

    kernel_events_open(opening->events, opening->cpu, &tracepoints);
    return NULL;
}

/* CPU after CPU, each on itself: the calls that calibrate one must not show on another. */
static int open_events(const struct options *options)
{
    struct rlimit descriptors;

    if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
        descriptors.rlim_cur = descriptors.rlim_max; /* some forty for each CPU; where it stays too low, a CPU's events cannot be opened */
        setrlimit(RLIMIT_NOFILE, &descriptors);
    }
    tracepoints_find(&tracepoints, steal_clock_here() == STEAL_CLOCK_KNOWN);
    for (unsigned i = 0; i < options->cpus; i++) {
        struct opening opening = { calloc(1, sizeof(*opening.events)), options->cpu_numbers[i] };
        pthread_t thread;

        if (opening.events == NULL) {
            return ENOMEM;
        }
        int error = pinned_thread(opening.cpu, SCHED_FIFO, options->priority, open_events_of, &opening, &thread);

        if (error != 0) {
            return error;
        }
        pthread_join(thread, NULL);
        kernel_events[i] = opening.events;
    }
    return kernel_events_file_create(&events_file, options->kernel_events, &tracepoints, kernel_events, options->cpus);
}

/* A CPU that sleeps stops its cycle counters, which would look like a theft where the system counter measures. */
static int keep_awake_where_needed(const struct options *options)
{
    for (unsigned i = 0; i < options->cpus && !options->idle_states_allowed; i++) {
        pthread_t keeper;
        int error = kernel_events[i] != NULL && needs_awake(&kernel_events[i]->found.rules)
                        ? keep_awake(options->cpu_numbers[i], &measure_stop, &keeper)
                        : 0;

        if (error != 0) {
            return error;
        }
    }
    return 0;
}

static struct recording_moment now(void)
{
    uint64_t ns = clock_ns(CLOCK_MONOTONIC);
    struct recording_moment moment = { .ns = ns, .ticks = counter_ticks() };
    const struct record_header *header = &recording.file.header;

    do {
        moment.continued = (uint64_t)continued;
        moment.continued_ns = continued_ns;
    } while (moment.continued != (uint64_t)continued);
    if (header->duration_ns != 0 && ns < header->start_ns + header->duration_ns) {
        moment.stopped_by = (uint32_t)stopped_by;
    }
    return moment;
}

/* Those that have a handler, so that a signal reaches the main thread alone and no measuring one. */
static void change_signals(int how)
{
    sigset_t handled;

    sigemptyset(&handled);
    sigaddset(&handled, SIGINT);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGCONT);
    pthread_sigmask(how, &handled, NULL);
}

static int start_all(const struct options *options, uint64_t start_ns)
{
    for (unsigned i = 0; i < options->cpus; i++) {
        struct measurer *measurer = &measurers[i];

        *measurer = (struct measurer){
            .rules = { options->interval_ns, options->outlier_ns },
            .first_due_ns = start_ns,
            .end_ns = options->duration_ns != 0 ? start_ns + options->duration_ns : UINT64_MAX,
            .cpu = options->cpu_numbers[i],
            .priority = options->priority,
            .kernel_events = kernel_events[i],
        };
        int error = measure_start(measurer);

        if (error != 0) {
            char where[48];

            snprintf(where, sizeof(where), "CPU %u at priority %d", measurer->cpu, options->priority);
            return say(EXIT_USAGE, "cannot start on", where, error);
        }
    }
    return 0;
}

static int checkpoint(const struct options *options, bool is_final)
{
    int error = recording_checkpoint(&recording, measurers, now, is_final);

    if (error == 0 && options->kernel_events != NULL && recording.write_error == 0) {
        int (*write_events)(struct kernel_events_file *, struct kernel_events *const *, unsigned) =
            is_final ? kernel_events_file_end : kernel_events_file_add;

        error = write_events(&events_file, kernel_events, options->cpus);
    }
    return error;
}

/* Every ten seconds, so that what was killed keeps its counts and hours of it stay short. */
static int note_outside_counts(bool is_final)
{
    static unsigned checkpoints;

    if (outside_counts.file == NULL) {
        return 0;
    }
    if (is_final) {
        return outside_counts_close(&outside_counts);
    }
    return ++checkpoints % CHECKPOINTS_OF_A_COUNT == 0 ? outside_counts_note(&outside_counts) : 0;
}

/* After an error the tallies alone are written, also if it is this checkpoint that meets it first. The first error, 0 if there is none. */
static int last_checkpoint(const struct options *options, int error)
{
    recording.write_error = error;
    int last = checkpoint(options, true);

    if (error == 0 && last != 0) {
        recording.write_error = last;
        checkpoint(options, true);
    }
    return error != 0 ? error : last;
}

static int record(const struct options *options, uint64_t start_ns)
{
    uint64_t end_ns = options->duration_ns != 0 ? start_ns + options->duration_ns : UINT64_MAX;
    int error = 0;

    for (uint64_t next_ns = start_ns + CHECKPOINT_NS; !stopped() && next_ns < end_ns && error == 0; next_ns += CHECKPOINT_NS) {
        struct timespec next = from_ns(next_ns);

        while (!stopped() && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) {
        }
        error = checkpoint(options, false);
        error = error != 0 ? error : note_outside_counts(false);
        if (recording_has_ended(&recording)) {
            break;
        }
    }
    if (error != 0) {
        atomic_store_explicit(&measure_stop, true, memory_order_relaxed);
    }
    for (unsigned i = 0; i < options->cpus; i++) {
        pthread_join(measurers[i].thread, NULL);
    }
    int uncounted = note_outside_counts(true);

    error = last_checkpoint(options, error);
    return error != 0 ? error : uncounted;
}

int main(int argc, char **argv)
{
    struct sigaction on_stop = { .sa_handler = stop };
    struct sigaction on_continue = { .sa_handler = note_continued };
    struct options options;

    if (!options_read(&options, argc, argv)) {
        return EXIT_USAGE;
    }
    sigaction(SIGINT, &on_stop, NULL);
    sigaction(SIGTERM, &on_stop, NULL);
    sigaction(SIGCONT, &on_continue, NULL);
    change_signals(SIG_BLOCK);
    int status = take_rights(&options);

    if (status != 0) {
        return status;
    }
    int unopened = options.kernel_events == NULL ? 0 : open_events(&options);

    unopened = unopened != 0 ? unopened : keep_awake_where_needed(&options);
    if (unopened != 0) {
        return say(EXIT_USAGE, "cannot keep", options.kernel_events, unopened);
    }
    int uncounted = options.outside_counts == NULL ? 0 : outside_counts_open(&outside_counts, options.outside_counts, options.cpus, options.cpu_numbers);

    if (uncounted != 0) {
        return say(EXIT_USAGE, "cannot write", options.outside_counts, uncounted);
    }
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC) + START_DELAY_NS;

    status = open_record(&options, start_ns);
    if (status == 0) {
        status = start_all(&options, start_ns);
    }
    if (status != 0) {
        return status;
    }
    change_signals(SIG_UNBLOCK);
    int error = record(&options, start_ns);

    return error == 0 ? 0 : say(EXIT_DATA, "stopped because it cannot write", options.output, error);
}
