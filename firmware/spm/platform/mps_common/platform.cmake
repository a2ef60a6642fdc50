# SPDX-License-Identifier: BSD-3-Clause
# What the boards of the MPS family have in common. A board's own platform.cmake includes this.
set(SPM_PLATFORM_SOURCES ${CMAKE_CURRENT_LIST_DIR}/platform.c)
set(SPM_PLATFORM_INCLUDES ${CMAKE_CURRENT_LIST_DIR})
set(SPM_PLATFORM_SECURE_LD ${CMAKE_CURRENT_LIST_DIR}/secure.ld.in)
