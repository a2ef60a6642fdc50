# SPDX-License-Identifier: BSD-3-Clause
# Makes `firmware` of the cores, the architecture and the platform in the folder of the caller, which may stand on a folder BASE that has
# the rest and the linker script; COLD names the platform's sources that run once.
include(${CMAKE_CURRENT_LIST_DIR}/../../sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../../../trace/wire/sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/libfdt.cmake)
set(LATLAB_PLATFORM_COMMON ${CMAKE_CURRENT_LIST_DIR})

option(LATLAB_HARDENED "Each entry to EL3 flushes the branch predictor and stops the cycle counter, on cores that need it" OFF)
option(LATLAB_HOSTILE_POWER_DOWN "For tests: a power-down scrambles every register that the specification lets it lose" OFF)
option(LATLAB_DELAYS "For tests: wherever two cores or a core and a device can meet, the core may wait, as a seed says" OFF)
option(LATLAB_CHECKED "The cores check what they require of their callers" OFF)
option(LATLAB_FEATURES "OFF for tests: EL3 grants the normal world no feature newer than Armv8.0" ON)
# What runs once, at boot, is to be small; nothing of it is measured.
set(LATLAB_COLD -Os CACHE STRING "How what runs once is optimised")

# Words of the build's name, in order; `extra` are those that only one platform has.
function(build_name result extra)
    get_filename_component(platform ${CMAKE_CURRENT_SOURCE_DIR} NAME)
    string(REPLACE GNU gcc compiler ${CMAKE_C_COMPILER_ID})
    set(name "latlab-psci-${PROJECT_VERSION}" ${platform} ${CMAKE_BUILD_TYPE} "${compiler}-${CMAKE_C_COMPILER_VERSION}" ${extra})
    if(LATLAB_HARDENED)
        list(APPEND name hardened)
    endif()
    if(LATLAB_HOSTILE_POWER_DOWN)
        list(APPEND name hostile)
    endif()
    if(LATLAB_DELAYS)
        list(APPEND name delays)
    endif()
    list(JOIN name "\;" name)
    string(TOLOWER "${name}" name)
    set(${result} "${name}" PARENT_SCOPE)
endfunction()

function(add_firmware)
    cmake_parse_arguments(PARSE_ARGV 0 ARG "" "BASE" "COLD;WORDS;DEFINITIONS")
    set(base ${CMAKE_CURRENT_SOURCE_DIR})
    if(ARG_BASE)
        set(base ${ARG_BASE})
    endif()
    set(arch ${LATLAB_PLATFORM_COMMON}/../../arch/aarch64)
    file(GLOB sources CONFIGURE_DEPENDS *.c *.S ${base}/*.c ${base}/*.S ${LATLAB_PLATFORM_COMMON}/*.c ${arch}/*.c ${arch}/*.S)
    build_name(build "${ARG_WORDS}")
    if(LATLAB_DELAYS)
        list(APPEND sources ${arch}/delays/delays.c)
    endif()

    # libfdt as Debian has it: the part that reads a tree and adds to it.
    add_library(fdt STATIC ${LATLAB_LIBFDT}/fdt.c ${LATLAB_LIBFDT}/fdt_ro.c ${LATLAB_LIBFDT}/fdt_rw.c ${LATLAB_LIBFDT}/fdt_wip.c)
    target_include_directories(fdt SYSTEM PUBLIC ${LATLAB_LIBFDT} ${arch}/libc)
    target_compile_options(fdt PRIVATE -w -O2)
    target_compile_definitions(fdt PRIVATE FDT_ASSUME_MASK=${LATLAB_FDT_ASSUMES})

    add_executable(firmware ${sources} ${LATLAB_PSCI_SOURCES} ${LATLAB_MONITOR_SOURCES} ${LATLAB_WIRE_SOURCES})
    target_include_directories(firmware PRIVATE
        . ${base} ${LATLAB_PLATFORM_COMMON} ${LATLAB_WIRE_INCLUDES} ${arch}/include ${LATLAB_PSCI_INCLUDES} ${LATLAB_MONITOR_INCLUDES}
        $<$<BOOL:${LATLAB_DELAYS}>:${arch}/delays>)
    target_link_libraries(firmware PRIVATE latlab_trace fdt)
    target_compile_definitions(firmware PRIVATE LATLAB_FEATURES=$<BOOL:${LATLAB_FEATURES}> LATLAB_DELAYS=$<BOOL:${LATLAB_DELAYS}>
        $<$<BOOL:${LATLAB_CHECKED}>:LATLAB_CHECKED>
        LATLAB_HARDENED=$<BOOL:${LATLAB_HARDENED}> LATLAB_HOSTILE_POWER_DOWN=$<BOOL:${LATLAB_HOSTILE_POWER_DOWN}>
        "LATLAB_BUILD=\"${build}\"" ${ARG_DEFINITIONS})
    list(TRANSFORM ARG_COLD REPLACE "^[^/]+$" "${CMAKE_CURRENT_SOURCE_DIR}/\\0")
    foreach(source console_print start tree_nodes tree_psci)
        list(APPEND ARG_COLD ${LATLAB_PLATFORM_COMMON}/${source}.c)
    endforeach()
    foreach(source features mmu undefined workarounds)
        list(APPEND ARG_COLD ${arch}/${source}.c)
    endforeach()
    set_source_files_properties(${ARG_COLD} PROPERTIES COMPILE_OPTIONS ${LATLAB_COLD})
    # The path of a call goes through several files of psci/: one unit lets the compiler see all of it.
    set_target_properties(firmware PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${LATLAB_PSCI_SOURCES} PROPERTIES UNITY_GROUP psci)
    foreach(target firmware fdt)
        target_compile_options(${target} PRIVATE
            -ffreestanding -mgeneral-regs-only -mstrict-align -mno-outline-atomics -fno-pic -fno-stack-protector
            -fno-asynchronous-unwind-tables -fomit-frame-pointer -ffunction-sections -fdata-sections)
    endforeach()
    # No platform is a Cortex-A53 of silicon, whose erratum the linker would step round with a page of padding.
    target_link_options(firmware PRIVATE
        -mno-fix-cortex-a53-843419 -nostdlib -static -no-pie -Wl,--gc-sections -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,--fatal-warnings
        $<$<C_COMPILER_ID:GNU>:-Wl,--no-warn-rwx-segments> -L ${CMAKE_CURRENT_SOURCE_DIR} -T ${base}/firmware.ld)
    file(GLOB scripts CONFIGURE_DEPENDS *.ld ${base}/*.ld)
    set_target_properties(firmware PROPERTIES
        SUFFIX .elf RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} LINK_DEPENDS "${scripts}")
    add_custom_command(TARGET firmware POST_BUILD
        COMMAND ${CMAKE_OBJCOPY} -O binary $<TARGET_FILE:firmware> ${CMAKE_BINARY_DIR}/firmware.bin VERBATIM)
endfunction()
