/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"

#define MEASURED "pid==%d"
#define BY_MEASURED "common_pid==%d"
#define NO_EXIT "state!=4294967295" /* how long a state lasted is known by what follows, and each record takes time */

/* Those before the last are x86's own, where interrupts of the CPU itself are no irq_handler_entry. The kernel does not let perf sample
 * irq_vectors/irq_work_exit, so how long that interrupt takes is not known. The last says what the kernel charges a
 * thread for: less than went by where its hypervisor had the CPU. */
static const struct {
    const char *name;
    const char *filter; /* as in tracefs, with the number of the measuring thread to fill in; NULL where all records are of interest */
} points[] = {
    { "sched/sched_switch", NULL },
    { "sched/sched_waking", MEASURED },
    { "sched/sched_migrate_task", MEASURED },
    { "exceptions/page_fault_user", BY_MEASURED },
    { "exceptions/page_fault_kernel", BY_MEASURED },
    { "lock/contention_begin", BY_MEASURED },
    { "lock/contention_end", BY_MEASURED },
    { "power/cpu_idle", NO_EXIT },
    { "power/cpu_frequency", NULL },
    { "irq/irq_handler_entry", NULL },
    { "irq/irq_handler_exit", NULL },
    { "irq/softirq_entry", NULL },
    { "irq/softirq_exit", NULL },
    { "ipi/ipi_entry", NULL },
    { "ipi/ipi_exit", NULL },
    { "workqueue/workqueue_execute_start", NULL },
    { "workqueue/workqueue_execute_end", NULL },
    { "irq_vectors/local_timer_entry", NULL },
    { "irq_vectors/local_timer_exit", NULL },
    { "irq_vectors/reschedule_entry", NULL },
    { "irq_vectors/reschedule_exit", NULL },
    { "irq_vectors/call_function_entry", NULL },
    { "irq_vectors/call_function_exit", NULL },
    { "irq_vectors/call_function_single_entry", NULL },
    { "irq_vectors/call_function_single_exit", NULL },
    { "irq_vectors/x86_platform_ipi_entry", NULL },
    { "irq_vectors/x86_platform_ipi_exit", NULL },
    { "irq_vectors/thermal_apic_entry", NULL },
    { "irq_vectors/thermal_apic_exit", NULL },
    { "sched/sched_stat_runtime", NULL },
};

#define ALL (unsigned)(sizeof(points) / sizeof(points[0]))

_Static_assert(ALL <= TRACEPOINTS_MOST, "there is room for all of them");

static int read_text(const char *name, const char *file, char *text, uint32_t room, uint32_t *bytes)
{
    char path[128];
    int fd = snprintf(path, sizeof(path), TRACEFS "/events/%s/%s", name, file) < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd < 0) {
        return errno;
    }
    ssize_t size = 0;

    *bytes = 0;
    while (*bytes < room - 1U && (size = read(fd, text + *bytes, room - 1U - *bytes)) > 0) {
        *bytes += (uint32_t)size;
    }
    int error = size < 0 ? errno : 0;

    close(fd);
    text[*bytes] = '\0';
    return error;
}

static int find_one(const char *name, struct tracepoint *point)
{
    char id[16];
    uint32_t bytes = 0;
    int error = read_text(name, "id", id, sizeof(id), &bytes);

    point->name = name;
    point->id = (uint32_t)strtoul(id, NULL, 10);
    return error != 0 ? error : read_text(name, "format", point->format, sizeof(point->format), &point->format_bytes);
}

/* In a chroot the root is no mount, but /sys is one where it shows the kernel. */
static bool is_private(void)
{
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || mount("none", "/sys", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static int mount_for_this_process(void)
{
    if (unshare(CLONE_NEWNS) != 0 || !is_private() || mount("tracefs", TRACEFS, "tracefs", 0, NULL) != 0) {
        return errno;
    }
    return 0;
}

static int find_all(struct tracepoints *found, bool with_runtimes)
{
    if (access(TRACEFS "/events", R_OK | X_OK) != 0) {
        int error = errno == ENOENT ? mount_for_this_process() : errno;

        if (error != 0) {
            return error;
        }
    }
    for (unsigned i = 0; i < (with_runtimes ? ALL : ALL - 1U); i++) {
        int error = find_one(points[i].name, &found->points[found->count]);

        if (error == 0) {
            found->points[found->count].filter = points[i].filter;
            found->with_runtimes = found->points[found->count].is_weighted = i == ALL - 1U;
            found->count++;
        } else if (i < TRACEPOINTS_NEEDED) {
            return error;
        }
    }
    return 0;
}

void tracepoints_find(struct tracepoints *found, bool with_runtimes)
{
    found->count = 0;
    found->error = find_all(found, with_runtimes);
}
