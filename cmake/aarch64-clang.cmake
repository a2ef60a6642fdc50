# SPDX-License-Identifier: BSD-3-Clause
# LLVM alone: clang, lld and llvm-objcopy. Debian's versioned packages have them in /usr/lib/llvm-N/bin, which then has to be in PATH.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang)
set(CMAKE_ASM_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET aarch64-none-elf)
set(CMAKE_ASM_COMPILER_TARGET aarch64-none-elf)
set(CMAKE_OBJCOPY llvm-objcopy)
# No executable of this target can be position independent, and Clang says so of each -no-pie, which GCC's builds need.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld -Wno-unused-command-line-argument")
# Nothing can be linked before the image's own linker script and entry are there.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
