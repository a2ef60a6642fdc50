# SPDX-License-Identifier: BSD-3-Clause
# The partitions of benches and tests: a folder each, and what some of them share.
set(PARTITIONS_DIR ${SPM_DIR}/partitions)
set(bench_service_sfn_SHARED ${PARTITIONS_DIR}/bench/bench_echo.c)
set(bench_service_ipc_SHARED ${PARTITIONS_DIR}/bench/bench_echo.c)
set(bench_service_planted_SHARED ${PARTITIONS_DIR}/bench/bench_echo.c)
set(bench_client_SHARED ${PROFILER_SOURCES})
set(test_server_ipc_SHARED ${PARTITIONS_DIR}/test/test_server.c)
set(test_server_sfn_SHARED ${PARTITIONS_DIR}/test/test_server.c)
set(prof_client_SHARED ${DROP_IN_DIR}/prof_store.c ${SPM_DIR}/platform/mps_common/prof_hal_timer0.c)

file(GLOB MANIFESTS ${PARTITIONS_DIR}/*/*/*.json)
foreach(MANIFEST ${MANIFESTS})
    cmake_path(GET MANIFEST PARENT_PATH FOLDER)
    cmake_path(GET FOLDER FILENAME NAME)
    file(GLOB SOURCES ${FOLDER}/*.c)
    spm_partition(${NAME} MANIFEST ${MANIFEST} SOURCES ${SOURCES} ${${NAME}_SHARED}
        INCLUDES ${PROGRAM_INCLUDES} ${PARTITIONS_DIR}/bench ${PARTITIONS_DIR}/test DEFINES TRACE_ENABLED=1 DEPENDS latlab_events_header)
endforeach()
