/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors that lie over each other, and MM-IOVEC. */
#include "conformance.h"
#include "psa_manifest/sid.h"
#include "test_requests.h"

static bool overlapping_vectors(const struct test *test)
{
    uint8_t bytes[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    psa_invec apart[2] = { { bytes, 4 }, { &bytes[4], 4 } };
    psa_invec shared[2] = { { bytes, 5 }, { &bytes[4], 4 } };
    psa_invec empty[2] = { { bytes, 8 }, { &bytes[4], 0 } };
    psa_outvec out[2] = { { bytes, 4 }, { &bytes[4], 4 } };
    psa_outvec one[2] = { { bytes, 8 }, { bytes, 8 } };

    (void)test;
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, apart, 2, out, 2) == PSA_SUCCESS && out[0].len == 4U && bytes[7] == 8U);
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, shared, 2, one, 2) == PSA_ERROR_PROGRAMMER_ERROR && one[0].len == 8U);
    CHECK(psa_call(TEST_STATELESS_HANDLE, SERVER_ECHO, empty, 2, one, 2) == PSA_SUCCESS && one[0].len == 8U && one[1].len == 0U);
    return true;
}

#if SPM_LEVEL == 1
static bool mapped_vectors(const struct test *test)
{
    static const char text[] = "stressed";
    char reversed[10] = { 0 };
    psa_invec in = { text, 8 };
    psa_outvec out = { reversed, 10 };

    (void)test;
    CHECK(psa_call(TEST_MAPPER_HANDLE, MAPPER_REVERSE, &in, 1, &out, 1) == PSA_SUCCESS && out.len == 8U);
    CHECK(reversed[0] == 'd' && reversed[7] == 's' && reversed[8] == 0);
    CHECK(psa_call(TEST_MAPPER_HANDLE, MAPPER_FORGET, NULL, 0, &out, 1) == PSA_SUCCESS && out.len == 0U && reversed[0] == 0x5A);
    return true;
}

#define MAPPER TEST_MAPPER_HANDLE
#else
#define mapped_vectors request_alone
#define MAPPER         0
#endif

const struct test mapping_tests[] = {
    { "inputs share no byte, outputs may", overlapping_vectors, SPM_CAUSE_NONE, ANY_BUILD, 0, 0 },
    { "a service maps its client's vectors", mapped_vectors, SPM_CAUSE_NONE, ONLY_LEVEL_1, 0, 0 },
    { "reading a mapped vector panics", request_alone, SPM_CAUSE_MAPPING, ONLY_LEVEL_1, MAPPER, MAPPER_READ_MAPPED },
    { "unmapping more than there is panics", request_alone, SPM_CAUSE_OVERFLOW, ONLY_LEVEL_1, MAPPER, MAPPER_UNMAP_TOO_MUCH },
};
const uint32_t mapping_test_count = sizeof(mapping_tests) / sizeof(mapping_tests[0]);
