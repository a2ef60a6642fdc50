/* SPDX-License-Identifier: BSD-3-Clause */
/* MM-IOVEC, and inputs that lie over each other. */
#include <string.h>

#include "system.h"

#define BYTES 8U

static uint8_t input[BYTES];
static uint8_t output[BYTES];
static uint8_t buffer[BYTES];
static psa_invec in[2];
static psa_outvec out[2];
static spm_word message;

void harness_before_each(void)
{
    system_start();
    memcpy(input, "mapping", BYTES);
    memset(output, 0, BYTES);
    in[0] = (psa_invec){ input, BYTES };
    in[1] = (psa_invec){ NULL, 0 };
    out[0] = (psa_outvec){ output, BYTES };
    out[1] = (psa_outvec){ NULL, 0 };
    grant(&spm_ns_agent, in, sizeof(in), true);
    grant(&spm_ns_agent, out, sizeof(out), true);
    grant(&spm_ns_agent, input, BYTES, false);
    grant(&spm_ns_agent, output, BYTES, true);
    grant(&server, buffer, BYTES, true);
}

static psa_status_t call(psa_handle_t handle, uint32_t in_count, uint32_t out_count)
{
    run_as(&spm_ns_agent);
    return (psa_status_t)spm_call((spm_word)handle, psa_control(0, in_count, out_count), (spm_word)in, (spm_word)out);
}

static void begin(psa_handle_t handle, psa_signal_t signal)
{
    call(handle, 2, 2);
    message = (spm_word)take(signal).handle;
}

static void begin_mapped(void)
{
    begin(MAPPED_HANDLE, SERVER_SIGNAL_MAPPED);
}

TEST(a_service_works_on_its_clients_memory_itself)
{
    begin_mapped();
    CHECK(spm_map_invec(message, 0) == (spm_word)input && spm_map_outvec(message, 0) == (spm_word)output);
    output[0] = input[0];
    spm_unmap_invec(message, 0);
    spm_unmap_outvec(message, 0, 1);
    spm_reply(message, 0);
    CHECK(woken(&spm_ns_agent) == 0U && out[0].len == 1U && output[0] == 'm');
}

TEST(an_output_that_is_not_unmapped_counts_as_nothing_written)
{
    begin_mapped();
    spm_map_outvec(message, 0);
    spm_reply(message, 0);
    CHECK(woken(&spm_ns_agent) == 0U && out[0].len == 0U);
}

TEST(an_output_may_be_unmapped_as_full)
{
    begin_mapped();
    spm_map_outvec(message, 0);
    spm_unmap_outvec(message, 0, BYTES);
    spm_reply(message, 0);
    CHECK(woken(&spm_ns_agent) == 0U && out[0].len == BYTES);
}

TEST(one_vector_is_copied_and_another_mapped)
{
    begin_mapped();
    CHECK(spm_read(message, 0, (spm_word)buffer, BYTES) == BYTES && spm_map_outvec(message, 0) == (spm_word)output);
    spm_reply(message, 0);
    woken(&spm_ns_agent);
    out[0].len = BYTES;
    begin_mapped();
    CHECK(spm_map_invec(message, 0) == (spm_word)input);
    spm_write(message, 0, (spm_word)buffer, 3);
    spm_reply(message, 0);
    CHECK(woken(&spm_ns_agent) == 0U && out[0].len == 3U);
}

TEST(the_next_call_may_map_again)
{
    for (unsigned i = 0; i < 3; i++) {
        out[0].len = BYTES;
        begin_mapped();
        CHECK(spm_map_invec(message, 0) == (spm_word)input && spm_map_outvec(message, 0) == (spm_word)output);
        spm_unmap_outvec(message, 0, i);
        spm_reply(message, 0);
        CHECK(woken(&spm_ns_agent) == 0U && out[0].len == i);
    }
}

static void map_in(void)
{
    spm_map_invec(message, 0);
}

static void map_out(void)
{
    spm_map_outvec(message, 0);
}

static void unmap_in(void)
{
    spm_unmap_invec(message, 0);
}

static void unmap_out(void)
{
    spm_unmap_outvec(message, 0, 0);
}

static void unmap_too_much(void)
{
    spm_unmap_outvec(message, 0, BYTES + 1U);
}

static void read_some(void)
{
    spm_read(message, 0, (spm_word)buffer, 1);
}

static void skip_some(void)
{
    spm_skip(message, 0, 1);
}

static void write_some(void)
{
    spm_write(message, 0, (spm_word)buffer, 1);
}

static void map_empty_in(void)
{
    spm_map_invec(message, 1);
}

static void map_empty_out(void)
{
    spm_map_outvec(message, 1);
}

static void map_no_in(void)
{
    spm_map_invec(message, 2);
}

static void map_no_out(void)
{
    spm_map_outvec(message, 2);
}

static void map_bad_index(void)
{
    spm_map_invec(message, PSA_MAX_IOVEC);
}

static void nothing(void)
{
}

TEST(a_vector_is_mapped_or_copied_and_unmapped_once)
{
    static const struct {
        void (*first)(void);
        void (*second)(void);
        void (*third)(void);
        enum spm_cause cause;
    } cases[] = {
        { nothing, map_in, map_in, SPM_CAUSE_MAPPING },       { nothing, map_out, map_out, SPM_CAUSE_MAPPING },
        { map_in, unmap_in, map_in, SPM_CAUSE_MAPPING },      { map_out, unmap_out, map_out, SPM_CAUSE_MAPPING },
        { map_in, unmap_in, unmap_in, SPM_CAUSE_MAPPING },    { map_out, unmap_out, unmap_out, SPM_CAUSE_MAPPING },
        { nothing, nothing, unmap_in, SPM_CAUSE_MAPPING },    { nothing, nothing, unmap_out, SPM_CAUSE_MAPPING },
        { nothing, map_in, unmap_out, SPM_CAUSE_MAPPING },    { nothing, map_out, unmap_in, SPM_CAUSE_MAPPING },
        { nothing, read_some, map_in, SPM_CAUSE_MAPPING },    { nothing, skip_some, map_in, SPM_CAUSE_MAPPING },
        { nothing, write_some, map_out, SPM_CAUSE_MAPPING },  { nothing, map_in, read_some, SPM_CAUSE_MAPPING },
        { nothing, map_in, skip_some, SPM_CAUSE_MAPPING },    { nothing, map_out, write_some, SPM_CAUSE_MAPPING },
        { map_in, unmap_in, read_some, SPM_CAUSE_MAPPING },   { map_out, unmap_out, write_some, SPM_CAUSE_MAPPING },
        { nothing, map_out, unmap_too_much, SPM_CAUSE_OVERFLOW }, { nothing, nothing, map_empty_in, SPM_CAUSE_VECTOR },
        { nothing, nothing, map_empty_out, SPM_CAUSE_VECTOR },    { nothing, nothing, map_no_in, SPM_CAUSE_VECTOR },
        { nothing, nothing, map_no_out, SPM_CAUSE_VECTOR },       { nothing, nothing, map_bad_index, SPM_CAUSE_VECTOR },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        harness_before_each();
        begin_mapped();
        CHECK(panic_of(cases[i].first) == SPM_CAUSE_NONE && panic_of(cases[i].second) == SPM_CAUSE_NONE);
        CHECK(panic_of(cases[i].third) == cases[i].cause);
    }
}

TEST(a_service_without_mm_iovec_maps_nothing_and_copies_as_before)
{
    begin(STATELESS_HANDLE, SERVER_SIGNAL_STATELESS);
    CHECK(panic_of(map_in) == SPM_CAUSE_MAPPING && panic_of(map_out) == SPM_CAUSE_MAPPING);
    CHECK(spm_read(message, 0, (spm_word)buffer, BYTES) == BYTES);
}

TEST(a_connection_has_no_vector_to_map)
{
    run_as(&spm_ns_agent);
    spm_connect(SID_CONNECTED, 3);
    message = (spm_word)take(SERVER_SIGNAL_CONNECTED).handle;
    CHECK(panic_of(map_in) == SPM_CAUSE_MESSAGE);
}

static psa_status_t call_with_inputs(size_t first, size_t first_bytes, size_t second, size_t second_bytes)
{
    harness_before_each();
    in[0] = (psa_invec){ input + first, first_bytes };
    in[1] = (psa_invec){ input + second, second_bytes };
    return call(STATELESS_HANDLE, 2, 0);
}

TEST(inputs_that_share_a_byte_are_refused)
{
    for (size_t first = 0; first < BYTES; first++) {
        for (size_t first_bytes = 0; first_bytes <= BYTES - first; first_bytes++) {
            for (size_t second = 0; second < BYTES; second++) {
                for (size_t second_bytes = 0; second_bytes <= BYTES - second; second_bytes++) {
                    bool shared = false;

                    for (size_t at = first; at < first + first_bytes; at++) {
                        shared = shared || (at >= second && at < second + second_bytes);
                    }

                    psa_status_t status = call_with_inputs(first, first_bytes, second, second_bytes);

                    CHECK(spm_ns_agent.deferred == (shared ? 0U : 1U));
                    CHECK(!shared || status == PSA_ERROR_PROGRAMMER_ERROR);
                }
            }
        }
    }
}

TEST(an_output_may_lie_over_an_input_and_over_another_output)
{
    harness_before_each();
    in[0] = (psa_invec){ output, BYTES };
    out[1] = out[0];
    call(STATELESS_HANDLE, 1, 2);
    CHECK(spm_ns_agent.deferred == 1U);
}
