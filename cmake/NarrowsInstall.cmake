# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` puts beside the binary (src/cli installs that): JSON Schema, scenarios, man
# page, shell completion and documents, where Debian looks for them. The binary needs none of it.

set(NARROWS_SCHEMA "${CMAKE_BINARY_DIR}/share/narrows.schema.json")
set(share "${CMAKE_INSTALL_DATADIR}")

if(TARGET narrows)
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/share")
  # The schema comes from the reader itself, so it cannot lag behind it. It appears under its name
  # only when it is whole.
  add_custom_command(OUTPUT "${NARROWS_SCHEMA}"
    COMMAND narrows schema > "${NARROWS_SCHEMA}.part"
    COMMAND "${CMAKE_COMMAND}" -E rename "${NARROWS_SCHEMA}.part" "${NARROWS_SCHEMA}"
    DEPENDS narrows VERBATIM COMMENT "Writing narrows.schema.json")
  add_custom_target(narrows_schema ALL DEPENDS "${NARROWS_SCHEMA}")
  install(FILES "${NARROWS_SCHEMA}" DESTINATION "${share}/narrows")
endif()

install(DIRECTORY configs/ DESTINATION "${share}/narrows/scenarios"
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.yml" PATTERN "*.properties" PATTERN "*.csv")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# --- man page -----------------------------------------------------------------------------------
set(generated "${CMAKE_BINARY_DIR}/share")
configure_file(man/narrows.1.in "${generated}/narrows.1" @ONLY)
install(FILES "${generated}/narrows.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")

# --- completion ---------------------------------------------------------------------------------
# completions/words.txt is the one list of verbs and options; tests/install holds it against what
# the binary says of itself. Scenario names are those embedded in the binary.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS completions/words.txt)
file(GLOB_RECURSE scenarios CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}" "configs/*.yaml")
set(SCENARIOS "")
foreach(path IN LISTS scenarios)
  cmake_path(GET path STEM stem)
  string(APPEND SCENARIOS "${stem} ")
endforeach()
string(STRIP "${SCENARIOS}" SCENARIOS)

set(VERBS "")
set(BASH_OPTIONS "")
set(BASH_VALUES "")
set(ZSH_VERBS "")
set(ZSH_OPTIONS "")
set(FISH_VERBS "")
set(FISH_OPTIONS "")
file(STRINGS completions/words.txt lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^(verb|option) +([^ |]+) *\\| *([^|]*[^| ])? *\\| *([^]':[]+)$")
    message(FATAL_ERROR "completions/words.txt: cannot read: ${line}")
  endif()
  set(kind "${CMAKE_MATCH_1}")
  set(word "${CMAKE_MATCH_2}")
  set(values "${CMAKE_MATCH_3}")
  set(help "${CMAKE_MATCH_4}")
  if(kind STREQUAL "verb")
    string(APPEND VERBS "${word} ")
    string(APPEND ZSH_VERBS "        '${word}:${help}'\n")
    string(APPEND FISH_VERBS
      "complete -c narrows -n __fish_use_subcommand -f -a ${word} -d '${help}'\n")
    continue()
  endif()
  string(APPEND BASH_OPTIONS "${word} ")
  if(values STREQUAL "SCENARIO")
    set(values "${SCENARIOS}")
  endif()
  string(REGEX REPLACE "^-+" "" bare "${word}")
  if(word MATCHES "^--")
    set(dash l)
  else()
    set(dash s)
  endif()
  set(has_scenario "not __fish_use_subcommand")
  if(values STREQUAL "")
    string(APPEND ZSH_OPTIONS "        '${word}[${help}]'\n")
    string(APPEND FISH_OPTIONS "complete -c narrows -n '${has_scenario}' -${dash} ${bare} -d '${help}'\n")
  elseif(values STREQUAL "FILE" OR values STREQUAL "DIR")
    string(APPEND BASH_VALUES "        ${word}) COMPREPLY=($(compgen -f -- \"$current\")); return ;;\n")
    string(APPEND ZSH_OPTIONS "        '${word}[${help}]:file:_files'\n")
    string(APPEND FISH_OPTIONS "complete -c narrows -n '${has_scenario}' -${dash} ${bare} -r -F -d '${help}'\n")
  elseif(values MATCHES "^[A-Z]+$")
    string(APPEND BASH_VALUES "        ${word}) return ;;\n")
    string(TOLOWER "${values}" what)
    string(APPEND ZSH_OPTIONS "        '${word}[${help}]:${what}: '\n")
    string(APPEND FISH_OPTIONS "complete -c narrows -n '${has_scenario}' -${dash} ${bare} -x -d '${help}'\n")
  else()
    string(APPEND BASH_VALUES
      "        ${word}) COMPREPLY=($(compgen -W '${values}' -- \"$current\")); return ;;\n")
    string(APPEND ZSH_OPTIONS "        '${word}[${help}]:value:(${values})'\n")
    string(APPEND FISH_OPTIONS
      "complete -c narrows -n '${has_scenario}' -${dash} ${bare} -x -a '${values}' -d '${help}'\n")
  endif()
endforeach()
string(STRIP "${VERBS}" VERBS)
string(STRIP "${BASH_OPTIONS}" BASH_OPTIONS)

configure_file(completions/narrows.bash.in "${generated}/completions/narrows" @ONLY)
configure_file(completions/_narrows.in "${generated}/completions/_narrows" @ONLY)
configure_file(completions/narrows.fish.in "${generated}/completions/narrows.fish" @ONLY)
install(FILES "${generated}/completions/narrows" DESTINATION "${share}/bash-completion/completions")
install(FILES "${generated}/completions/narrows.fish" DESTINATION "${share}/fish/vendor_completions.d")
# Debian's zsh reads vendor-completions below /usr, but site-functions below /usr/local.
install(CODE "
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(zsh_folder vendor-completions)
  else()
    set(zsh_folder site-functions)
  endif()
  file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${share}/zsh/\${zsh_folder}\" TYPE FILE
       FILES \"${generated}/completions/_narrows\")")
