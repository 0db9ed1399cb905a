# feedrate without a single shared library, for machines whose libraries are older, other or none: the
# same objects as the program beside it, linked once more. `cmake --build build --target feedrate_static`.

# What a library is to a program that is linked statically (FEEDRATE_LINKED_STATICALLY), and to others.
function(feedrate_linked variable dynamic static)
  set(${variable} "$<IF:$<BOOL:$<TARGET_PROPERTY:FEEDRATE_LINKED_STATICALLY>>,${static},${dynamic}>" PARENT_SCOPE)
endfunction()

function(feedrate_add_static_program)
  # Debian ships fmt's headers and its shared library only.
  add_library(feedrate_static_fmt STATIC EXCLUDE_FROM_ALL cmake/static/fmt.cpp)
  target_compile_features(feedrate_static_fmt PUBLIC cxx_std_20)
  target_include_directories(feedrate_static_fmt SYSTEM
    PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)

  # An object of the program comes before one of a library that defines the same: nothing is loaded at run time.
  add_executable(feedrate_static EXCLUDE_FROM_ALL src/main.cpp bench/no_libraries/shared_library.cpp)
  set_target_properties(feedrate_static PROPERTIES
    OUTPUT_NAME feedrate RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static
    FEEDRATE_LINKED_STATICALLY ON)
  # CMake would add -pie, which makes it a program that asks for a loader.
  set_property(TARGET feedrate_static PROPERTY POSITION_INDEPENDENT_CODE)
  target_compile_options(feedrate_static PRIVATE -fPIE)
  target_link_options(feedrate_static PRIVATE -static-pie)
  target_link_libraries(feedrate_static PRIVATE feedrate_cli)
endfunction()
