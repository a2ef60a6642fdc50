/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes wake-ups of real-time threads late on one CPU, by causes that it names, in an order drawn from a seed. It prints what it did and when:
 * the kind, begin and end in ns on CLOCK_MONOTONIC, and how long of it somebody else had the CPU. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "kernel_stretch.h"

#define OWN_PRIORITY 2 /* above the load, below all that is measured */
#define HIGH_PRIORITY 60
#define MOST 4096U
#define NS_PER_S 1000000000U
#define STORM_NS 120000U /* each: more than what an interrupt from another CPU takes beside it, on a slow virtual machine too */
#define STORMS 14U
#define FLOOD_NS 12000U
#define FLOOD 64U
#define PATIENCE_NS 50000000U
#define GROUP_PRIORITY 3
#define THROTTLED_NS 2000000U /* no thread of a higher priority has the CPU as long */
#define BURNS_FOR_NS 200000000U

enum kind { MASKED, UNPREEMPTED, INTERRUPT, STORM, SOFTIRQ, FLOOD_OF_PACKETS, THREAD, THROTTLING, KINDS };

static const char *const names[] = { "masked", "unpreempted", "interrupt", "storm", "softirq", "flood", "thread", "throttling" };
static const unsigned lengths_us[] = { 90, 150, 260 };

static struct stretch_map *maps[KINDS];
static struct stretch by_threads[KINDS][MOST]; /* of those that a thread stamps */
static unsigned threads_done[KINDS];
static const char *group; /* the folder of the control group that is throttled */
static unsigned cpu;
static int timer, sender, counter;
static struct sockaddr_in addresses[KINDS]; /* of those that are planted by packets */
static volatile uint64_t high_wanted_ns;
static int other_begin[2], high_begin[2], burn_begin[2], burn_end[2];
static volatile enum kind other_kind;
static volatile bool other_is_done;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "planter: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void write_byte(int pipe_end)
{
    if (write(pipe_end, "", 1) != 1) {
        fail("cannot wake a thread");
    }
}

static void pin(unsigned to, int priority)
{
    struct sched_param parameters = { .sched_priority = priority };
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(to, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0 || sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
        fail("cannot take the CPU or the priority");
    }
}

static void spin(struct stretch *done)
{
    uint64_t last_ns = now_ns();

    *done = (struct stretch){ .begin_ns = last_ns };
    do {
        done->end_ns = now_ns();
        done->lost_ns += done->end_ns - last_ns > STRETCH_GAP_NS ? done->end_ns - last_ns : 0;
        last_ns = done->end_ns;
    } while (last_ns < done->begin_ns + high_wanted_ns);
}

static void *high(void *unused)
{
    char byte;

    pin(cpu, HIGH_PRIORITY);
    while (read(high_begin[0], &byte, 1) == 1) {
        spin(&by_threads[THREAD][threads_done[THREAD] % MOST]);
        threads_done[THREAD]++;
    }
    return unused;
}

/* Until the group has used up its time and the kernel takes the CPU away: seen from inside, the clock jumps. */
static void burn(void)
{
    uint64_t last_ns = now_ns();
    uint64_t give_up_ns = last_ns + BURNS_FOR_NS;

    while (last_ns < give_up_ns) {
        uint64_t read_ns = now_ns();

        if (read_ns - last_ns > THROTTLED_NS) {
            by_threads[THROTTLING][threads_done[THROTTLING]++ % MOST] = (struct stretch){ .begin_ns = last_ns, .end_ns = read_ns };
            return;
        }
        last_ns = read_ns;
    }
}

static void join_group(void)
{
    char path[256];
    FILE *tasks = (snprintf(path, sizeof(path), "%s/tasks", group), fopen(path, "we"));

    if (tasks == NULL || fprintf(tasks, "%d", gettid()) < 0 || fclose(tasks) != 0) {
        fail(path);
    }
}

static void *in_group(void *unused)
{
    char byte;

    join_group();
    pin(cpu, GROUP_PRIORITY);
    while (read(burn_begin[0], &byte, 1) == 1) {
        burn();
        write_byte(burn_end[1]);
    }
    return unused;
}

/* On another CPU: each read of the counter is an interrupt on the measured one. */
static void storm(void)
{
    uint64_t value;
    uint64_t give_up_ns = now_ns() + PATIENCE_NS;

    while (!stretch_is_done(maps[STORM]) && now_ns() < give_up_ns && read(counter, &value, sizeof(value)) > 0) {
    }
}

static void send_packet(enum kind kind)
{
    sendto(sender, "x", 1, 0, (struct sockaddr *)&addresses[kind], sizeof(addresses[kind]));
}

/* From another CPU: the kernel hands the packets over to the measured one. */
static void flood(void)
{
    uint64_t give_up_ns = now_ns() + PATIENCE_NS;

    while (!stretch_is_done(maps[FLOOD_OF_PACKETS]) && now_ns() < give_up_ns) {
        send_packet(FLOOD_OF_PACKETS);
    }
}

static void *other(void *unused)
{
    char byte;

    pin(cpu == 0 ? 1 : 0, OWN_PRIORITY);
    while (read(other_begin[0], &byte, 1) == 1) {
        (other_kind == STORM ? storm : flood)();
        other_is_done = true;
    }
    return unused;
}

/* Awake meanwhile, since an idle CPU that polls takes what it is sent without an interrupt. */
static void from_other(enum kind kind)
{
    other_kind = kind;
    other_is_done = false;
    write_byte(other_begin[1]);
    while (!other_is_done) {
    }
}

static void start_timer(void)
{
    struct itimerspec far = { .it_value = { .tv_sec = 3600 } };

    timerfd_settime(timer, 0, &far, NULL);
}

static void wait_for(const struct stretch_map *map)
{
    uint64_t give_up_ns = now_ns() + PATIENCE_NS;

    while (!stretch_is_done(map) && now_ns() < give_up_ns) {
    }
}

static void plant(enum kind kind, uint64_t wanted_ns)
{
    if (kind == THREAD) {
        high_wanted_ns = wanted_ns;
        write_byte(high_begin[1]);
        return;
    }
    if (kind == THROTTLING) {
        char byte;

        write_byte(burn_begin[1]);
        if (read(burn_end[0], &byte, 1) != 1) {
            fail("the thread in the group is gone");
        }
        return;
    }
    bool is_many = kind == STORM || kind == FLOOD_OF_PACKETS;

    stretch_arm(maps[kind], !is_many ? wanted_ns : kind == STORM ? STORM_NS : FLOOD_NS, kind == STORM ? STORMS : is_many ? FLOOD : 1);
    if (is_many) {
        from_other(kind);
    } else if (kind == MASKED) {
        start_timer();
    } else if (kind == UNPREEMPTED) {
        getppid();
    } else if (kind == SOFTIRQ) {
        send_packet(kind);
    } else {
        wait_for(maps[kind]);
    }
    stretch_arm(maps[kind], 0, 0);
}

/* A network of its own, whose packets the kernel hands over to the measured CPU. */
static void open_network(void)
{
    char commands[160];

    snprintf(commands, sizeof(commands), "ip link set lo up && mount -t sysfs none /sys && echo %x >/sys/class/net/lo/queues/rx-0/rps_cpus",
             1U << cpu);
    if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || system(commands) != 0) {
        fail("cannot make a network of its own");
    }
    sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int open_receiver(struct sockaddr_in *address)
{
    socklen_t length = sizeof(*address);
    int receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    *address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (bind(receiver, (struct sockaddr *)address, length) != 0 || getsockname(receiver, (struct sockaddr *)address, &length) != 0) {
        fail("cannot bind a socket");
    }
    return receiver;
}

static void open_counter(void)
{
    struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attributes), .config = PERF_COUNT_SW_CPU_CLOCK };

    counter = (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (counter < 0) {
        fail("cannot open a counter");
    }
}

static void open_kind(enum kind kind)
{
    switch (kind) {
    case MASKED:
        timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        maps[kind] = kernel_stretch(STRETCH_RAW_TRACEPOINT, "hrtimer_start", -1, cpu, gettid());
        break;
    case UNPREEMPTED:
        maps[kind] = kernel_stretch(STRETCH_RAW_TRACEPOINT, "sys_enter", -1, cpu, gettid());
        break;
    case INTERRUPT:
        maps[kind] = kernel_stretch(STRETCH_TIMER_INTERRUPT, "a timer", -1, cpu, 0);
        break;
    case STORM:
        open_counter();
        maps[kind] = kernel_stretch(STRETCH_RAW_TRACEPOINT, "csd_function_entry", -1, cpu, 0);
        break;
    case SOFTIRQ:
    case FLOOD_OF_PACKETS:
        if (sender == 0) {
            open_network();
        }
        maps[kind] = kernel_stretch(STRETCH_PACKET, "a socket", open_receiver(&addresses[kind]), cpu, 0);
        break;
    default:
        return;
    }
    if (maps[kind] == NULL) {
        exit(3);
    }
}

static uint32_t drawn(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

static void rest(uint32_t *state, unsigned longest_ms)
{
    struct timespec pause = { .tv_nsec = 1000000 + 1000 * (long)drawn(state, 1000U * longest_ms) };

    nanosleep(&pause, NULL);
}

static uint64_t done_of(enum kind kind)
{
    return maps[kind] == NULL ? threads_done[kind] : maps[kind]->count;
}

static const struct stretch *stretches_of(enum kind kind)
{
    return maps[kind] == NULL ? by_threads[kind] : maps[kind]->done;
}

static enum kind kind_of(const char *name)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (strcmp(names[kind], name) == 0) {
            return (enum kind)kind;
        }
    }
    errno = EINVAL;
    fail(name);
    return KINDS;
}

static void report(enum kind kind, uint64_t first)
{
    for (uint64_t i = first; i < done_of(kind); i++) {
        const struct stretch *done = &stretches_of(kind)[i % MOST];

        printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", names[kind], done->begin_ns, done->end_ns, done->lost_ns);
    }
}

static void plant_all(const enum kind *kinds, unsigned count, uint32_t seed, unsigned times, unsigned longest_ms)
{
    for (unsigned i = 0; i < times; i++) {
        enum kind kind = kinds[drawn(&seed, count)];
        uint64_t wanted_ns = 1000U * (uint64_t)lengths_us[drawn(&seed, sizeof(lengths_us) / sizeof(lengths_us[0]))];
        uint64_t before = done_of(kind);

        plant(kind, wanted_ns);
        rest(&seed, longest_ms);
        report(kind, before);
    }
}

int main(int argc, char **argv)
{
    enum kind kinds[KINDS];
    unsigned count = 0;
    pthread_t thread;

    if (argc < 7) {
        fprintf(stderr, "usage: planter CPU SEED TIMES LONGEST_PAUSE_MS GROUP KIND...\n");
        return 2;
    }
    cpu = (unsigned)atoi(argv[1]);
    group = argv[5];
    if (pipe(high_begin) != 0 || pipe(other_begin) != 0 || pipe(burn_begin) != 0 || pipe(burn_end) != 0 || mlockall(MCL_CURRENT) != 0) {
        fail("cannot begin");
    }
    for (int i = 6; i < argc && count < KINDS; i++) {
        kinds[count] = kind_of(argv[i]);
        open_kind(kinds[count++]);
    }
    pthread_create(&thread, NULL, high, NULL);
    pthread_create(&thread, NULL, other, NULL);
    if (group[0] != '\0') {
        pthread_create(&thread, NULL, in_group, NULL);
    }
    pin(cpu, OWN_PRIORITY);
    plant_all(kinds, count, (uint32_t)atoi(argv[2]), (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
    fflush(stdout);
    return 0;
}
