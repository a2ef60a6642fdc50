# SPDX-License-Identifier: BSD-3-Clause
# Makes `firmware` for a machine of QEMU that hands over a device tree: the folder of the caller has machine.c, memory_map.h and memory.ld.
include(${CMAKE_CURRENT_LIST_DIR}/../common/firmware.cmake)
set(LATLAB_QEMU_TREE ${CMAKE_CURRENT_LIST_DIR})

function(add_tree_firmware)
    set(cold boot console fw_cfg others topology tree tree_add)
    list(TRANSFORM cold REPLACE ".+" "${LATLAB_QEMU_TREE}/\\0.c")
    add_firmware(BASE ${LATLAB_QEMU_TREE} COLD ${cold} machine.c ${ARGN})
endfunction()
