/* SPDX-License-Identifier: BSD-3-Clause */
#include "outside_counts.h"

#include <errno.h>
#include <inttypes.h>

#include "clock.h"

#define LINE "LLOC1 "

int outside_counts_open(struct outside_counts *self, const char *path, unsigned cpus, const uint32_t *cpu_numbers)
{
    *self = (struct outside_counts){ .file = fopen(path, "we"), .cpus = cpus, .cpu_numbers = cpu_numbers, .steal = steal_clock_here() };
    if (self->file == NULL) {
        return errno;
    }
    fprintf(self->file, LINE "HEAD version=1 steal=%s tick_ns=%" PRIu64 "\n", steal_clock_word(self->steal), steal_clock_tick_ns());
    for (unsigned i = 0; i < cpus; i++) {
        smi_counter_open(&self->smis[i], cpu_numbers[i]);
        fprintf(self->file, LINE "CPU cpu=%" PRIu32 " smi=%s\n", cpu_numbers[i], smi_source_word(self->smis[i].source));
    }
    return outside_counts_note(self);
}

static void note_cpu(const struct outside_counts *self, unsigned index, uint64_t now_ns, const uint64_t *steal_ticks)
{
    uint32_t cpu = self->cpu_numbers[index];
    uint64_t smis = smi_counter_read(&self->smis[index]);

    fprintf(self->file, LINE "AT cpu=%" PRIu32 " ns=%" PRIu64, cpu, now_ns);
    if (steal_ticks != NULL && cpu < STEAL_CLOCK_MOST_CPUS) {
        fprintf(self->file, " steal_ticks=%" PRIu64, steal_ticks[cpu]);
    }
    if (smis != SMI_COUNT_UNKNOWN) {
        fprintf(self->file, " smis=%" PRIu64, smis);
    }
    fputc('\n', self->file);
}

int outside_counts_note(struct outside_counts *self)
{
    uint64_t steal_ticks[STEAL_CLOCK_MOST_CPUS];
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    bool has_steal = self->steal != STEAL_CLOCK_UNREADABLE && steal_clock_read(steal_ticks) == 0;

    for (unsigned i = 0; i < self->cpus; i++) {
        note_cpu(self, i, now_ns, has_steal ? steal_ticks : NULL);
    }
    return fflush(self->file) == 0 ? 0 : errno;
}

int outside_counts_close(struct outside_counts *self)
{
    int error = outside_counts_note(self);

    fputs(LINE "END\n", self->file);
    return fclose(self->file) == 0 || error != 0 ? error : errno;
}
