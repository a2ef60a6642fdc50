# SPDX-License-Identifier: BSD-3-Clause
# Everything that these programs share, and the function that makes one of them.
# The runtime for one machine; its devices are in runtime/machine/MACHINE, and REACH says which tables hold its addresses.
function(add_runtime target machine reach)
    add_library(${target} OBJECT
        runtime/bench_params.c
        runtime/completion.c
        runtime/devices/console.c
        runtime/core.c
        runtime/core_table.c
        runtime/entry.S
        runtime/devices/gic.c
        runtime/interrupts.c
        runtime/memory.c
        runtime/panic.c
        runtime/calls/psci.c
        runtime/calls/smc.c
        runtime/calls/smc_call.S
        runtime/start.c
        runtime/suspend.c
        runtime/sync.c
        runtime/tables_${reach}.S
        runtime/devices/timer.c
        runtime/devices/uart.c
        runtime/vectors.S
        ${LATLAB_WIRE_SOURCES})
    target_include_directories(${target} PUBLIC runtime runtime/calls runtime/devices runtime/machine/${machine}
        ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../calls ${LATLAB_WIRE_INCLUDES})
    target_compile_features(${target} PUBLIC c_std_11)
    target_compile_options(${target} PUBLIC
        -ffreestanding -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -mgeneral-regs-only -mno-outline-atomics
        -mstrict-align -O2 -g
        $<$<COMPILE_LANGUAGE:C>:${PAYLOAD_WARNINGS}>)
endfunction()
add_runtime(payload_runtime virt near)
add_runtime(payload_runtime_raspi4b raspi4b near)
add_runtime(payload_runtime_sbsa-ref sbsa-ref far)
# GCC must not turn the loops of memory.c into calls of themselves.
set_source_files_properties(runtime/memory.c PROPERTIES COMPILE_OPTIONS $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>)

function(add_payload_at runtime address name)
    add_executable(${name} ${ARGN})
    set_target_properties(${name} PROPERTIES SUFFIX .elf RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_link_libraries(${name} PRIVATE ${runtime})
    target_link_options(${name} PRIVATE -nostdlib -static -no-pie -Wl,--build-id=none -Wl,--fatal-warnings -Wl,-z,noexecstack -Wl,-z,max-page-size=4096
        -Wl,--defsym=PAYLOAD_ADDRESS=${address} -T ${PAYLOAD_RUNTIME}/payload.ld)
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${PAYLOAD_RUNTIME}/payload.ld)
endfunction()

# A board has no loader of ELF files.
function(add_payload_for_board name)
    add_payload_at(payload_runtime_raspi4b 0x80000 ${name} ${ARGN})
    add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_OBJCOPY} -O binary $<TARGET_FILE:${name}> ${CMAKE_BINARY_DIR}/${name}.bin VERBATIM)
endfunction()

function(add_payload name)
    add_payload_at(payload_runtime 0x60000000 ${name} ${ARGN})
endfunction()

set(psci_bench psci_bench/main.c psci_bench/dump.c psci_bench/measure.c psci_bench/procedures.c psci_bench/stamps.c)
add_payload(psci_bench ${psci_bench})
add_payload_for_board(psci_bench_raspi4b ${psci_bench})

# What measures firmware of other makers lies beside the probe: no trace service, and another machine.
set(others ${CMAKE_CURRENT_LIST_DIR}/../../../probe/programs)
set(psci_calls ${others}/psci_calls/main.c ${others}/psci_calls/power_states.c ${others}/psci_calls/tests.c)
add_payload(psci_calls ${psci_calls})
add_payload_for_board(psci_calls_raspi4b ${psci_calls})
add_payload_at(payload_runtime_sbsa-ref 0x10020000000 psci_calls_sbsa-ref ${psci_calls})

set(smc_calls ${others}/smc_calls/fast_calls.c ${others}/smc_calls/main.c ${others}/smc_calls/named_call.c ${others}/smc_calls/optee.c
    ${others}/smc_calls/sweep.c ${others}/smc_calls/sweep_vectors.S)
add_payload(smc_calls ${smc_calls})
add_payload_for_board(smc_calls_raspi4b ${smc_calls})
add_payload_at(payload_runtime_sbsa-ref 0x10020000000 smc_calls_sbsa-ref ${smc_calls})

set(psci_stress psci_stress/ledger.c psci_stress/main.c psci_stress/power_states.c psci_stress/watchdog.c psci_stress/worker.c)
add_payload(psci_stress ${psci_stress})
add_payload_at(payload_runtime_sbsa-ref 0x10020000000 psci_stress_sbsa-ref ${psci_stress})

add_payload(psci_differ psci_differ/calls.c psci_differ/client_gic.c psci_differ/life.c psci_differ/main.c)

set(psci_conformance
    psci_conformance/cases_affinity.c
    psci_conformance/cases_cpu_on.c
    psci_conformance/cases_identity.c
    psci_conformance/cases_memory.c
    psci_conformance/cases_os_initiated.c
    psci_conformance/cases_smccc.c
    psci_conformance/cases_stat.c
    psci_conformance/cases_suspend.c
    psci_conformance/cases_suspend_errors.c
    psci_conformance/cases_suspended_core.c
    psci_conformance/cases_system.c
    psci_conformance/cases_trace.c
    psci_conformance/cases_trng.c
    psci_conformance/cases_unknown.c
    psci_conformance/check.c
    psci_conformance/main.c
    psci_conformance/others.c
    psci_conformance/probe_entry.S
    psci_conformance/progress.c)
add_payload(psci_conformance ${psci_conformance} psci_conformance/board/qemu.c)
add_payload_at(payload_runtime_sbsa-ref 0x10020000000 psci_conformance_sbsa-ref ${psci_conformance} psci_conformance/board/qemu.c)
add_payload_for_board(psci_conformance_raspi4b ${psci_conformance} psci_conformance/board/raspi4b.c)
foreach(conformance psci_conformance psci_conformance_sbsa-ref psci_conformance_raspi4b)
    target_include_directories(${conformance} PRIVATE psci_conformance)
endforeach()

add_payload(memory_writers memory_writers/main.c)
add_payload_at(payload_runtime_sbsa-ref 0x10020000000 memory_writers_sbsa-ref memory_writers/main.c)

add_payload(smc_fuzz
    smc_fuzz/arguments.c
    smc_fuzz/choose.c
    smc_fuzz/examine.c
    smc_fuzz/main.c
    smc_fuzz/outcomes.c)

# No runtime: nothing may run around the calls that are looked at.
foreach(probe insn_probe entry_probe memory_probe)
    add_executable(${probe} ${probe}/probe.S)
    set_target_properties(${probe} PROPERTIES SUFFIX .elf RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_link_options(${probe} PRIVATE -nostdlib -static -no-pie -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-Ttext=0x60000000)
endforeach()
