# SPDX-License-Identifier: BSD-3-Clause
# How the programs of the non-secure side are made, and what they share with partitions of benches.
include(${FIRMWARE_DIR}/trace/wire/sources.cmake)
set(MPS_DIR ${SPM_DIR}/platform/mps_common)
set(BENCH_DIR ${SPM_DIR}/programs/bench)
set(DROP_IN_DIR ${SPM_DIR}/profiler/drop_in)
set(PROFILER_SOURCES
    ${SPM_DIR}/profiler/profiler.c ${SPM_DIR}/profiler/counter.c ${MPS_DIR}/counters.c ${FIRMWARE_DIR}/trace/trace.c
    ${FIRMWARE_DIR}/trace/trace_note.c ${BENCH_DIR}/cases.c)
set(PROGRAM_INCLUDES
    ${SPM_DIR}/arch/armv8m ${SPM_DIR}/profiler ${DROP_IN_DIR} ${FIRMWARE_DIR}/trace ${BENCH_DIR} ${PLATFORM_DIR} ${MPS_DIR}
    ${CMAKE_CURRENT_BINARY_DIR}/trace/include ${LATLAB_WIRE_INCLUDES})

set(NON_SECURE_LD ${CMAKE_CURRENT_BINARY_DIR}/non_secure.ld)
preprocess_linker_script(${MPS_DIR}/non_secure.ld.in ${NON_SECURE_LD} INCLUDES ${PLATFORM_DIR} DEPENDS ${PLATFORM_DIR}/memory_map.h)
add_custom_target(non_secure_ld DEPENDS ${NON_SECURE_LD})

# What every program has, compiled once. One with RTOS has it as sources: objects would come behind rtos.c in its image.
set(NS_RUNTIME ${BENCH_DIR}/ns_start.c ${BENCH_DIR}/ns_print.c ${LATLAB_WIRE_SOURCES})
add_library(ns_runtime OBJECT ${NS_RUNTIME})
target_include_directories(ns_runtime PRIVATE ${PROGRAM_INCLUDES})

# ns_image(NAME SECURE name [RTOS] SOURCES file...) makes a non-secure program that calls the veneers of an image; RTOS: through
# the interface with a lock.
function(ns_image NAME)
    cmake_parse_arguments(ARG "RTOS" "SECURE" "SOURCES;DEFINES;INCLUDES;LIBRARIES" ${ARGN})
    set(TARGET ${ARG_SECURE}_${NAME})
    set(INTERFACE $<IF:$<BOOL:${ARG_RTOS}>,${ARG_SECURE}_ns_rtos,${ARG_SECURE}_ns>)
    add_executable(${TARGET} ${ARG_SOURCES} "$<$<BOOL:${ARG_RTOS}>:${NS_RUNTIME}>")
    target_include_directories(${TARGET} PRIVATE ${PROGRAM_INCLUDES} ${ARG_INCLUDES})
    target_compile_definitions(${TARGET} PRIVATE TRACE_ENABLED=1 BENCH_FIRMWARE="${ARG_SECURE}" ${ARG_DEFINES})
    target_link_options(${TARGET} PRIVATE -T ${NON_SECURE_LD})
    target_link_libraries(${TARGET} PRIVATE $<$<NOT:$<BOOL:${ARG_RTOS}>>:$<TARGET_OBJECTS:ns_runtime>> -Wl,--start-group ${ARG_LIBRARIES} ${INTERFACE} c gcc -Wl,--end-group)
    add_dependencies(${TARGET} ${ARG_SECURE}_secure non_secure_ld latlab_events_header)
    set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME ${ARG_SECURE}/${NAME} SUFFIX .elf LINK_DEPENDS ${NON_SECURE_LD})
endfunction()
