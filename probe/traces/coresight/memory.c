/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "world.h"

struct region {
    uint64_t address, length;
    const uint8_t *bytes;
    uint32_t space;
    void *mapped;
    size_t mapped_bytes;
};

static struct region *regions;
static size_t region_count;
static const struct region *last; /* the one that was asked for last: code stays in one region for long */

static bool is_there(const struct region *wanted)
{
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].address == wanted->address && regions[i].space == wanted->space && regions[i].length >= wanted->length) {
            return true;
        }
    }
    return false;
}

static bool map(const char *path, struct region *region, const char **reason)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);

    *reason = "cannot be opened";
    if (file < 0) {
        return false;
    }
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        region->mapped_bytes = (size_t)status.st_size;
        region->mapped = mmap(NULL, region->mapped_bytes, PROT_READ, MAP_PRIVATE, file, 0);
        *reason = "cannot be read";
    } else {
        region->mapped = MAP_FAILED;
        *reason = "is empty or no file";
    }
    close(file);
    return region->mapped != MAP_FAILED;
}

static bool fit(struct region *region, uint64_t offset)
{
    if (offset >= region->mapped_bytes) {
        return false;
    }
    region->bytes = (const uint8_t *)region->mapped + offset;
    if (region->length == 0 || region->length > region->mapped_bytes - offset) {
        region->length = region->mapped_bytes - offset;
    }
    return true;
}

bool memory_add(const char *path, uint64_t address, uint64_t offset, uint64_t length, uint32_t space, const char **reason)
{
    struct region region = { .address = address, .length = length, .space = space }, *grown;

    if (!map(path, &region, reason)) {
        return false;
    }
    if (!fit(&region, offset)) {
        *reason = "is shorter than the offset of its region";
        munmap(region.mapped, region.mapped_bytes);
        return false;
    }
    if (is_there(&region)) {
        munmap(region.mapped, region.mapped_bytes);
        return true;
    }
    grown = realloc(regions, (region_count + 1) * sizeof(*regions));
    if (grown == NULL) {
        abort();
    }
    regions = grown;
    regions[region_count++] = region;
    last = NULL;
    return true;
}

static bool has(const struct region *region, uint64_t address, uint32_t space)
{
    return (region->space & space) != 0 && address - region->address < region->length;
}

const uint8_t *memory_at(uint64_t address, uint32_t space, uint64_t *available)
{
    if (last == NULL || !has(last, address, space)) {
        last = NULL;
        for (size_t i = 0; i < region_count && last == NULL; i++) {
            last = has(&regions[i], address, space) ? &regions[i] : NULL;
        }
    }
    if (last == NULL) {
        *available = 0;
        return NULL;
    }
    *available = last->length - (address - last->address);
    return last->bytes + (address - last->address);
}

uint32_t memory_space(uint32_t world)
{
    uint32_t level = world & WORLD_LEVEL_MASK;

    if (level == WORLD_LEVEL_MASK) {
        return SPACE_EL3 | SPACE_ROOT;
    }
    if (world & WORLD_NO_LEVEL) {
        return world & WORLD_SECURE ? SPACE_SECURE : SPACE_NON_SECURE;
    }
    if (world & WORLD_REALM) {
        return level == 2 ? SPACE_EL2_REALM : SPACE_EL1_REALM;
    }
    if (world & WORLD_SECURE) {
        return level == 2 ? SPACE_EL2_SECURE : SPACE_EL1_SECURE;
    }
    return level == 2 ? SPACE_EL2 : SPACE_EL1;
}

void memory_release(void)
{
    for (size_t i = 0; i < region_count; i++) {
        munmap(regions[i].mapped, regions[i].mapped_bytes);
    }
    free(regions);
    regions = NULL;
    region_count = 0;
    last = NULL;
}
