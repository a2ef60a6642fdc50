/* SPDX-License-Identifier: BSD-3-Clause */
/* The drop-in profiler beside this SPM: runs the cases in both worlds and prints them as the reference's cases do. */
#include "ns.h"
#include "prof_intf_ns.h"

#define PROF_TOPIC PROF_TOPIC_NON_SECURE
#include "prof_cases.h"

#define SECURE_RAM ((uint32_t *)0x38000000U)

static void print_average(const char *world, const char *call, uint32_t count)
{
    ns_print(world);
    ns_print(" ");
    ns_print(call);
    ns_print_unsigned(" average is ", count);
    ns_print(" CPU cycles\r\n");
}

/* The veneers write where the caller may, and nowhere else. */
static bool pointers_are_checked(void)
{
    uint32_t word = 0;

    return !prof_get_data_start_veneer(SECURE_RAM, &word, 0, 0) && !prof_get_data_start_veneer(&word, SECURE_RAM, 0, 0) && word == 0U &&
           PROF_FETCH_DATA_START(&word, &word, PROF_CONNECT, PROF_TOPIC);
}

uint32_t ns_main(void)
{
    if (psa_call(LATLAB_PROF_START_HANDLE, PSA_IPC_CALL, NULL, 0, NULL, 0) != PSA_SUCCESS || !prof_run_cases()) {
        return 1;
    }
#define X(world, topic, name, begin, end) print_average(world, name, PROF_DATA_DIFF_AVG(begin, topic, end, topic));
    PROF_CASES_OF(X, "secure", PROF_TOPIC_SECURE)
    PROF_CASES_OF(X, "non-secure", PROF_TOPIC_NON_SECURE)
#undef X
    ns_print_unsigned("checkpoints lost: ", PROF_LOST());
    ns_print("\r\n");
    return pointers_are_checked() && PROF_LOST() == 0U ? 0U : 2U;
}
