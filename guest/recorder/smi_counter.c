/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "smi_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MSR_SMI_COUNT 0x34
#define COUNT_BITS 0xFFFFFFFFU
#define EVENTS "/sys/bus/event_source/devices/msr/"

#if defined(__x86_64__)
#define IS_X86 true
#else
#define IS_X86 false
#endif

const char *smi_source_word(enum smi_source source)
{
    static const char *const words[] = {
        [SMI_SOURCE_EVENT] = "event",
        [SMI_SOURCE_DEVICE] = "device",
        [SMI_SOURCE_NONE] = "none",
        [SMI_SOURCE_NOT_X86] = "not_x86",
        [SMI_SOURCE_NOT_PERMITTED] = "not_permitted",
    };

    return words[source];
}

static bool read_figure(const char *path, const char *form, unsigned *value)
{
    FILE *file = fopen(path, "re");
    bool is_read = file != NULL && fscanf(file, form, value) == 1;

    if (file != NULL) {
        fclose(file);
    }
    return is_read;
}

int smi_event_open(unsigned cpu)
{
    struct perf_event_attr attributes = { .size = sizeof(attributes), .use_clockid = 1, .clockid = CLOCK_MONOTONIC };
    unsigned type = 0;
    unsigned event = 0;

    if (!read_figure(EVENTS "type", "%u", &type) || !read_figure(EVENTS "events/smi", "event=%x", &event)) {
        errno = ENOENT;
        return -1;
    }
    attributes.type = type;
    attributes.config = event;
    return (int)syscall(SYS_perf_event_open, &attributes, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int device_open(unsigned cpu)
{
    char path[32];
    uint64_t value;

    snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && pread(fd, &value, sizeof(value), MSR_SMI_COUNT) != (ssize_t)sizeof(value)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void smi_counter_open(struct smi_counter *self, unsigned cpu)
{
    *self = (struct smi_counter){ .source = SMI_SOURCE_NOT_X86, .fd = -1 };
    if (!IS_X86) {
        return;
    }
    self->fd = smi_event_open(cpu);
    self->source = SMI_SOURCE_EVENT;
    if (self->fd < 0) {
        self->source = errno == EACCES || errno == EPERM ? SMI_SOURCE_NOT_PERMITTED : SMI_SOURCE_NONE;
        self->fd = device_open(cpu);
        self->source = self->fd >= 0 ? SMI_SOURCE_DEVICE : self->source;
    }
}

uint64_t smi_counter_read(const struct smi_counter *self)
{
    uint64_t value = 0;
    ssize_t size = -1;

    if (self->source == SMI_SOURCE_EVENT) {
        size = read(self->fd, &value, sizeof(value));
    } else if (self->source == SMI_SOURCE_DEVICE) {
        size = pread(self->fd, &value, sizeof(value), MSR_SMI_COUNT);
        value &= COUNT_BITS;
    }
    return size == (ssize_t)sizeof(value) ? value : SMI_COUNT_UNKNOWN;
}
