# SPDX-License-Identifier: GPL-3.0-or-later
# What every target of Narrows has in common: language level, warnings, reproducible floating
# point, and the sanitizers that a preset asks for.

set(NARROWS_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")
option(NARROWS_WERROR "Treat warnings as errors (CI)" OFF)

add_library(narrows_options INTERFACE)
target_compile_features(narrows_options INTERFACE cxx_std_20)
target_compile_options(narrows_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # No fused multiply-add behind our back: the same bits on every machine (docs/semantics.md).
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 at -O3 sees overlapping copies in std::string that cannot happen (GCC bug 105651).
  target_compile_options(narrows_options INTERFACE -Wno-restrict)
endif()
if(NARROWS_WERROR)
  target_compile_options(narrows_options INTERFACE -Werror)
endif()
if(NARROWS_SANITIZE)
  target_compile_options(narrows_options INTERFACE
    -fsanitize=${NARROWS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(narrows_options INTERFACE -fsanitize=${NARROWS_SANITIZE})
endif()

# narrows_library(NAME USES scenario plan … LINKS yaml-cpp …)
#   a folder's library, target narrows_NAME, made of every .cpp in the folder (not below it).
#   USES names folders it may include from, LINKS outside libraries it needs privately. Headers
#   are included as "folder/file.hpp".
function(narrows_library name)
  cmake_parse_arguments(arg "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  get_filename_component(root "${CMAKE_CURRENT_SOURCE_DIR}" DIRECTORY)
  if(sources)
    set(reach PUBLIC)
    add_library(narrows_${name} STATIC ${sources})
    target_link_libraries(narrows_${name} PRIVATE ${arg_LINKS})
  else()
    set(reach INTERFACE)
    add_library(narrows_${name} INTERFACE)
  endif()
  target_include_directories(narrows_${name} ${reach} "${root}")
  target_link_libraries(narrows_${name} ${reach} narrows_options)
  foreach(used IN LISTS arg_USES)
    target_link_libraries(narrows_${name} ${reach} narrows_${used})
  endforeach()
endfunction()

# narrows_test(NAME USES … LINKS …): an executable of every .cpp in this folder, its GoogleTests
# registered with ctest under the label NAME.
function(narrows_test name)
  cmake_parse_arguments(arg "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(test_${name} PRIVATE narrows_${used})
  endforeach()
  target_link_libraries(test_${name} PRIVATE GTest::gtest_main ${arg_LINKS})
  target_compile_definitions(test_${name} PRIVATE NARROWS_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(test_${name} PROPERTIES LABELS ${name} DISCOVERY_TIMEOUT 60)
endfunction()
