# Puts the HTML report's parts together before the file that embeds them is compiled. Looked at by
# each build: npm or the packages may have been installed since the last one.
set(page_folder ${CMAKE_BINARY_DIR}/page)
set(page_parts ${page_folder}/page.html ${page_folder}/page.css ${page_folder}/theme.js
    ${page_folder}/script.js ${page_folder}/charts.js ${page_folder}/notices.txt ${page_folder}/specs.json
    ${page_folder}/page_hashes.hpp)
file(MAKE_DIRECTORY ${page_folder})
add_custom_target(feedrate_page BYPRODUCTS ${page_parts} VERBATIM
  COMMENT "Parts of the HTML report"
  COMMAND ${CMAKE_COMMAND} -DPLOTS=${CMAKE_SOURCE_DIR}/plots -DPAGE=${CMAKE_SOURCE_DIR}/src/report/page
          -DFOLDER=${page_folder} -P ${CMAKE_SOURCE_DIR}/src/report/page/embed.cmake)
add_dependencies(feedrate_report feedrate_page)
set_source_files_properties(src/report/page_assets.cpp PROPERTIES
  OBJECT_DEPENDS "${page_parts}"
  INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}
  COMPILE_DEFINITIONS FEEDRATE_PAGE_FOLDER="${page_folder}")
