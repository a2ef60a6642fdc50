# SPDX-License-Identifier: BSD-3-Clause
# Unit tests in C on the development machine: CMocka, under ASan and UBSan.
include_guard(GLOBAL)
find_package(cmocka QUIET)
if(NOT cmocka_FOUND)
    message(FATAL_ERROR "The unit tests need CMocka (libcmocka-dev on Debian, `make setup-dev` installs it); without them, configure with -DBUILD_TESTING=OFF")
endif()

add_library(unit_harness OBJECT ${CMAKE_CURRENT_LIST_DIR}/harness.c)
target_include_directories(unit_harness PUBLIC ${CMAKE_CURRENT_LIST_DIR} ${CMOCKA_INCLUDE_DIR})
target_compile_options(unit_harness PUBLIC -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
target_link_options(unit_harness PUBLIC -fsanitize=address,undefined)
target_link_libraries(unit_harness PUBLIC ${CMOCKA_LIBRARIES})

# add_unit_test(NAME source... [LIBRARIES library...]) makes the program NAME and the test of that name, `area.subject`.
function(add_unit_test NAME)
    cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
    add_executable(${NAME} ${ARG_UNPARSED_ARGUMENTS})
    target_link_libraries(${NAME} PRIVATE unit_harness ${ARG_LIBRARIES})
    add_test(NAME ${NAME} COMMAND ${NAME})
    set_tests_properties(${NAME} PROPERTIES TIMEOUT 300)
endfunction()
