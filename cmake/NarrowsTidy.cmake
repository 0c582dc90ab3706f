# SPDX-License-Identifier: GPL-3.0-or-later
# Target tidy: clang-tidy over every source of src and models, on all processors, with .clang-tidy.
# Generated sources lie in the build folder and are not looked at.

find_program(NARROWS_RUN_CLANG_TIDY NAMES run-clang-tidy-19 DOC "clang-tidy's parallel driver")
if(NARROWS_RUN_CLANG_TIDY)
  add_custom_target(tidy
    COMMAND "${NARROWS_RUN_CLANG_TIDY}" -quiet -p "${CMAKE_BINARY_DIR}"
            "^${CMAKE_SOURCE_DIR}/(src|models|ui)/"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    USES_TERMINAL VERBATIM)
endif()
