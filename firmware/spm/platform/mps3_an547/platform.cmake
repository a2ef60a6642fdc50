# SPDX-License-Identifier: BSD-3-Clause
# What an image for this board is made of. The secure side has no floating point and no MVE.
set(SPM_PROCESSOR -mcpu=cortex-m55+nomve+nofp -mthumb -mfloat-abi=soft)
include(${CMAKE_CURRENT_LIST_DIR}/../mps_common/platform.cmake)
list(APPEND SPM_PLATFORM_SOURCES ${CMAKE_CURRENT_LIST_DIR}/board.c)
list(PREPEND SPM_PLATFORM_INCLUDES ${CMAKE_CURRENT_LIST_DIR})
set(SPM_PLATFORM_MEMORY_MAP ${CMAKE_CURRENT_LIST_DIR}/memory_map.h)
set(SPM_PLATFORM_NAMES ${CMAKE_CURRENT_LIST_DIR}/platform.json)
