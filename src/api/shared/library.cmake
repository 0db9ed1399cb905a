# libfeedrate.so: what the static libraries hold, behind two C functions; and the Python module.
option(FEEDRATE_C_API "Build libfeedrate.so, the simulator as a C library" ON)
if(NOT FEEDRATE_C_API)
  return()
endif()
include(GNUInstallDirs)
add_library(feedrate_shared SHARED src/api/shared/feedrate.cpp)
set_target_properties(feedrate_shared PROPERTIES OUTPUT_NAME feedrate
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  PUBLIC_HEADER src/api/shared/feedrate.h)
target_link_libraries(feedrate_shared PRIVATE feedrate_api ${CMAKE_DL_LIBS})
# The symbols of the static libraries stay inside; what is missing is said here, not to its users.
target_link_options(feedrate_shared PRIVATE LINKER:--exclude-libs,ALL LINKER:--no-undefined)

# The same for a Python wheel (.ci/wheel), which runs on machines that have other versions of fmt and
# libstdc++, or none: both are in it. libgcc_s is not: linked statically it would ask for glibc 2.35.
add_library(feedrate_wheel SHARED EXCLUDE_FROM_ALL src/api/shared/feedrate.cpp src/api/shared/older_glibc.cpp)
set_target_properties(feedrate_wheel PROPERTIES OUTPUT_NAME feedrate
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/wheel FEEDRATE_LINKED_STATICALLY ON
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
set_target_properties(feedrate_static_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(feedrate_wheel PRIVATE feedrate_api ${CMAKE_DL_LIBS})
target_link_options(feedrate_wheel PRIVATE LINKER:--exclude-libs,ALL LINKER:--no-undefined LINKER:--as-needed -s)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT FEEDRATE_SANITIZE)
  target_link_options(feedrate_wheel PRIVATE -static-libstdc++)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  target_link_options(feedrate_wheel PRIVATE LINKER:--wrap=hypot)
endif()

install(TARGETS feedrate_shared COMPONENT libfeedrate OPTIONAL
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(src/api/shared/feedrate.pc.in ${CMAKE_BINARY_DIR}/feedrate.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/feedrate.pc COMPONENT libfeedrate
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(FEEDRATE_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python module goes below the prefix")
install(DIRECTORY src/api/python/feedrate COMPONENT libfeedrate DESTINATION ${FEEDRATE_PYTHON_DIR}
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
