# The page of viewer/, bundled with three.js by esbuild and held by the library as bytes. Both come from
# npm as viewer/package-lock.json says, when Scree is configured first; after that nothing is fetched.
#   SCREE_WITH_VIEWER   ON, AUTO (when node and npm are there and the packages can be had) or OFF
# Without it `scree export --html`, `scree view` and `--view` say that the page is left out.
# Result: SCREE_VIEWER_SOURCE, the C source that is made while building, or "".
set(SCREE_WITH_VIEWER "AUTO" CACHE STRING
    "the page that shows runs: ON, AUTO or OFF (Debian: nodejs npm)")
set_property(CACHE SCREE_WITH_VIEWER PROPERTY STRINGS ON AUTO OFF)
set(SCREE_VIEWER_SOURCE "")

# Sets `fault` to what is missing, or to "".
function(scree_viewer_prepare fault)
  set(place ${PROJECT_SOURCE_DIR}/viewer)
  if(NOT "ZLIB" IN_LIST SCREE_PARTS_IN OR NOT "HDF5" IN_LIST SCREE_PARTS_IN)
    set(${fault} "the page needs the parts ZLIB and HDF5" PARENT_SCOPE)
    return()
  endif()
  find_program(SCREE_NODE NAMES node nodejs)
  find_program(SCREE_NPM npm)
  mark_as_advanced(SCREE_NODE SCREE_NPM)
  if(NOT SCREE_NODE OR NOT SCREE_NPM)
    set(${fault} "node or npm not found, for the page that shows runs: install nodejs npm" PARENT_SCOPE)
    return()
  endif()
  file(SHA256 ${place}/package-lock.json wanted)
  set(there "")
  if(EXISTS ${place}/node_modules/.scree)
    file(READ ${place}/node_modules/.scree there)
  endif()
  if(NOT there STREQUAL wanted)
    message(STATUS "npm brings what viewer/package-lock.json names")
    execute_process(COMMAND ${SCREE_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
                    WORKING_DIRECTORY ${place} TIMEOUT 300 RESULT_VARIABLE result
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      set(${fault} "npm could not bring three.js and esbuild, for the page that shows runs (${output})"
          PARENT_SCOPE)
      return()
    endif()
    file(WRITE ${place}/node_modules/.scree ${wanted})
  endif()
  set(${fault} "" PARENT_SCOPE)
endfunction()

if(SCREE_WITH_VIEWER)
  scree_viewer_prepare(fault)
  if(NOT fault STREQUAL "" AND SCREE_WITH_VIEWER STREQUAL "AUTO")
    message(STATUS "${fault}; left out")
  elseif(NOT fault STREQUAL "")
    message(FATAL_ERROR "${fault}, or leave it out by -DSCREE_WITH_VIEWER=OFF")
  else()
    set(SCREE_VIEWER_SOURCE ${PROJECT_BINARY_DIR}/view_page.c)
    file(GLOB viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/viewer/src/*)
    add_custom_command(OUTPUT ${SCREE_VIEWER_SOURCE}
                       COMMAND ${SCREE_NODE} ${PROJECT_SOURCE_DIR}/viewer/build.mjs ${SCREE_VIEWER_SOURCE}
                       DEPENDS ${viewer_sources} ${PROJECT_SOURCE_DIR}/viewer/build.mjs
                               ${PROJECT_SOURCE_DIR}/viewer/package-lock.json
                       COMMENT "Bundling the viewer" VERBATIM)
    target_compile_definitions(scree_parts INTERFACE SCREE_WITH_VIEWER=1)
    list(APPEND SCREE_PARTS_IN VIEWER)
  endif()
endif()
