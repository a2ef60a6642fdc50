# SPDX-License-Identifier: BSD-3-Clause
# Arm Cortex-M33 without FPU, by clang and lld; newlib and libgcc are those of Debian's arm-none-eabi GCC, whose
# headers go behind Clang's own: newlib's stdatomic.h is for GCC.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER clang)
set(CMAKE_ASM_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET arm-none-eabi)
set(CMAKE_ASM_COMPILER_TARGET arm-none-eabi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(latlab_processor -mcpu=cortex-m33+nofp -mthumb -mfloat-abi=soft)
foreach(file libc.a libgcc.a)
    execute_process(COMMAND arm-none-eabi-gcc ${latlab_processor} -print-file-name=${file}
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET found PARENT_PATH folder)
    string(APPEND latlab_libraries " -L${folder}")
endforeach()
list(JOIN latlab_processor " " latlab_processor)
set(CMAKE_C_FLAGS_INIT "${latlab_processor} -ffreestanding -ffunction-sections -fdata-sections -idirafter /usr/include/newlib")
set(CMAKE_ASM_FLAGS_INIT "${latlab_processor}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fuse-ld=lld -nostartfiles -nostdlib -Wl,--gc-sections -Wl,--fatal-warnings${latlab_libraries}")
