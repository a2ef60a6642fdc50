/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into a recorder of its own, whose measured thread then meets what a real-time program meets: a lock that a thread of a lower priority
 * holds, and a page that is not there yet. It waits before it sleeps, and so misses the next time at which it is due. It does so if LATLAB_WAITS
 * names a file, for what it waited for: kind, begin and end in ns on CLOCK_MONOTONIC. LATLAB_WAIT is "lock", "fault" or "both". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 32768U
#define NS_PER_S 1000000000U
#define PAGE 4096U
#define HOLDER_PRIORITY 2

enum kind { NONE, LOCK, FAULT };

static const char *const names[] = { "none", "lock", "fault" };
static const unsigned lengths_us[] = { 300, 400, 600 };

static struct {
    uint64_t begin_ns, end_ns;
    enum kind kind;
} done[MOST];

static unsigned count;
static atomic_int wanted_kind;
static uint64_t wanted_ns;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static char *absent;
static int faults = -1;
static int measured_cpu = -1;

int __real_clock_nanosleep(clockid_t clock, int flags, const struct timespec *due, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *due, struct timespec *left);

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns)
{
    struct timespec pause = { .tv_nsec = (long)ns };

    __real_clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

static void run_at(int cpu)
{
    struct sched_param parameters = { .sched_priority = HOLDER_PRIORITY };
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
    sched_setscheduler(0, SCHED_FIFO, &parameters);
}

static void hold_lock(void)
{
    pthread_mutex_lock(&held);
    atomic_store(&wanted_kind, LOCK);
    for (uint64_t begin_ns = now_ns(); now_ns() < begin_ns + wanted_ns;) {
    }
    pthread_mutex_unlock(&held);
}

/* The page is there once this thread says so. */
static void keep_page_away(void)
{
    struct uffd_msg message;
    struct pollfd poll_for = { .fd = faults, .events = POLLIN };
    struct uffdio_zeropage page = { .range = { (uint64_t)(uintptr_t)absent, PAGE } };

    madvise(absent, PAGE, MADV_DONTNEED);
    atomic_store(&wanted_kind, FAULT);
    if (poll(&poll_for, 1, 100) != 1 || read(faults, &message, sizeof(message)) != (ssize_t)sizeof(message)) {
        return;
    }
    for (uint64_t begin_ns = now_ns(); now_ns() < begin_ns + wanted_ns;) {
    }
    ioctl(faults, UFFDIO_ZEROPAGE, &page);
}

static void open_faults(void)
{
    struct uffdio_api api = { .api = UFFD_API };
    struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };

    absent = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munlock(absent, PAGE);
    madvise(absent, PAGE, MADV_DONTNEED);
    faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    area.range = (struct uffdio_range){ (uint64_t)(uintptr_t)absent, PAGE };
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0 || ioctl(faults, UFFDIO_REGISTER, &area) != 0) {
        perror("no pages can be kept away");
        exit(3);
    }
}

static uint32_t drawn(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

static void *make_wait(void *kinds_wanted)
{
    const char *kinds = kinds_wanted;
    uint32_t state = 7;

    run_at(measured_cpu);
    open_faults();
    for (;;) {
        sleep_ns(1000000U + 1000U * drawn(&state, 6000));
        run_at(drawn(&state, 2) == 0 ? measured_cpu : measured_cpu == 0);
        wanted_ns = 1000U * (uint64_t)lengths_us[drawn(&state, 3)];
        bool is_lock = kinds[0] == 'l' || (kinds[0] == 'b' && drawn(&state, 2) == 0);

        (is_lock ? hold_lock : keep_page_away)();
    }
    return NULL;
}

static void write_waits(void)
{
    FILE *file = fopen(getenv("LATLAB_WAITS"), "we");

    for (unsigned i = 0; file != NULL && i < count && i < MOST; i++) {
        fprintf(file, "%s %" PRIu64 " %" PRIu64 "\n", names[done[i].kind], done[i].begin_ns, done[i].end_ns);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void begin_once(void)
{
    static pthread_t thread;

    if (measured_cpu >= 0) {
        return;
    }
    measured_cpu = sched_getcpu();
    atexit(write_waits);
    pthread_create(&thread, NULL, make_wait, getenv("LATLAB_WAIT"));
}

static void wait_for(enum kind kind)
{
    uint64_t begin_ns = now_ns();

    if (kind == LOCK) {
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
    } else {
        *(volatile char *)absent = 1;
    }
    if (count < MOST) {
        done[count].begin_ns = begin_ns;
        done[count].end_ns = now_ns();
        done[count++].kind = kind;
    }
}

/* Only the measured thread has a priority above the holder's. */
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *due, struct timespec *left)
{
    struct sched_param parameters = { 0 };

    if (getenv("LATLAB_WAITS") != NULL && getenv("LATLAB_WAIT") != NULL && sched_getparam(0, &parameters) == 0 &&
        parameters.sched_priority > HOLDER_PRIORITY) {
        begin_once();
        enum kind kind = (enum kind)atomic_exchange(&wanted_kind, NONE);

        if (kind != NONE) {
            wait_for(kind);
        }
    }
    return __real_clock_nanosleep(clock, flags, due, left);
}
