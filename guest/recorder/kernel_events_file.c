/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "kernel_events_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "clock.h"
#include "crc32.h"
#include "output.h"

static int add_block(struct kernel_events_file *file, enum block_kind kind, const void *data, uint32_t bytes)
{
    struct block_head head = { .kind = (uint32_t)kind, .bytes = bytes };

    head.crc = crc32_append(crc32_append(0, &head, offsetof(struct block_head, crc)), data, bytes);
    struct iovec parts[] = { { &head, sizeof(head) }, { (void *)(uintptr_t)data, bytes } };
    ssize_t size = writev(file->fd, parts, 2);

    if (size < 0) {
        return errno;
    }
    file->bytes += (uint64_t)size;
    return (size_t)size == sizeof(head) + bytes ? 0 : ENOSPC;
}

static int add_meter(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus)
{
    struct run_facts facts = { .machine = "recorder", .counter_hz = counter_hz(), .start_ns = clock_ns(CLOCK_MONOTONIC), .start_ticks = counter_ticks() };
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);

    if (lines == NULL) {
        return errno;
    }
    output_head(lines, &facts);
    for (unsigned i = 0; i < cpus; i++) {
        output_cpu(lines, events[i]->cpu, &events[i]->found);
    }
    output_end(lines);
    fclose(lines);
    int error = add_block(file, BLOCK_METER, text, (uint32_t)bytes);

    free(text);
    return error;
}

static int add_closed(struct kernel_events_file *file, const struct kernel_events *events)
{
    uint32_t closed[] = { events->cpu, (uint32_t)events->error };

    return events->error == 0 ? 0 : add_block(file, BLOCK_CLOSED, closed, sizeof(closed));
}

/* False where the CPU has no such state, which is so for all of them without a cpuidle driver. */
static bool read_idle_state(unsigned cpu, unsigned state, const char *what, char *text, size_t room)
{
    char path[96];

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/%s", cpu, state, what);
    FILE *file = fopen(path, "re");
    bool is_read = file != NULL && fgets(text, (int)room, file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    text[is_read ? strcspn(text, "\n") : 0] = '\0';
    return is_read;
}

static int add_idle_states(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus)
{
    char latency[24], name[48], *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);

    if (lines == NULL) {
        return errno;
    }
    for (unsigned i = 0; i < cpus; i++) {
        unsigned cpu = events[i]->cpu;

        for (unsigned state = 0; read_idle_state(cpu, state, "latency", latency, sizeof(latency)) && read_idle_state(cpu, state, "name", name, sizeof(name)); state++) {
            fprintf(lines, "%u %u %s %s\n", cpu, state, latency, name);
        }
    }
    fclose(lines);
    int error = add_block(file, BLOCK_IDLE_STATES, text, (uint32_t)bytes);

    free(text);
    return error;
}

int kernel_events_file_create(struct kernel_events_file *file, const char *path, const struct tracepoints *tracepoints,
                              struct kernel_events *const *events, unsigned cpus)
{
    file->bytes = 0;
    file->late = 0;
    work_names_open(&file->works, tracepoints);
    file->fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (file->fd < 0 || write(file->fd, KERNEL_EVENTS_MAGIC, sizeof(KERNEL_EVENTS_MAGIC) - 1U) < 0) {
        return errno;
    }
    int error = add_meter(file, events, cpus);

    error = error != 0 ? error : add_idle_states(file, events, cpus);
    for (unsigned i = 0; i < tracepoints->count && error == 0; i++) {
        error = add_block(file, BLOCK_FORMAT, tracepoints->points[i].format, tracepoints->points[i].format_bytes);
    }
    for (unsigned i = 0; i < cpus && error == 0; i++) {
        error = add_closed(file, events[i]);
    }
    return error;
}

int kernel_events_file_add(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus)
{
    static char late[sizeof(struct late_head) + KEPT_OF_LONG];
    int error = 0;

    for (unsigned i = 0; i < cpus; i++) {
        uint32_t bytes;

        while (error == 0 && (bytes = kernel_events_take(events[i], late)) != 0) {
            if (file->bytes + bytes > KERNEL_EVENTS_FILE_MOST || file->late == KERNEL_EVENTS_LATE_MOST) {
                events[i]->left_out++;
            } else {
                file->late++;
                work_names_note(&file->works, late + sizeof(struct late_head), bytes - (uint32_t)sizeof(struct late_head));
                error = add_block(file, BLOCK_LATE, late, bytes);
            }
        }
    }
    return error;
}

/* Names that cannot be read are none: the addresses are still told. */
static int add_names(struct kernel_events_file *file)
{
    FILE *symbols = fopen("/proc/kallsyms", "re");
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = symbols != NULL ? open_memstream(&text, &bytes) : NULL;
    int error = 0;

    if (lines != NULL) {
        work_names_write(&file->works, symbols, lines);
        fclose(lines);
        error = add_block(file, BLOCK_NAMES, text, (uint32_t)bytes);
        free(text);
    }
    if (symbols != NULL) {
        fclose(symbols);
    }
    return error;
}

int kernel_events_file_end(struct kernel_events_file *file, struct kernel_events *const *events, unsigned cpus)
{
    uint64_t sums[2U * RECORD_MAX_CPUS];
    int error = kernel_events_file_add(file, events, cpus);

    if (error == 0) {
        error = add_names(file);
    }
    for (unsigned i = 0; i < cpus; i++) {
        sums[2U * i] = events[i]->cpu;
        sums[2U * i + 1U] = events[i]->dropped + events[i]->left_out;
    }
    return error != 0 ? error : add_block(file, BLOCK_END, sums, cpus * 2U * (uint32_t)sizeof(sums[0]));
}
