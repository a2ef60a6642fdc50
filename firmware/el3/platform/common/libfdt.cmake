# SPDX-License-Identifier: BSD-3-Clause
# Where libfdt's sources are; fetched by scripts/libfdt.sh where they are not there yet.
if(DEFINED ENV{XDG_CACHE_HOME})
    set(cache $ENV{XDG_CACHE_HOME})
else()
    set(cache $ENV{HOME}/.cache)
endif()
set(LATLAB_LIBFDT ${cache}/latlab/libfdt CACHE PATH "Folder of libfdt's sources: libfdt.h, fdt.c and the others")
if(NOT EXISTS ${LATLAB_LIBFDT}/libfdt.h)
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/libfdt.sh ${LATLAB_LIBFDT})
endif()
if(NOT EXISTS ${LATLAB_LIBFDT}/libfdt.h)
    message(FATAL_ERROR "no libfdt.h in ${LATLAB_LIBFDT}; run scripts/libfdt.sh, or name the folder `libfdt` of a source tree of dtc with -D LATLAB_LIBFDT=...")
endif()
# LATEST, NO_ROLLBACK and LIBFDT_FLAWLESS: all that a tree says is checked.
set(LATLAB_FDT_ASSUMES 0x2C)
