/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of PSCI (Arm DEN0022 F.b), for the firmware that answers them and for the programs that make them: their ids, and
 * a table of those that this firmware has.
 */
#ifndef PSCI_CALLS_H
#define PSCI_CALLS_H

/* Those with a 64-bit form have it at PSCI_ID_64(id). */
#define PSCI_ID_64(id) ((id) | 0x40000000U)
#define PSCI_VERSION 0x84000000U
#define PSCI_CPU_SUSPEND 0x84000001U
#define PSCI_CPU_OFF 0x84000002U
#define PSCI_CPU_ON 0x84000003U
#define PSCI_AFFINITY_INFO 0x84000004U
#define PSCI_MIGRATE 0x84000005U
#define PSCI_MIGRATE_INFO_TYPE 0x84000006U
#define PSCI_MIGRATE_INFO_UP_CPU 0x84000007U
#define PSCI_SYSTEM_OFF 0x84000008U
#define PSCI_SYSTEM_RESET 0x84000009U
#define PSCI_FEATURES 0x8400000AU
#define PSCI_CPU_FREEZE 0x8400000BU
#define PSCI_CPU_DEFAULT_SUSPEND 0x8400000CU
#define PSCI_NODE_HW_STATE 0x8400000DU
#define PSCI_SYSTEM_SUSPEND 0x8400000EU
#define PSCI_SET_SUSPEND_MODE 0x8400000FU
#define PSCI_STAT_RESIDENCY 0x84000010U
#define PSCI_STAT_COUNT 0x84000011U
#define PSCI_SYSTEM_RESET2 0x84000012U
#define PSCI_MEM_PROTECT 0x84000013U
#define PSCI_MEM_PROTECT_CHECK_RANGE 0x84000014U
#define PSCI_SYSTEM_OFF2 0x84000015U

/* What PSCI_FEATURES says of a call beside that it is there. */
#define PSCI_PLAIN 0
#define PSCI_ORIGINAL_STATES_OS_INITIATED 1
#define PSCI_HIBERNATE_OFF 1

/*
 * CALL(id, has_64, features, ends, answer): whether there is a 64-bit form; what PSCI_FEATURES says; whether it may not come
 * back with these low halves of x1 and x2; what answers it, in terms of x1 to x3. The last three are expressions: the firmware
 * takes `features` and `answer`, a program that must come back takes `ends`.
 */
#define PSCI_CALLS(CALL)                                                                                                         \
    CALL(PSCI_VERSION, false, PSCI_PLAIN, false, PSCI_VERSION_1_3)                                                               \
    CALL(PSCI_CPU_SUSPEND, true, PSCI_ORIGINAL_STATES_OS_INITIATED, false, psci_cpu_suspend((uint32_t)x1, x2, x3))               \
    CALL(PSCI_CPU_OFF, false, PSCI_PLAIN, true, (psci_cpu_off(), 0))                                                             \
    CALL(PSCI_CPU_ON, true, PSCI_PLAIN, false, psci_cpu_on(x1, x2, x3))                                                          \
    CALL(PSCI_AFFINITY_INFO, true, PSCI_PLAIN, false, psci_affinity_info(x1, x2))                                                \
    CALL(PSCI_MIGRATE_INFO_TYPE, false, PSCI_PLAIN, false, PSCI_NOTHING_TO_MIGRATE)                                              \
    CALL(PSCI_SYSTEM_OFF, false, PSCI_PLAIN, true, (psci.platform->system_off(), 0))                                             \
    CALL(PSCI_SYSTEM_RESET, false, PSCI_PLAIN, true, (psci_system_reset(), 0))                                                   \
    CALL(PSCI_FEATURES, false, PSCI_PLAIN, false, psci_features((uint32_t)x1))                                                   \
    CALL(PSCI_CPU_DEFAULT_SUSPEND, true, PSCI_PLAIN, false, psci_cpu_suspend(psci.platform->default_suspend_state, x1, x2))      \
    CALL(PSCI_NODE_HW_STATE, true, PSCI_PLAIN, false, psci_node_hw_state(x1, x2))                                                \
    CALL(PSCI_SYSTEM_SUSPEND, true, PSCI_PLAIN, false, psci_system_suspend(x1, x2))                                              \
    CALL(PSCI_SET_SUSPEND_MODE, false, PSCI_PLAIN, false, psci_set_suspend_mode(x1))                                             \
    CALL(PSCI_STAT_RESIDENCY, true, PSCI_PLAIN, false, psci_stat_residency_us(x1, (uint32_t)x2))                                 \
    CALL(PSCI_STAT_COUNT, true, PSCI_PLAIN, false, psci_stat_count(x1, (uint32_t)x2))                                            \
    CALL(PSCI_SYSTEM_RESET2, true, PSCI_PLAIN, x1 == 0, psci_system_reset2((uint32_t)x1))                                        \
    CALL(PSCI_MEM_PROTECT, false, psci_mem_protect_features(), false, psci_mem_protect((uint32_t)x1))                            \
    CALL(PSCI_MEM_PROTECT_CHECK_RANGE, true, psci_mem_protect_features(), false, psci_mem_protect_check_range(x1, x2))           \
    CALL(PSCI_SYSTEM_OFF2, true, PSCI_HIBERNATE_OFF, x1 <= PSCI_HIBERNATE_OFF && x2 == 0, psci_system_off2((uint32_t)x1, x2))

#endif
