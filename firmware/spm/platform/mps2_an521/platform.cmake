# SPDX-License-Identifier: BSD-3-Clause
# What an image for this board is made of. The secure side has no floating point.
set(SPM_PROCESSOR -mcpu=cortex-m33+nofp -mthumb -mfloat-abi=soft)
set(SPM_PLATFORM_SOURCES ${CMAKE_CURRENT_LIST_DIR}/platform.c)
set(SPM_PLATFORM_INCLUDES ${CMAKE_CURRENT_LIST_DIR})
set(SPM_PLATFORM_MEMORY_MAP ${CMAKE_CURRENT_LIST_DIR}/memory_map.h)
set(SPM_PLATFORM_NAMES ${CMAKE_CURRENT_LIST_DIR}/platform.json)
set(SPM_PLATFORM_SECURE_LD ${CMAKE_CURRENT_LIST_DIR}/secure.ld.in)
