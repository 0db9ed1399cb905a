# libfeedrate as a Debian package: library, header and Python module; the catalogue is feedrate's.
if(NOT FEEDRATE_C_API)
  return()
endif()
list(APPEND CPACK_COMPONENTS_ALL libfeedrate)
set(CPACK_DEBIAN_LIBFEEDRATE_PACKAGE_NAME libfeedrate)
set(CPACK_DEBIAN_LIBFEEDRATE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBFEEDRATE_PACKAGE_DEPENDS "feedrate (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBFEEDRATE_PACKAGE_SUGGESTS "python3")
set(CPACK_COMPONENT_LIBFEEDRATE_DESCRIPTION
  "Simulates GPU training input pipelines: library for C and Python")
