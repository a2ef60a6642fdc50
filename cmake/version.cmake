# SPDX-License-Identifier: BSD-3-Clause
# LATLAB_VERSION: the release part of the package's version, of 1.2.3.dev4 that is 1.2.3.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../pyproject.toml latlab_line REGEX "^version = \"" LIMIT_COUNT 1)
if(NOT latlab_line MATCHES "\"([0-9]+[.][0-9]+[.][0-9]+)")
    message(FATAL_ERROR "pyproject.toml has no line `version = \"X.Y.Z\"`.")
endif()
set(LATLAB_VERSION ${CMAKE_MATCH_1})
