# The Python module in the build tree: build/…/python/scree, with what tools/write-python makes of the
# public headers and a link to the library beside it. PYTHONPATH=build/release/python is enough to use
# it. SCREE_WITH_PYTHON: ON, AUTO (when python3 has cffi and numpy) or OFF.
set(SCREE_WITH_PYTHON AUTO CACHE STRING "the Python module: ON, AUTO or OFF (Debian: python3-cffi python3-numpy)")
set_property(CACHE SCREE_WITH_PYTHON PROPERTY STRINGS ON AUTO OFF)
set(SCREE_PYTHON_IN OFF)
if(NOT SCREE_WITH_PYTHON OR SCREE_SANITIZE)
  return()
endif()
# The system's own python3 first: that is where Debian's packages are seen.
if(NOT SCREE_PYTHON)
  foreach(candidate /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -c "import cffi, numpy" RESULT_VARIABLE fault OUTPUT_QUIET ERROR_QUIET)
    if(fault EQUAL 0)
      set(SCREE_PYTHON ${candidate} CACHE STRING "python3 with cffi and numpy")
      break()
    endif()
  endforeach()
endif()
if(NOT SCREE_PYTHON)
  set(advice "no python3 with cffi and numpy: install python3-cffi python3-numpy (tools/setup installs all)")
  if(SCREE_WITH_PYTHON STREQUAL "AUTO")
    message(STATUS "${advice}; the Python module is left out")
    return()
  endif()
  message(FATAL_ERROR "${advice}, or leave the module out by -DSCREE_WITH_PYTHON=OFF")
endif()
set(SCREE_PYTHON_IN ON)
set(package ${PROJECT_BINARY_DIR}/python/scree)
file(GLOB PYTHON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/scree/*.py
     ${PROJECT_SOURCE_DIR}/python/scree/py.typed)
add_custom_command(OUTPUT ${package}/_api.py ${package}/_cffi.py
                   COMMAND ${SCREE_PYTHON} ${PROJECT_SOURCE_DIR}/tools/write-python
                           ${PROJECT_SOURCE_DIR}/include ${package} --cc ${CMAKE_C_COMPILER}
                   DEPENDS ${SCREE_HEADERS} tools/write-python VERBATIM)
set(python_copies "")
foreach(source ${PYTHON_SOURCES})
  get_filename_component(name ${source} NAME)
  add_custom_command(OUTPUT ${package}/${name}
                     COMMAND ${CMAKE_COMMAND} -E copy_if_different ${source} ${package}/${name}
                     COMMAND ${CMAKE_COMMAND} -E touch ${package}/${name} DEPENDS ${source} VERBATIM)
  list(APPEND python_copies ${package}/${name})
endforeach()
add_custom_target(scree_python ALL DEPENDS ${package}/_api.py ${package}/_cffi.py ${python_copies})
add_dependencies(scree_python scree)
add_custom_command(TARGET scree_python POST_BUILD
                   COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE:scree>
                           ${package}/$<TARGET_SONAME_FILE_NAME:scree>
                   COMMAND ${CMAKE_COMMAND} -E create_symlink ${PROJECT_SOURCE_DIR}/scenes
                           ${package}/scenes VERBATIM)
# Where python3 looks below a prefix: dist-packages on Debian, site-packages elsewhere.
execute_process(COMMAND ${SCREE_PYTHON} -c
                        "import sys, sysconfig as s; d = 'posix_local' in s.get_scheme_names(); print('lib/python%d.%d/%s-packages' % (*sys.version_info[:2], 'dist' if d else 'site'))"
                OUTPUT_VARIABLE directory OUTPUT_STRIP_TRAILING_WHITESPACE)
set(SCREE_PYTHON_DIRECTORY ${directory} CACHE STRING "where the Python module is installed, below the prefix")
install(DIRECTORY ${package} DESTINATION ${SCREE_PYTHON_DIRECTORY} FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE PATTERN "scenes" EXCLUDE)
