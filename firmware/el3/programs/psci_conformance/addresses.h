/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry points that no firmware for this machine may accept. */
#ifndef PSCI_CONFORMANCE_ADDRESSES_H
#define PSCI_CONFORMANCE_ADDRESSES_H

#include <stdint.h>

struct bad_address {
    const char *name;
    uint64_t address;
};

#define BAD_ADDRESSES                                                                                                            \
    {                                                                                                                            \
        { "in secure SRAM", 0x0e001000UL },                                                                                      \
        { "at the end of secure SRAM", 0x0efffffcUL },                                                                           \
        { "in secure flash", 0x0UL },                                                                                            \
        { "where nothing is mapped", 0x0001000000000000UL },                                                                     \
        { "at the end of the address space", 0xfffffffffffffffcUL },                                                             \
        { "misaligned by 1", 0x60000001UL },                                                                                     \
        { "misaligned by 2", 0x60000002UL },                                                                                     \
    }

#endif
