/* SPDX-License-Identifier: BSD-3-Clause */
/* latlab-timed-write: writes a value into a file of the kernel's and appends the time that took to a file; docs/howto/wakeups.md. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"

#define EXIT_REFUSED 1
#define EXIT_USAGE 2

/* How much of the time between the two readings the system was suspended: CLOCK_BOOTTIME goes on there, CLOCK_MONOTONIC does not. */
struct instant {
    uint64_t awake_ns;
    uint64_t boot_ns;
};

static struct instant now(void)
{
    return (struct instant){ .awake_ns = clock_ns(CLOCK_MONOTONIC), .boot_ns = clock_ns(CLOCK_BOOTTIME) };
}

/* On the disk before the write begins: a machine that does not come back has said what it was doing. */
static int begin_line(int file, const char *name, uint64_t start_ns)
{
    return dprintf(file, "%s start_ns=%" PRIu64, name, start_ns) < 0 || (fdatasync(file) != 0 && errno != EINVAL && errno != EROFS) ? -1 : 0;
}

static int write_value(const char *path, const char *value)
{
    int target = open(path, O_WRONLY | O_CLOEXEC);

    if (target < 0) {
        return errno;
    }
    int error = write(target, value, strlen(value)) < 0 ? errno : 0;

    close(target);
    return error;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: latlab-timed-write FILE NAME PATH VALUE\n"
                        "  writes VALUE into PATH and appends to FILE: NAME start_ns= ns= slept_ns= errno=\n");
        return EXIT_USAGE;
    }
    int file = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

    if (file < 0 || begin_line(file, argv[2], clock_ns(CLOCK_MONOTONIC)) != 0) {
        fprintf(stderr, "latlab-timed-write: %s: %s\n", argv[1], strerror(errno));
        return EXIT_USAGE;
    }
    struct instant before = now();
    int error = write_value(argv[3], argv[4]);
    struct instant after = now();
    uint64_t awake_ns = after.awake_ns - before.awake_ns;
    uint64_t whole_ns = after.boot_ns - before.boot_ns;
    uint64_t slept_ns = whole_ns > awake_ns ? whole_ns - awake_ns : 0;

    dprintf(file, " ns=%" PRIu64 " slept_ns=%" PRIu64 " errno=%d\n", awake_ns, slept_ns, error);
    if (error != 0) {
        fprintf(stderr, "latlab-timed-write: %s: %s\n", argv[3], strerror(error));
    }
    return error != 0 ? EXIT_REFUSED : 0;
}
