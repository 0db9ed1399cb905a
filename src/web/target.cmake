# The target web: the simulator as WebAssembly by Emscripten, in one page that needs nothing else.
#   cmake -B build -DFEEDRATE_WEB=ON && cmake --build build --target web
set(web_page ${CMAKE_BINARY_DIR}/web/whatif.html)
if(FEEDRATE_WEB)
  find_program(EM_CONFIG em-config REQUIRED)
  find_program(NODE NAMES node nodejs REQUIRED)
  execute_process(COMMAND ${EM_CONFIG} EMSCRIPTEN_ROOT OUTPUT_VARIABLE emscripten
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  add_custom_target(web VERBATIM COMMENT "The simulator as WebAssembly" USES_TERMINAL
    COMMAND ${CMAKE_COMMAND} -S ${CMAKE_SOURCE_DIR}/src/web -B ${CMAKE_BINARY_DIR}/web
            -G ${CMAKE_GENERATOR} -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8
            -DCMAKE_TOOLCHAIN_FILE=${emscripten}/cmake/Modules/Platform/Emscripten.cmake
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}/web
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/src/web/assemble.mjs ${CMAKE_SOURCE_DIR}
            ${CMAKE_BINARY_DIR}/web ${CMAKE_BINARY_DIR}/page ${web_page})
  add_dependencies(web feedrate_page)
endif()
# Where it was built: OPTIONAL would leave an empty folder.
install(CODE "if(EXISTS \"${web_page}\")
  file(INSTALL \"${web_page}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/feedrate/web\")
endif()" COMPONENT feedrate)
