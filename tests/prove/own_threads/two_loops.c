/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two periodic real-time threads. In every fourth cycle of the first one something keeps it beyond its period, and the program itself prints
 * what: KIND DUE BEGIN END GONE, in ns of CLOCK_MONOTONIC. Usage: two_loops CYCLES [SEED]. The kinds take turns as the seed draws them. GONE is
 * for how long it stood still in its usual work, where nothing is planted.
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 5000000ULL
#define USUAL_NS 500000ULL
#define LONG_NS 7000000ULL
#define GONE_NS 200000ULL
#define FAULT_BYTES (48UL << 20)
#define CALL_BYTES (6UL << 20)

enum kind { NONE, HOG, EQUAL, DEADLINE, LOCK, INVERSION, MIGRATION, FAULT, CALL, OWN, SLEEP, KINDS };

static const char *const names[KINDS] = {
    "none", "hog", "equal", "deadline", "lock", "inversion", "migration", "fault", "call", "computing", "sleep"
};
static sem_t starts[KINDS];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_held, has_begun;
static sem_t middle_starts;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static void work_ns(uint64_t ns)
{
    uint64_t spent_until = now_ns() + ns;

    while (now_ns() < spent_until) {
    }
}

/* The work of a usual cycle. Says for how long it stood still. */
static uint64_t usual_work_ns(uint64_t ns)
{
    uint64_t last_ns = now_ns();
    const uint64_t spent_until = last_ns + ns;
    uint64_t gone_ns = 0;

    while (last_ns < spent_until) {
        uint64_t read_ns = now_ns();

        gone_ns += read_ns - last_ns > GONE_NS ? read_ns - last_ns : 0;
        last_ns = read_ns;
    }
    return gone_ns;
}

static void sleep_until(uint64_t ns)
{
    struct timespec at = { .tv_sec = (time_t)(ns / 1000000000ULL), .tv_nsec = (long)(ns % 1000000000ULL) };

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void run_on(int cpu)
{
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void name_and_place(const char *name, int cpu, int policy, int priority)
{
    struct sched_param parameter = { .sched_priority = priority };
    cpu_set_t cpus;

    pthread_setname_np(pthread_self(), name);
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    if ((cpu >= 0 && sched_setaffinity(0, sizeof(cpus), &cpus) != 0) || (policy >= 0 && sched_setscheduler(0, policy, &parameter) != 0)) {
        perror(name);
        exit(2);
    }
}

/* Has the CPU for a while whenever it is asked to. */
static void *rival(void *argument)
{
    enum kind kind = (enum kind)(intptr_t)argument;

    if (kind == HOG) {
        name_and_place("plant-hog", 0, SCHED_FIFO, 90);
    } else {
        name_and_place("plant-equal", 0, SCHED_FIFO, 60);
    }
    for (;;) {
        sem_wait(&starts[kind]);
        work_ns(LONG_NS);
    }
    return NULL;
}

struct deadline_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static void *by_deadline(void *argument)
{
    struct deadline_attributes attributes = {
        .size = sizeof(attributes), .policy = 6, .runtime = 9000000ULL, .deadline = 20000000ULL, .period = 20000000ULL
    };

    name_and_place("plant-deadline", -1, -1, 0);
    if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) {
        perror("plant-deadline");
        exit(2);
    }
    for (;;) {
        sem_wait(&starts[DEADLINE]);
        work_ns(LONG_NS);
    }
    return argument;
}

/* Holds the lock that the loop needs, on another CPU. In an inversion a thread of a priority between both has that CPU. */
static void *holder(void *argument)
{
    name_and_place("plant-holder", 1, SCHED_FIFO, 30);
    for (;;) {
        sem_wait(&starts[LOCK]);
        pthread_mutex_lock(&held);
        sem_post(&is_held);
        work_ns(LONG_NS);
        pthread_mutex_unlock(&held);
    }
    return argument;
}

static void *inverted_holder(void *argument)
{
    name_and_place("plant-inverted", 1, SCHED_FIFO, 30);
    for (;;) {
        sem_wait(&starts[INVERSION]);
        pthread_mutex_lock(&held);
        sem_post(&is_held);
        sem_post(&middle_starts);
        work_ns(USUAL_NS / 5);
        pthread_mutex_unlock(&held);
    }
    return argument;
}

static void *middle(void *argument)
{
    name_and_place("plant-middle", 1, SCHED_FIFO, 40);
    for (;;) {
        sem_wait(&middle_starts);
        work_ns(LONG_NS);
    }
    return argument;
}

/* Has the CPU to which the loop moves. */
static void *other_cpu(void *argument)
{
    name_and_place("plant-there", 1, SCHED_FIFO, 90);
    for (;;) {
        sem_wait(&starts[MIGRATION]);
        sem_post(&has_begun);
        work_ns(LONG_NS);
    }
    return argument;
}

static void *second_loop(void *argument)
{
    uint64_t due_ns = now_ns();

    name_and_place("loop-b", 1, SCHED_FIFO, 50);
    for (;;) {
        due_ns += 2 * PERIOD_NS;
        sleep_until(due_ns);
        work_ns(USUAL_NS);
    }
    return argument;
}

static void plant(enum kind kind, char *pages)
{
    struct timespec nap = { .tv_nsec = (long)LONG_NS };

    if (kind == HOG || kind == EQUAL || kind == DEADLINE) {
        sem_post(&starts[kind]);
        if (kind == EQUAL) {
            sched_yield();
        }
    } else if (kind == LOCK) {
        sem_post(&starts[LOCK]);
        sem_wait(&is_held);
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
    } else if (kind == INVERSION) {
        sem_post(&starts[INVERSION]);
        sem_wait(&is_held);
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
    } else if (kind == MIGRATION) {
        sem_post(&starts[MIGRATION]);
        sem_wait(&has_begun);
        run_on(1);
        run_on(0);
    } else if (kind == FAULT) {
        madvise(pages, FAULT_BYTES, MADV_DONTNEED);
        for (size_t at = 0; at < FAULT_BYTES; at += 4096) {
            pages[at] = 1;
        }
    } else if (kind == CALL) {
        for (size_t filled = 0; filled < CALL_BYTES;) {
            ssize_t got = getrandom(pages, CALL_BYTES - filled, 0);

            filled += got > 0 ? (size_t)got : CALL_BYTES;
        }
    } else if (kind == OWN) {
        work_ns(LONG_NS);
    } else if (kind == SLEEP) {
        select(0, NULL, NULL, NULL, &(struct timeval){ .tv_usec = (long)(nap.tv_nsec / 1000) });
    }
}

int main(int argc, char **argv)
{
    unsigned long cycles = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    char *pages = mmap(NULL, FAULT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;

    srandom(argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1U);
    sem_init(&is_held, 0, 0);
    sem_init(&has_begun, 0, 0);
    sem_init(&middle_starts, 0, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        sem_init(&starts[kind], 0, 0);
    }
    pthread_create(&thread, NULL, rival, (void *)(intptr_t)HOG);
    pthread_create(&thread, NULL, rival, (void *)(intptr_t)EQUAL);
    pthread_create(&thread, NULL, by_deadline, NULL);
    pthread_create(&thread, NULL, holder, NULL);
    pthread_create(&thread, NULL, inverted_holder, NULL);
    pthread_create(&thread, NULL, middle, NULL);
    pthread_create(&thread, NULL, other_cpu, NULL);
    pthread_create(&thread, NULL, second_loop, NULL);
    sleep(1);
    name_and_place("loop-a", 0, SCHED_FIFO, 60);
    uint64_t due_ns = now_ns();

    for (unsigned long i = 0; i < cycles; i++) {
        due_ns += PERIOD_NS;
        sleep_until(due_ns);
        uint64_t begin_ns = now_ns();
        enum kind kind = i % 4U == 3U ? (enum kind)(1 + random() % (KINDS - 1)) : NONE;

        uint64_t gone_ns = usual_work_ns(USUAL_NS / 2);

        plant(kind, pages);
        gone_ns += usual_work_ns(USUAL_NS / 2);
        printf("%s %llu %llu %llu %llu\n", names[kind], (unsigned long long)due_ns, (unsigned long long)begin_ns, (unsigned long long)now_ns(),
               (unsigned long long)gone_ns);
    }
    return 0;
}
