# The parts of Scree that need a library of the system. Each has an option SCREE_WITH_<PART>:
#   ON    needed: configuring fails with the name of the package that brings it
#   AUTO  used when it is there
#   OFF   left out
# A part that is in defines SCREE_WITH_<PART>=1 for the compiler; sources that need a part guard
# themselves with #ifdef and answer SCREE_ERROR_UNSUPPORTED without it.
#
# Results: the interface target scree_parts for building, and SCREE_LIBRARIES, the same as plain
# paths for those who link the installed static library.
find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing: install the Debian package pkg-config (tools/setup "
                      "installs everything)")
endif()

add_library(scree_parts INTERFACE)
set(SCREE_LIBRARIES "")
set(SCREE_PARTS_IN "")

# LOADED: its one library is opened at the first use; SCREE_<PART>_LIBRARY is its name.
# scree_part(<PART> <what it brings> <Debian packages> [LOADED] [MODULES pkg-config modules]
#            [DEFAULT AUTO or OFF] [LIBRARIES library names] [HEADER header] [SUFFIXES include directories to try])
function(scree_part part what packages)
  cmake_parse_arguments(PART "LOADED" "HEADER;DEFAULT" "MODULES;LIBRARIES;SUFFIXES" ${ARGN})
  if(NOT DEFINED PART_DEFAULT)
    set(PART_DEFAULT ON)
  endif()
  set(SCREE_WITH_${part} ${PART_DEFAULT} CACHE STRING "${what}: ON, AUTO or OFF (Debian: ${packages})")
  set_property(CACHE SCREE_WITH_${part} PROPERTY STRINGS ON AUTO OFF)
  if(NOT SCREE_WITH_${part})
    return()
  endif()
  set(missing "")
  set(libraries "")
  set(includes "")
  if(PART_MODULES)
    pkg_check_modules(SCREE_${part} QUIET ${PART_MODULES})
    if(SCREE_${part}_FOUND)
      list(APPEND libraries ${SCREE_${part}_LINK_LIBRARIES})
      list(APPEND includes ${SCREE_${part}_INCLUDE_DIRS})
    else()
      list(APPEND missing ${PART_MODULES})
    endif()
  endif()
  foreach(name ${PART_LIBRARIES})
    find_library(SCREE_LIBRARY_${name} ${name})
    mark_as_advanced(SCREE_LIBRARY_${name})
    if(SCREE_LIBRARY_${name})
      list(APPEND libraries ${SCREE_LIBRARY_${name}})
    else()
      list(APPEND missing lib${name})
    endif()
  endforeach()
  if(PART_HEADER)
    find_path(SCREE_INCLUDE_${part} ${PART_HEADER} PATH_SUFFIXES ${PART_SUFFIXES})
    mark_as_advanced(SCREE_INCLUDE_${part})
    if(SCREE_INCLUDE_${part})
      list(APPEND includes ${SCREE_INCLUDE_${part}})
    else()
      list(APPEND missing ${PART_HEADER})
    endif()
  endif()
  if(missing)
    list(JOIN missing ", " missing)
    set(advice "${missing} not found, for ${what}: install ${packages} (tools/setup installs all)")
    if(SCREE_WITH_${part} STREQUAL "AUTO")
      message(STATUS "${advice}; left out")
      return()
    endif()
    message(FATAL_ERROR "${advice}, or leave it out by -DSCREE_WITH_${part}=OFF")
  endif()
  list(REMOVE_ITEM includes /usr/include)
  target_compile_definitions(scree_parts INTERFACE SCREE_WITH_${part}=1)
  target_include_directories(scree_parts SYSTEM INTERFACE ${includes})
  if(PART_LOADED)
    get_filename_component(real ${libraries} REALPATH)
    get_filename_component(real ${real} NAME)
    target_compile_definitions(scree_parts INTERFACE SCREE_${part}_LIBRARY="${real}")
    set(libraries ${CMAKE_DL_LIBS})
  endif()
  target_link_libraries(scree_parts INTERFACE ${libraries})
  set(SCREE_LIBRARIES ${SCREE_LIBRARIES} ${libraries} PARENT_SCOPE)
  set(SCREE_PARTS_IN ${SCREE_PARTS_IN} ${part} PARENT_SCOPE)
endfunction()

scree_part(HDF5 "problem files and recordings" "libhdf5-dev" MODULES hdf5-serial)
scree_part(BLAS "dense kernels of the direct solvers" "libopenblas-dev liblapacke-dev"
           MODULES openblas lapacke)
scree_part(YAML "scene files" "libyaml-dev" MODULES yaml-0.1)
scree_part(EXPAT "robots in URDF and MJCF" "libexpat1-dev" MODULES expat)
scree_part(QHULL "convex hulls" "libqhull-dev" MODULES qhull_r)
# STL, OBJ and PLY are read without it. It has had many faults of memory: for files one trusts.
scree_part(ASSIMP "other mesh files" "libassimp-dev" DEFAULT "OFF" MODULES assimp)
scree_part(PNG "pictures" "libpng-dev" MODULES libpng)
scree_part(RENDER "pictures by ray tracing" "libembree-dev" LIBRARIES embree3 HEADER embree3/rtcore.h)
scree_part(NLOPT "calibration" "libnlopt-dev" MODULES nlopt)
# Not linked: it has stand-ins with the names of MPI.
scree_part(MUMPS "the linear solver mumps" "libmumps-seq-dev" LOADED DEFAULT "AUTO" LIBRARIES dmumps_seq
           HEADER dmumps_c.h)

# Pages that show a run, by `scree export --html`: the page itself is made from viewer/ by node, see
# ScreeViewer.cmake.
scree_part(ZLIB "packed data of pages" "zlib1g-dev" DEFAULT "AUTO" MODULES zlib)
scree_part(LIVE "live views" "libwebsockets-dev" DEFAULT "AUTO" MODULES libwebsockets)
include(${CMAKE_CURRENT_LIST_DIR}/ScreeViewer.cmake)

# One run on many processes, by mpirun.
scree_part(MPI "runs on several processes" "libopenmpi-dev openmpi-bin" DEFAULT "AUTO" MODULES ompi-c)

# Sweeps and gradient steps on a device.
scree_part(OPENCL "devices" "ocl-icd-opencl-dev" DEFAULT "AUTO" MODULES OpenCL)

target_link_libraries(scree_parts INTERFACE m)
list(APPEND SCREE_LIBRARIES ${OpenMP_C_LIBRARIES} m)
list(REMOVE_DUPLICATES SCREE_LIBRARIES)
list(JOIN SCREE_PARTS_IN " " parts)
message(STATUS "Scree ${PROJECT_VERSION} with the parts: ${parts}")
