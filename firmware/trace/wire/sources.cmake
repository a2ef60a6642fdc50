# SPDX-License-Identifier: BSD-3-Clause
# The dump's wire format: plain C11 that needs no library, for every program that writes it.
set(LATLAB_WIRE_INCLUDES ${CMAKE_CURRENT_LIST_DIR})
set(LATLAB_WIRE_SOURCES base64.c crc32.c format.c llt1.c number.c)
list(TRANSFORM LATLAB_WIRE_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
