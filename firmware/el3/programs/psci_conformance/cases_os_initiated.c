/* SPDX-License-Identifier: BSD-3-Clause */
/* SET_SUSPEND_MODE, and CPU_SUSPEND in OS-initiated mode. */
#include "cases.h"

#include <stdint.h>

#include "board.h"
#include "check.h"
#include "core.h"
#include "gic.h"
#include "others.h"
#include "psci.h"
#include "smc.h"
#include "suspend.h"
#include "timer.h"

#define PLATFORM_COORDINATED 0
#define OS_INITIATED 1
#define LAST_IN_CLUSTER 0x01011022U
#define LAST_IN_SYSTEM 0x02012222U
#define SLEEP_US 2000UL
#define OTHER_SLEEP_US 50000UL
#define CONTEXT 0x0511UL

static void set_mode(const char *name, int64_t expected, uint32_t mode)
{
    if (expected == PSCI_SUCCESS) {
        check_call(name, expected, PSCI_SET_SUSPEND_MODE, mode, 0, 0);
    } else {
        check_refused(name, expected, PSCI_SET_SUSPEND_MODE, mode, 0, 0);
    }
}

static void check_sleeps(const char *name, uint32_t power_state)
{
    struct suspend_result r;

    timer_start_at(timer_now() + timer_ticks_of_us(SLEEP_US));
    r = psci_cpu_suspend(power_state, CONTEXT);
    timer_stop();
    check_true(name, r.resumed && r.context_id == CONTEXT, "a resume with its context_id", r.status);
}

static void check_refuses(const char *name, uint32_t power_state)
{
    check_refused(name, PSCI_DENIED, SMC64(PSCI_CPU_SUSPEND), power_state, (uint64_t)payload_resume, CONTEXT);
}

static void check_calls_without_power_state(void)
{
    struct suspend_result r;

    timer_start_at(timer_now() + timer_ticks_of_us(SLEEP_US));
    r = psci_resumable_call(SMC64(PSCI_SYSTEM_SUSPEND), (uint64_t)payload_resume, CONTEXT, 0);
    timer_stop();
    check_true("SYSTEM_SUSPEND succeeds in OS-initiated mode too", r.resumed && r.context_id == CONTEXT,
               "a resume with its context_id", r.status);
    timer_start_at(timer_now() + timer_ticks_of_us(SLEEP_US));
    r = psci_resumable_call(SMC64(PSCI_CPU_DEFAULT_SUSPEND), (uint64_t)payload_resume, CONTEXT, 0);
    timer_stop();
    check_equal("CPU_DEFAULT_SUSPEND succeeds in OS-initiated mode too", PSCI_SUCCESS, r.status);
}

static void check_beside_running_core(void)
{
    uint32_t in_cluster = other_core_in_cluster();
    uint32_t other = other_core();

    if (in_cluster != NO_CORE) {
        other_start(in_cluster);
        if (board.levels > 1) {
            check_refuses("In OS-initiated mode a core that is not the last of its cluster may not power it down", LAST_IN_CLUSTER);
        }
        check_sleeps("In OS-initiated mode a core that is not the last of its cluster may power itself down", POWER_STATE_DOWN_0);
        other_stop(in_cluster);
    }
    if (other != NO_CORE) {
        other_start(other);
        if (board.levels > 1) {
            check_refuses("In OS-initiated mode a core that is not the last of the system may not power it down", LAST_IN_SYSTEM);
        }
        set_mode("SET_SUSPEND_MODE back to platform-coordinated is DENIED while another core is on", PSCI_DENIED,
                 PLATFORM_COORDINATED);
        other_stop(other);
    }
}

static void check_beside_core_in_standby(void)
{
    uint32_t other = other_core_in_cluster();

    if (other == NO_CORE || board.levels == 1) {
        return;
    }
    other_start_suspended(other, POWER_STATE_STANDBY_0, NO_TIMER);
    timer_sleep_us(SLEEP_US);
    check_refused("In OS-initiated mode a cluster may not go deeper than a core in it", PSCI_INVALID_PARAMETERS, SMC64(PSCI_CPU_SUSPEND),
                  LAST_IN_CLUSTER, (uint64_t)payload_resume, CONTEXT);
    gic_wake_core(other);
    timer_sleep_us(SLEEP_US);
    other_stop(other);
}

static void check_from_suspended_core(void)
{
    uint32_t other = other_core();

    if (other == NO_CORE) {
        return;
    }
    other_start_suspended(other, POWER_STATE_DOWN_0, OTHER_SLEEP_US);
    timer_sleep_us(OTHER_SLEEP_US / 2);
    set_mode("SET_SUSPEND_MODE to OS-initiated is DENIED while another core is in CPU_SUSPEND", PSCI_DENIED, OS_INITIATED);
    other_stop(other);
    check_equal("A suspended core wakes up after a refused SET_SUSPEND_MODE", PSCI_SUCCESS, other_suspend_status());
}

static void check_with_all_on(void)
{
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            other_start(i);
        }
    }
    set_mode("SET_SUSPEND_MODE to OS-initiated succeeds while every core runs", PSCI_SUCCESS, OS_INITIATED);
    for (uint32_t i = 0; i < core_count; i++) {
        if (i != lead_index) {
            other_stop(i);
        }
    }
    set_mode("SET_SUSPEND_MODE back to platform-coordinated succeeds on the only core that is on", PSCI_SUCCESS,
             PLATFORM_COORDINATED);
}

void cases_os_initiated(void)
{
    set_mode("SET_SUSPEND_MODE refuses mode 2", PSCI_INVALID_PARAMETERS, 2);
    set_mode("SET_SUSPEND_MODE refuses mode 0xffffffff", PSCI_INVALID_PARAMETERS, 0xffffffff);
    set_mode("SET_SUSPEND_MODE to the mode that is set succeeds", PSCI_SUCCESS, PLATFORM_COORDINATED);
    check_from_suspended_core();
    set_mode("SET_SUSPEND_MODE to OS-initiated succeeds on the only core that is on", PSCI_SUCCESS, OS_INITIATED);
    set_mode("SET_SUSPEND_MODE to OS-initiated succeeds twice", PSCI_SUCCESS, OS_INITIATED);
    check_sleeps("In OS-initiated mode a core may power itself down", POWER_STATE_DOWN_0);
    if (board.levels > 1) {
        check_sleeps("In OS-initiated mode the last core of a cluster may power it down", LAST_IN_CLUSTER);
        check_sleeps("In OS-initiated mode the last core of the system may power it down", LAST_IN_SYSTEM);
    }
    check_calls_without_power_state();
    check_beside_running_core();
    check_beside_core_in_standby();
    set_mode("SET_SUSPEND_MODE to platform-coordinated succeeds on the only core that is on", PSCI_SUCCESS, PLATFORM_COORDINATED);
    check_with_all_on();
}
