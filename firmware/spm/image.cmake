# SPDX-License-Identifier: BSD-3-Clause
# Where a partition's sources lie and what it shares with others.
set(bench_service_sfn_SHARED bench/bench_echo.c)
set(bench_service_ipc_SHARED bench/bench_echo.c)
set(test_server_ipc_SHARED test/test_server.c)
set(test_server_sfn_SHARED test/test_server.c)
set(bench_service_planted_SHARED bench/bench_echo.c)

set(PROFILER_SOURCES
    ${SPM_DIR}/profiler/profiler.c ${SPM_DIR}/profiler/counter.c ${PLATFORM_DIR}/counters.c ${FIRMWARE_DIR}/trace/trace.c
    ${FIRMWARE_DIR}/trace/trace_note.c ${BENCH_DIR}/cases.c)
set(PROFILER_INCLUDES ${SPM_DIR}/profiler ${FIRMWARE_DIR}/trace ${BENCH_DIR} ${CMAKE_CURRENT_BINARY_DIR}/trace/include)
set(bench_client_SOURCES ${PROFILER_SOURCES})

# A linker script is C text first: it shares addresses with the code.
function(preprocess_linker_script INPUT OUTPUT)
    cmake_parse_arguments(ARG "" "" "INCLUDES;DEFINES;DEPENDS" ${ARGN})
    list(TRANSFORM ARG_INCLUDES PREPEND -I)
    list(TRANSFORM ARG_DEFINES PREPEND -D)
    add_custom_command(
        OUTPUT ${OUTPUT}
        COMMAND ${CMAKE_C_COMPILER} -E -P -x c ${ARG_INCLUDES} ${ARG_DEFINES} ${INPUT} -o ${OUTPUT}
        DEPENDS ${INPUT} ${PLATFORM_DIR}/memory_map.h ${ARG_DEPENDS}
        VERBATIM)
endfunction()

# spm_image(NAME BACKEND sfn|ipc LEVEL n GATE none|thread|svc|classic PARTITIONS directory...
#           [EXTERNAL manifest=archive...] [PLATFORMS file...] [SOURCES file...])
# makes NAME_secure, the secure image, and its veneer library for the non-secure side. EXTERNAL names partitions that were
# built elsewhere, PLATFORMS further names of devices and interrupts, SOURCES further veneers, which no partition refers to.
function(spm_image NAME)
    cmake_parse_arguments(ARG "" "BACKEND;LEVEL;GATE" "PARTITIONS;EXTERNAL;PLATFORMS;SOURCES;DEFINES" ${ARGN})
    set(OUT ${CMAKE_CURRENT_BINARY_DIR}/${NAME})
    string(TOUPPER "SPM_BACKEND_${ARG_BACKEND}=1" BACKEND_DEFINE)
    set(DEFINES SPM_LEVEL=${ARG_LEVEL} ${BACKEND_DEFINE} ${ARG_DEFINES})
    if(NOT ARG_GATE STREQUAL none)
        string(TOUPPER "SPM_GATE_${ARG_GATE}=1" GATE_DEFINE)
        list(APPEND DEFINES ${GATE_DEFINE})
    endif()

    set(MANIFESTS)
    set(GENERATED ${OUT}/spm_tables.c ${OUT}/partitions.ld)
    foreach(PARTITION ${ARG_PARTITIONS})
        file(GLOB MANIFEST ${SPM_DIR}/partitions/*/${PARTITION}/*.json ${SPM_DIR}/partitions/*/${PARTITION}/*.yaml)
        list(APPEND MANIFESTS ${MANIFEST})
    endforeach()
    set(GENERATE_OPTIONS --platform ${PLATFORM_DIR}/platform.json)
    foreach(FILE ${ARG_PLATFORMS})
        list(APPEND GENERATE_OPTIONS --platform ${FILE})
    endforeach()
    set(EXTERNAL_NAMES)
    set(EXTERNAL_ARCHIVES)
    foreach(PAIR ${ARG_EXTERNAL})
        string(REPLACE "=" ";" PAIR ${PAIR})
        list(GET PAIR 0 MANIFEST)
        list(GET PAIR 1 ARCHIVE)
        file(READ ${MANIFEST} TEXT)
        string(JSON PARTITION_NAME GET "${TEXT}" name)
        string(TOLOWER ${PARTITION_NAME} PARTITION_NAME)
        get_filename_component(ARCHIVE_NAME ${ARCHIVE} NAME)
        list(APPEND MANIFESTS ${MANIFEST})
        list(APPEND EXTERNAL_NAMES ${PARTITION_NAME})
        list(APPEND EXTERNAL_ARCHIVES ${ARCHIVE})
        list(APPEND GENERATE_OPTIONS --archive ${PARTITION_NAME}=${ARCHIVE_NAME})
    endforeach()
    execute_process(
        COMMAND ${Python3_EXECUTABLE} ${SPM_DIR}/manifests/generate.py --backend ${ARG_BACKEND} --level ${ARG_LEVEL} --out ${OUT}
            ${GENERATE_OPTIONS} ${MANIFESTS}
        COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB GENERATOR ${SPM_DIR}/manifests/*.py)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${MANIFESTS} ${GENERATOR} ${PLATFORM_DIR}/platform.json)

    set(INCLUDES ${SPM_DIR}/include ${SPM_DIR}/core ${SPM_DIR}/partitions ${SPM_DIR}/partitions/bench ${SPM_DIR}/partitions/test ${LATLAB_WIRE_INCLUDES} ${ARCH_DIR} ${PLATFORM_DIR} ${OUT}/include)
    set(ARCHIVES)
    foreach(PARTITION ${ARG_PARTITIONS})
        file(GLOB SOURCES ${SPM_DIR}/partitions/*/${PARTITION}/*.c)
        file(GLOB MANIFEST ${SPM_DIR}/partitions/*/${PARTITION}/*.json ${SPM_DIR}/partitions/*/${PARTITION}/*.yaml)
        file(READ ${MANIFEST} TEXT)
        string(JSON PARTITION_NAME GET "${TEXT}" name)
        string(TOLOWER ${PARTITION_NAME} PARTITION_NAME)
        list(TRANSFORM ${PARTITION}_SHARED PREPEND ${SPM_DIR}/partitions/ OUTPUT_VARIABLE SHARED)
        set(TARGET ${NAME}_partition_${PARTITION})
        add_library(${TARGET} STATIC ${SOURCES} ${SHARED} ${${PARTITION}_SOURCES} ${OUT}/${PARTITION_NAME}_memory.c)
        target_include_directories(${TARGET} PRIVATE ${INCLUDES} ${PROFILER_INCLUDES})
        target_compile_definitions(${TARGET} PRIVATE TRACE_ENABLED=1 ${DEFINES})
        add_dependencies(${TARGET} latlab_events_header)
        set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME partition_${PARTITION_NAME} ARCHIVE_OUTPUT_DIRECTORY ${OUT})
        list(APPEND ARCHIVES ${TARGET})
    endforeach()

    foreach(PARTITION_NAME ${EXTERNAL_NAMES})
        set(TARGET ${NAME}_partition_${PARTITION_NAME})
        add_library(${TARGET} STATIC ${OUT}/${PARTITION_NAME}_memory.c)
        target_include_directories(${TARGET} PRIVATE ${INCLUDES})
        set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME partition_${PARTITION_NAME} ARCHIVE_OUTPUT_DIRECTORY ${OUT})
        list(APPEND ARCHIVES ${TARGET})
    endforeach()
    list(APPEND ARCHIVES ${EXTERNAL_ARCHIVES})

    set(SPM_SOURCES
        client.c connection.c init.c interrupt.c mapping.c message.c ns_agent.c panic.c signal.c)
    list(TRANSFORM SPM_SOURCES PREPEND ${SPM_DIR}/core/)
    set(ARCH_SOURCES check.c copy.S fault.c interrupt_lines.c mpu.c nsc_veneers.S offsets_check.c startup.c thread.c vectors.c)
    if(ARG_BACKEND STREQUAL ipc)
        list(APPEND SPM_SOURCES ${SPM_DIR}/backend/ipc/ipc.c ${SPM_DIR}/backend/ipc/idle.c)
        list(APPEND ARCH_SOURCES switch.S)
        if(ARG_GATE STREQUAL classic)
            list(APPEND ARCH_SOURCES gate_classic.S api_table.c)
        else()
            list(APPEND ARCH_SOURCES gate_thread.S)
        endif()
        if(ARG_LEVEL GREATER 1)
            list(APPEND ARCH_SOURCES flih.S)
        endif()
        if(ARG_GATE STREQUAL svc)
            list(APPEND ARCH_SOURCES gate_svc.S api_table.c)
        endif()
    else()
        list(APPEND SPM_SOURCES ${SPM_DIR}/backend/sfn/sfn.c)
    endif()
    list(TRANSFORM ARCH_SOURCES PREPEND ${ARCH_DIR}/)

    add_library(${NAME}_spm STATIC ${SPM_SOURCES} ${ARCH_SOURCES} ${PLATFORM_DIR}/platform.c ${FIRMWARE_DIR}/trace/wire/number.c ${OUT}/spm_tables.c)
    set_target_properties(${NAME}_spm PROPERTIES OUTPUT_NAME spm ARCHIVE_OUTPUT_DIRECTORY ${OUT} UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    target_include_directories(${NAME}_spm PRIVATE ${INCLUDES})
    target_compile_definitions(${NAME}_spm PRIVATE ${DEFINES})
    target_compile_options(${NAME}_spm PRIVATE -mcmse)

    preprocess_linker_script(${PLATFORM_DIR}/secure.ld.in ${OUT}/secure.ld
        INCLUDES ${PLATFORM_DIR} ${OUT} DEFINES SPM_LEVEL=${ARG_LEVEL} DEPENDS ${OUT}/partitions.ld)
    add_custom_target(${NAME}_secure_ld DEPENDS ${OUT}/secure.ld)
    set(VENEERS ${OUT}/veneers.o)
    add_executable(${NAME}_secure ${SPM_DIR}/partitions/sfn_loop.c ${ARCH_DIR}/stubs.S ${ARG_SOURCES})
    target_compile_definitions(${NAME}_secure PRIVATE ${DEFINES})
    target_include_directories(${NAME}_secure PRIVATE ${INCLUDES} ${PROFILER_INCLUDES})
    target_link_options(${NAME}_secure PRIVATE -T ${OUT}/secure.ld -Wl,--cmse-implib -Wl,--out-implib=${VENEERS})
    target_link_libraries(${NAME}_secure PRIVATE
        -Wl,--whole-archive ${NAME}_spm -Wl,--no-whole-archive -Wl,--start-group ${ARCHIVES} ${NAME}_spm c gcc -Wl,--end-group)
    add_dependencies(${NAME}_secure ${NAME}_secure_ld)
    set_target_properties(${NAME}_secure PROPERTIES OUTPUT_NAME ${NAME}/secure SUFFIX .elf LINK_DEPENDS ${OUT}/secure.ld)
    add_custom_command(TARGET ${NAME}_secure POST_BUILD BYPRODUCTS ${VENEERS} COMMAND arm-none-eabi-size $<TARGET_FILE:${NAME}_secure>)
endfunction()

# ns_image(NAME SECURE name [RTOS] SOURCES file...) makes a non-secure program that calls NAME's veneers; RTOS: through the
# interface with a lock.
function(ns_image NAME)
    cmake_parse_arguments(ARG "RTOS" "SECURE" "SOURCES;DEFINES;INCLUDES;LIBRARIES" ${ARGN})
    set(OUT ${CMAKE_CURRENT_BINARY_DIR}/${ARG_SECURE})
    if(ARG_RTOS)
        list(APPEND ARG_SOURCES ${SPM_DIR}/ns_interface/rtos.c)
        set(INTERFACE)
    else()
        set(INTERFACE ${SPM_DIR}/ns_interface/bare_metal.ld)
    endif()
    add_executable(${ARG_SECURE}_${NAME} ${ARG_SOURCES} ${BENCH_DIR}/ns_start.c ${BENCH_DIR}/ns_print.c ${LATLAB_WIRE_SOURCES})
    target_include_directories(${ARG_SECURE}_${NAME} PRIVATE ${SPM_DIR}/include ${SPM_DIR}/ns_interface ${SPM_DIR}/ns_interface/armv8m ${ARCH_DIR} ${LATLAB_WIRE_INCLUDES} ${PROFILER_INCLUDES} ${OUT}/include ${ARG_INCLUDES})
    target_compile_definitions(${ARG_SECURE}_${NAME} PRIVATE TRACE_ENABLED=1 BENCH_FIRMWARE="${ARG_SECURE}" ${ARG_DEFINES})
    target_link_options(${ARG_SECURE}_${NAME} PRIVATE -T ${CMAKE_CURRENT_BINARY_DIR}/non_secure.ld)
    target_link_libraries(${ARG_SECURE}_${NAME} PRIVATE
        -Wl,--start-group ${ARG_LIBRARIES} ${OUT}/veneers.o ${INTERFACE} c gcc -Wl,--end-group)
    add_dependencies(${ARG_SECURE}_${NAME} ${ARG_SECURE}_secure non_secure_ld latlab_events_header)
    set_target_properties(${ARG_SECURE}_${NAME} PROPERTIES OUTPUT_NAME ${ARG_SECURE}/${NAME} SUFFIX .elf
        LINK_DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/non_secure.ld;${OUT}/veneers.o")
endfunction()
