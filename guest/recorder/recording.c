/* SPDX-License-Identifier: BSD-3-Clause */
#include "recording.h"

static int write_outliers(struct recording *recording, struct measurer *measurers, unsigned index)
{
    struct record_file *file = &recording->file;
    uint32_t count = 0;

    while (count < OUTLIERS_HELD && outlier_take(&measurers[index].queue, &recording->batch[count])) {
        if (file->outliers_written + count < RECORD_OUTLIERS_MAX) {
            count++;
        } else {
            recording->left_out[index]++;
        }
    }
    return count == 0 ? 0 : record_outliers(file, recording->batch, count);
}

/* The outliers first: a checkpoint never counts one that is not in the file or among those left out. */
int recording_checkpoint(struct recording *recording, struct measurer *measurers, struct recording_moment (*now)(void), bool is_final)
{
    struct record_slot slot = { .is_final = is_final };
    int error = 0;

    for (unsigned i = 0; i < recording->file.header.cpus && error == 0; i++) {
        measure_snapshot(&measurers[i], &recording->copies[i]);
        error = recording->write_error == 0 ? write_outliers(recording, measurers, i) : 0;
        recording->copies[i].outliers_dropped += recording->left_out[i];
    }
    struct recording_moment moment = now();

    slot.now_ns = moment.ns;
    slot.now_ticks = moment.ticks;
    slot.continued_ns = moment.continued_ns;
    slot.continued = moment.continued;
    slot.stopped_by = moment.stopped_by;
    slot.write_error = (uint32_t)recording->write_error;
    return error == 0 ? record_checkpoint(&recording->file, slot, recording->copies) : error;
}

bool recording_has_ended(const struct recording *recording)
{
    for (unsigned i = 0; i < recording->file.header.cpus; i++) {
        if (recording->copies[i].left_ns == 0) {
            return false;
        }
    }
    return true;
}
