/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "steal_clock.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define STAT "/proc/stat"

const char *steal_clock_word(enum steal_clock clock)
{
    static const char *const words[] = {
        [STEAL_CLOCK_KNOWN] = "known",
        [STEAL_CLOCK_NO_HYPERVISOR] = "no_hypervisor",
        [STEAL_CLOCK_NOT_OFFERED] = "not_offered",
        [STEAL_CLOCK_UNSAID] = "unsaid",
        [STEAL_CLOCK_UNREADABLE] = "unreadable",
    };

    return words[clock];
}

/* The hypervisor's leaves of CPUID are public: KVM's feature 5 is steal time, and Xen has it always. */
#if defined(__x86_64__)
#define HYPERVISOR_BIT (1U << 31)
#define FIRST_LEAF 0x40000000U
#define LAST_LEAF 0x40010000U
#define LEAF_STEP 0x100U
#define KVM_STEAL_TIME (1U << 5)

static enum steal_clock offered(void)
{
    unsigned int a = 0;
    unsigned int name[4] = { 0 }; /* twelve characters and an end */
    unsigned int c = 0;
    unsigned int d = 0;

    __cpuid(1, a, name[0], c, d);
    if ((c & HYPERVISOR_BIT) == 0) {
        return STEAL_CLOCK_NO_HYPERVISOR;
    }
    for (unsigned int leaf = FIRST_LEAF; leaf < LAST_LEAF; leaf += LEAF_STEP) {
        __cpuid(leaf, a, name[0], name[1], name[2]);
        if (memcmp(name, "XenVMMXenVMM", 12) == 0) {
            return STEAL_CLOCK_KNOWN;
        }
        if (memcmp(name, "KVMKVMKVM\0\0\0", 12) == 0) {
            __cpuid(leaf + 1U, a, name[0], c, d);
            return (a & KVM_STEAL_TIME) != 0 ? STEAL_CLOCK_KNOWN : STEAL_CLOCK_NOT_OFFERED;
        }
    }
    return STEAL_CLOCK_UNSAID;
}
#else
static enum steal_clock offered(void)
{
    return STEAL_CLOCK_UNSAID;
}
#endif

enum steal_clock steal_clock_here(void)
{
    struct statfs found;

    if (statfs(STAT, &found) != 0 || (unsigned long)found.f_type != PROC_SUPER_MAGIC) {
        return STEAL_CLOCK_UNREADABLE;
    }
    return offered();
}

uint64_t steal_clock_tick_ns(void)
{
    return NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
}

bool steal_clock_of_line(const char *line, unsigned *cpu, uint64_t *ticks)
{
    bool is_sum_of_all = strncmp(line, "cpu ", 4) == 0; /* %u would skip the blank */

    return !is_sum_of_all && sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %" SCNu64, cpu, ticks) == 2;
}

int steal_clock_read(uint64_t ticks[STEAL_CLOCK_MOST_CPUS])
{
    FILE *file = fopen(STAT, "re");
    char line[512];

    if (file == NULL) {
        return errno;
    }
    memset(ticks, 0, STEAL_CLOCK_MOST_CPUS * sizeof(ticks[0]));
    while (fgets(line, sizeof(line), file) != NULL && strncmp(line, "cpu", 3) == 0) {
        unsigned cpu = 0;
        uint64_t count = 0;

        if (steal_clock_of_line(line, &cpu, &count) && cpu < STEAL_CLOCK_MOST_CPUS) {
            ticks[cpu] = count;
        }
    }
    fclose(file);
    return 0;
}
