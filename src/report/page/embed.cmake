# Run with cmake -P by the build: puts the report's parts together in FOLDER, so that the program can
# carry them. Charts need vega, vega-lite and vega-embed in PLOTS/node_modules; where they are
# missing, npm fetches what package-lock.json pins, and where it cannot, the report does without.
cmake_minimum_required(VERSION 3.25)

function(write_if_changed file text)
  if(EXISTS ${file})
    file(READ ${file} before)
    if(before STREQUAL text)
      return()
    endif()
  endif()
  file(WRITE ${file} "${text}")
endfunction()

# Whether PACKAGE lies in node_modules in the version that package.json pins.
function(is_installed package result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS ${PLOTS}/node_modules/${package}/package.json)
    file(READ ${PLOTS}/package.json wanted)
    file(READ ${PLOTS}/node_modules/${package}/package.json have)
    string(JSON wanted GET "${wanted}" dependencies ${package})
    string(JSON have GET "${have}" version)
    if(wanted STREQUAL have)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(all_installed result)
  set(${result} TRUE PARENT_SCOPE)
  foreach(package vega vega-lite vega-embed)
    is_installed(${package} found)
    if(NOT found)
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

file(SHA256 ${PLOTS}/package-lock.json lock)
set(failed ${FOLDER}/npm_failed_for_${lock})
all_installed(installed)
if(NOT installed AND NOT EXISTS ${failed})
  find_program(NPM npm)
  if(NPM)
    message(STATUS "Charts of the report: npm ci --prefix plots")
    execute_process(
      COMMAND ${NPM} ci --prefix ${PLOTS} --ignore-scripts --no-audit --no-fund --fetch-retries=1
              --fetch-retry-mintimeout=1000 --fetch-timeout=60000
      RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 240)
    if(NOT status EQUAL 0)
      file(WRITE ${failed} "${said}")  # not tried again by each build
      message(STATUS "npm ci failed (${failed}): reports will have tables and no charts")
    endif()
    all_installed(installed)
  else()
    message(STATUS "npm is not installed: reports will have tables and no charts")
  endif()
endif()

# What the minified files hold of others, with their terms: every package that is no tool of development, with the
# text of its licence, equal texts once.
function(write_notices file)
  file(READ ${PLOTS}/package-lock.json lock_text)
  string(JSON count LENGTH "${lock_text}" packages)
  math(EXPR last "${count} - 1")
  set(hashes)
  foreach(i RANGE ${last})
    string(JSON path MEMBER "${lock_text}" packages ${i})
    string(JSON dev ERROR_VARIABLE not_dev GET "${lock_text}" packages "${path}" dev)
    # Types, and what Rollup is on one kind of machine, leave nothing in what is minified.
    if(path STREQUAL "" OR not_dev STREQUAL "NOTFOUND" OR path MATCHES "node_modules/@(types|rollup)/")
      continue()
    endif()
    string(JSON version GET "${lock_text}" packages "${path}" version)
    string(JSON terms ERROR_VARIABLE no_terms GET "${lock_text}" packages "${path}" license)
    if(NOT no_terms STREQUAL "NOTFOUND")
      set(terms "its own terms")
    endif()
    string(REGEX REPLACE "^.*node_modules/" "" name ${path})
    file(GLOB texts ${PLOTS}/${path}/LICENSE* ${PLOTS}/${path}/LICENCE* ${PLOTS}/${path}/license*)
    set(text "")
    if(texts)
      list(GET texts 0 text)
      file(READ ${text} text)
      string(STRIP "${text}" text)
    endif()
    string(SHA256 hash "${terms}${text}")
    if(NOT hash IN_LIST hashes)
      list(APPEND hashes ${hash})
      set(names_${hash} "")
      set(text_${hash} "${text}")
      set(terms_${hash} "${terms}")
    endif()
    string(APPEND names_${hash} "${name} ${version}\n")
  endforeach()
  set(all "")
  foreach(hash IN LISTS hashes)
    string(APPEND all "${names_${hash}}Licence: ${terms_${hash}}\n\n${text_${hash}}\n\n")
  endforeach()
  file(WRITE ${file} "${all}")
endfunction()

# Already minified; the map files that they name are not there.
set(charts ${FOLDER}/charts.js)
if(NOT installed)
  write_if_changed(${charts} "")
  write_if_changed(${FOLDER}/notices.txt "")
elseif(NOT EXISTS ${charts}.lock OR NOT EXISTS ${charts})
  set(made FALSE)
else()
  file(READ ${charts}.lock made_from)
  file(SIZE ${charts} size)
  if(made_from STREQUAL lock AND size GREATER 0 AND EXISTS ${FOLDER}/notices.txt)
    set(made TRUE)
  endif()
endif()
if(installed AND NOT made)
  file(WRITE ${charts} "")
  foreach(package vega vega-lite vega-embed)
    execute_process(COMMAND sed "/^\\/\\/# sourceMappingURL=/d"
                    ${PLOTS}/node_modules/${package}/build/${package}.min.js
                    OUTPUT_FILE ${FOLDER}/part.js COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND sh -c "cat \"$1\" >>\"$2\" && echo >>\"$2\"" sh ${FOLDER}/part.js ${charts}
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(REMOVE ${FOLDER}/part.js)
  write_notices(${FOLDER}/notices.txt)
  file(WRITE ${charts}.lock ${lock})
endif()

# One inline module cannot import: the files follow each other, without their import lines.
execute_process(
  COMMAND sed -e "/^import .*;$/d" -e "/^import /,/;$/d" ${PLOTS}/numbers.js ${PLOTS}/theme.js
          ${PLOTS}/pareto_layout.js ${PLOTS}/rows.js
          ${PAGE}/page.js
  OUTPUT_FILE ${FOLDER}/script.new COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${FOLDER}/script.new ${FOLDER}/script.js)

file(GLOB specs ${PLOTS}/*.vl.json)
list(SORT specs)
execute_process(
  COMMAND sh -c "separator='{'; for spec; do name=$(basename \"$spec\" .vl.json)
    printf '%s\"%s\": ' \"$separator\" \"$name\"; cat \"$spec\"; separator=','; done; printf '}'" sh ${specs}
  OUTPUT_FILE ${FOLDER}/specs.new COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${FOLDER}/specs.new ${FOLDER}/specs.json)

foreach(file page.html page.css theme.js)
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${PAGE}/${file} ${FOLDER}/${file})
endforeach()

set(hashes "// Of the scripts that the page may run.\n#pragma once\n#include <string_view>\n\nnamespace page_hashes {\n")
foreach(script theme script charts)
  file(SHA256 ${FOLDER}/${script}.js hash)
  string(APPEND hashes "inline constexpr std::string_view ${script} = \"${hash}\";\n")
endforeach()
write_if_changed(${FOLDER}/page_hashes.hpp "${hashes}}\n")
