/* SPDX-License-Identifier: BSD-3-Clause */
#include "registers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "mmio.h"
#include "sysregs.h"

#define MOST_REGISTERS 2048U
#define NAME_BYTES 32U
#define MOST_READS 100000U /* a loop that waits for ever ends here */

static struct {
    char name[NAME_BYTES];
    uint64_t value;
} registers[MOST_REGISTERS];
static unsigned count;
static unsigned reads;

static char written[1U << 16];
static size_t written_bytes;
static char wanted[1U << 16];
static size_t wanted_bytes;

void machine_clear(void)
{
    count = 0;
    reads = 0;
    written_bytes = 0;
    written[0] = '\0';
    wanted_bytes = 0;
    wanted[0] = '\0';
}

static uint64_t *find(const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(registers[i].name, name) == 0) {
            return &registers[i].value;
        }
    }
    return NULL;
}

void machine_set(const char *name, uint64_t value)
{
    uint64_t *known = find(name);

    if (known != NULL) {
        *known = value;
        return;
    }
    if (count == MOST_REGISTERS || strlen(name) >= NAME_BYTES) {
        fail_msg("no room for register %s", name);
    }
    strcpy(registers[count].name, name);
    registers[count++].value = value;
}

uint64_t machine_get(const char *name)
{
    const uint64_t *known = find(name);

    if (known == NULL) {
        fail_msg("%s has been neither set nor written", name);
        return 0;
    }
    return *known;
}

uint64_t machine_read(const char *name)
{
    if (++reads > MOST_READS) {
        fail_msg("%s is read again and again", name);
    }
    return machine_get(name);
}

__attribute__((weak)) uint64_t machine_register_says(const char *name, uint64_t value)
{
    (void)name;
    return value;
}

void machine_note(const char *what)
{
    int more = snprintf(written + written_bytes, sizeof(written) - written_bytes, "%s\n", what);

    if (more < 0 || (size_t)more >= sizeof(written) - written_bytes) {
        fail_msg("too much is written");
    }
    written_bytes += (size_t)more;
}

void machine_write(const char *name, uint64_t value)
{
    char line[2U * NAME_BYTES];

    machine_set(name, value);
    snprintf(line, sizeof(line), "%s=%llx", name, (unsigned long long)value);
    machine_note(line);
}

const char *machine_written(void)
{
    static char said[sizeof(written)];

    memcpy(said, written, written_bytes + 1);
    written_bytes = 0;
    written[0] = '\0';
    return said;
}

void machine_want(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    int more = vsnprintf(wanted + wanted_bytes, sizeof(wanted) - wanted_bytes, format, values);
    va_end(values);
    if (more < 0 || (size_t)more >= sizeof(wanted) - wanted_bytes) {
        fail_msg("too much is wanted");
    }
    wanted_bytes += (size_t)more;
}

const char *machine_expected(void)
{
    wanted_bytes = 0;
    return wanted;
}

static const char *device_name(uintptr_t address)
{
    static char name[NAME_BYTES];

    snprintf(name, sizeof(name), "[%llx]", (unsigned long long)address);
    return name;
}

void machine_set_device(uintptr_t address, uint32_t value)
{
    machine_set(device_name(address), value);
}

__attribute__((weak)) uint32_t machine_device_says(uintptr_t address, uint32_t value)
{
    (void)address;
    return value;
}

void mmio_write32(uintptr_t address, uint32_t value)
{
    machine_write(device_name(address), value);
}

void mmio_write8(uintptr_t address, uint8_t value)
{
    machine_write(device_name(address), value);
}

uint32_t mmio_read32(uintptr_t address)
{
    return machine_device_says(address, (uint32_t)machine_read(device_name(address)));
}
