/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "firmware_call.h"

#include <fcntl.h>
#include <linux/random.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define RING_INFO "/proc/latlab_el3/info"
#define PSCI_FEATURES "/sys/kernel/debug/psci"
#define TRNG_DEVICE "/sys/devices/platform/smccc_trng"
#define RANDOM "/dev/random"
#define HWRNG "/dev/hwrng"
#define HWRNG_DRIVER "/sys/class/misc/hw_random/rng_current"
#define HWRNG_BYTES 64U /* more than the kernel keeps of it */

static bool read_whole(const char *path)
{
    char buffer[4096];
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0) {
        return false;
    }
    ssize_t size = read(file, buffer, sizeof(buffer));

    close(file);
    return size > 0;
}

/* Our own module asks our own firmware: one call for each read. */
static bool rings_possible(void)
{
    return access(RING_INFO, R_OK) == 0;
}

static bool rings_call(void)
{
    return read_whole(RING_INFO);
}

/* Since 6.2 the kernel asks PSCI_FEATURES of each function whenever this file is read. */
static bool psci_possible(void)
{
    return access(PSCI_FEATURES, R_OK) == 0;
}

static bool psci_call(void)
{
    return read_whole(PSCI_FEATURES);
}

/* A reseed takes new entropy; where the firmware has a TRNG, arm64 asks that first. */
static bool reseed_call(void)
{
    int file = open(RANDOM, O_RDWR | O_CLOEXEC);

    if (file < 0) {
        return false;
    }
    int result = ioctl(file, RNDRESEEDCRNG);

    close(file);
    return result == 0;
}

static bool reseed_possible(void)
{
    return access(TRNG_DEVICE, F_OK) == 0 && reseed_call();
}

static bool hwrng_call(void)
{
    char buffer[HWRNG_BYTES];
    int file = open(HWRNG, O_RDONLY | O_CLOEXEC);

    if (file < 0) {
        return false;
    }
    ssize_t size = read(file, buffer, sizeof(buffer));

    close(file);
    return size > 0;
}

static bool driver_is_the_firmwares(void)
{
    char name[64] = { 0 };
    int file = open(HWRNG_DRIVER, O_RDONLY | O_CLOEXEC);

    if (file < 0) {
        return false;
    }
    ssize_t size = read(file, name, sizeof(name) - 1U);

    close(file);
    return size > 0 && (strstr(name, "smccc_trng") != NULL || strstr(name, "optee") != NULL);
}

static bool hwrng_possible(void)
{
    return driver_is_the_firmwares() && hwrng_call();
}

static const struct firmware_call calls[] = {
    { "latlab_el3", rings_possible, rings_call },
    { "psci_features", psci_possible, psci_call },
    { "trng_reseed", reseed_possible, reseed_call },
    { "hwrng", hwrng_possible, hwrng_call },
};

const struct firmware_call *firmware_call_here(void)
{
    for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (calls[i].possible()) {
            return &calls[i];
        }
    }
    return NULL;
}
