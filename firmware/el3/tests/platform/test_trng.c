/* SPDX-License-Identifier: BSD-3-Clause */
/* SplitMix64 from the platform's seed: the numbers are those of another implementation of the same. */
#include "harness.h"
#include "qemu_tree.h"
#include "registers.h"

TEST(the_seeded_generator_gives_the_numbers_of_splitmix64_and_holds_its_lock_while_it_steps)
{
    static const uint64_t known[] = {
        0x3509AA5FEEE0B5AE, 0xAE810A96ED559EC2, 0xAE63130ABB62C1C5,
        0x12FC207250763323, 0x40FC38648F223EBD, 0xB1E9FD6237DB9138,
    };

    machine_clear();
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CHECK_EQUAL(qemu_tree_random(), known[i]);
        CHECK_TEXT("lock\nunlock\n", machine_written());
    }
}
