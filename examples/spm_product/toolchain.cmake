# SPDX-License-Identifier: BSD-3-Clause
# The application's processor. The SPM adds to its own files, and to the partitions', what the secure side needs.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m33+nofp -mthumb")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=cortex-m33+nofp -mthumb")
