# The library from outside: loaded by the test program, by Python, installed; and the server as an agent meets it.
find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME api/mcp_server COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/api/mcp_test.py
           $<TARGET_FILE:feedrate> ${CMAKE_SOURCE_DIR})
  set_tests_properties(api/mcp_server PROPERTIES TIMEOUT 120 ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endif()
if(NOT TARGET feedrate_shared)
  return()
endif()
add_dependencies(feedrate_tests feedrate_shared feedrate_wheel)
target_compile_definitions(feedrate_tests PRIVATE
  FEEDRATE_SHARED_LIBRARY="$<TARGET_FILE:feedrate_shared>")
target_link_libraries(feedrate_tests PRIVATE ${CMAKE_DL_LIBS})
if(PYTHON3)
  add_test(NAME api/python COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/api/python_test.py
           $<TARGET_FILE:feedrate> $<TARGET_FILE:feedrate_shared> ${CMAKE_SOURCE_DIR})
  add_test(NAME api/results COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/api/results_test.py
           $<TARGET_FILE:feedrate_shared> ${CMAKE_SOURCE_DIR})
  add_test(NAME api/tune COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/api/tune_test.py
           $<TARGET_FILE:feedrate_shared> ${CMAKE_SOURCE_DIR})
  # A real loader, run so that it stays an example that runs; how good its choice is, a timing, is no test.
  add_test(NAME api/tune_loader COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/docs/tune_loader.py)
  set_tests_properties(api/tune_loader PROPERTIES PASS_REGULAR_EXPRESSION "best of [3-5] measured: num_workers = ")
  # The notebook in docs/ runs as it is.
  add_test(NAME api/notebook COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/docs/notebook.py
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(api/python api/notebook api/results api/tune api/tune_loader PROPERTIES TIMEOUT 900
    ENVIRONMENT "FEEDRATE_LIBRARY=$<TARGET_FILE:feedrate_shared>;PYTHONDONTWRITEBYTECODE=1")
endif()
add_test(NAME api/installed COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/api/installed.sh
         ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
set_tests_properties(api/installed PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
