# What a release carries beside the program (.ci/release makes one, docs/releasing.md says how).

# The static program is installed in the other's place, only when asked for: --component feedrate-static.
install(TARGETS feedrate_static COMPONENT feedrate-static OPTIONAL EXCLUDE_FROM_ALL)

# The terms of what is compiled into the programs, as this machine has them.
string(REGEX MATCH "^[0-9]+" compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
foreach(package IN ITEMS fmt:libfmt-dev nlohmann_json:nlohmann-json3-dev cli11:libcli11-dev eigen:libeigen3-dev
        zlib:zlib1g-dev libc:libc6-dev libstdc++:gcc-${compiler_major}-base)
  string(REPLACE ":" ";" package ${package})
  list(POP_FRONT package name)
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party
          RENAME ${name} COMPONENT feedrate OPTIONAL)
endforeach()

# The charts' programs within the report, made by page/embed.cmake.
install(FILES ${CMAKE_BINARY_DIR}/page/notices.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party
        RENAME charts COMPONENT feedrate OPTIONAL)

add_custom_target(uninstall VERBATIM
  COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)
