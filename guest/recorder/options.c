/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define NS_PER_US 1000ULL
#define NS_PER_S 1000000000ULL
#define LONGEST_S (366ULL * 86400ULL)

static bool read_number(const char *text, uint64_t lowest, uint64_t highest, uint64_t *value)
{
    char *end = NULL;

    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *value >= lowest && *value <= highest;
}

static bool add_cpu(struct options *options, uint64_t cpu)
{
    if (options->cpus == RECORD_MAX_CPUS || cpu >= CPU_SETSIZE) {
        return false;
    }
    options->cpu_numbers[options->cpus++] = (uint32_t)cpu;
    return true;
}

/* "0,2-5" */
static bool read_cpus(struct options *options, const char *text)
{
    while (*text != '\0') {
        char *end = NULL;
        uint64_t first = strtoull(text, &end, 10);
        uint64_t last = first;

        if (end == text) {
            return false;
        }
        if (*end == '-') {
            text = end + 1;
            last = strtoull(text, &end, 10);
            if (end == text || last < first) {
                return false;
            }
        }
        for (uint64_t cpu = first; cpu <= last; cpu++) {
            if (!add_cpu(options, cpu)) {
                return false;
            }
        }
        if (*end != '\0' && *end != ',') {
            return false;
        }
        text = *end == ',' ? end + 1 : end;
    }
    return options->cpus != 0;
}

static bool take_allowed_cpus(struct options *options)
{
    cpu_set_t allowed;

    if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return false;
    }
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && options->cpus < RECORD_MAX_CPUS; cpu++) {
        if (CPU_ISSET(cpu, &allowed)) {
            add_cpu(options, cpu);
        }
    }
    return true;
}

static bool refuse(char option, const char *value, const char *wanted)
{
    fprintf(stderr, "latlab-recorder: -%c %s is not %s\n", option, value, wanted);
    return false;
}

static bool read_option(struct options *options, int option)
{
    uint64_t value = 0;

    switch (option) {
    case 'o':
        options->output = optarg;
        return true;
    case 'D':
        options->duration_ns = read_number(optarg, 1, LONGEST_S, &value) ? value * NS_PER_S : 0;
        return value != 0 || refuse('D', optarg, "a duration in whole seconds");
    case 'i':
        options->interval_ns = read_number(optarg, 10, 60000000, &value) ? value * NS_PER_US : 0;
        return options->interval_ns != 0 || refuse('i', optarg, "an interval from 10 to 60000000 us");
    case 't':
        options->outlier_ns = read_number(optarg, 1, 60000000, &value) ? value * NS_PER_US : 0;
        return options->outlier_ns != 0 || refuse('t', optarg, "a threshold in us");
    case 'p':
        options->priority = read_number(optarg, 1, 99, &value) ? (int)value : 0;
        return options->priority != 0 || refuse('p', optarg, "a priority from 1 to 99");
    case 'a':
        return read_cpus(options, optarg) || refuse('a', optarg, "a list of CPUs such as 0,2-3");
    case 'm':
        options->memory = optarg;
        return true;
    case 'k':
        options->kernel_events = optarg;
        return true;
    case 'c':
        options->outside_counts = optarg;
        return true;
    case 'I':
        options->idle_states_allowed = true;
        return true;
    default:
        return false;
    }
}

bool options_read(struct options *options, int argc, char **argv)
{
    int option;

    *options = (struct options){ .interval_ns = 200 * NS_PER_US, .outlier_ns = 100 * NS_PER_US, .priority = 80 };
    while ((option = getopt(argc, argv, "o:D:i:t:p:a:m:k:c:I")) != -1) {
        if (!read_option(options, option)) {
            return false;
        }
    }
    if (options->output == NULL || optind != argc) {
        fprintf(stderr, "usage: latlab-recorder -o FILE [-D seconds] [-i interval_us] [-t outlier_us] [-p priority] [-a cpus] [-m memory] [-k events] [-c counts] [-I]\n"
                        "  -m keeps the file in memory that a file stands for as well\n"
                        "  -k keeps in another file what the kernel and the firmware did until each late wake-up; needs root\n"
                        "  -c keeps in another file the counts of what takes a CPU from its kernel: the hypervisor's steal clock, SMIs\n"
                        "  -I leaves the idle states allowed; otherwise /dev/cpu_dma_latency is held at 0\n");
        return false;
    }
    return options->cpus != 0 || take_allowed_cpus(options);
}
