# Compiler flags, as the interface target scree_options. No -ffast-math, no contraction into fused
# multiply-adds and no -march=native: the same source gives the same bits; hot kernels that want
# more of the CPU choose at run time by themselves.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")

add_library(scree_options INTERFACE)
target_compile_definitions(scree_options INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(scree_options INTERFACE -Wall -Wextra -Wconversion -Wshadow
                                               -Wstrict-prototypes -ffp-contract=off)
# A program loads only the libraries that it uses.
target_link_options(scree_options INTERFACE LINKER:--as-needed)
if(SCREE_WERROR)
  target_compile_options(scree_options INTERFACE -Werror)
endif()
if(SCREE_PORTABLE)
  target_compile_definitions(scree_options INTERFACE SCREE_PORTABLE=1)
endif()

if(SCREE_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SCREE_FUZZ needs clang with libFuzzer (Debian packages clang and "
                        "libclang-rt-dev): configure with -DCMAKE_C_COMPILER=clang")
  endif()
  set(SCREE_SANITIZE "address,undefined,fuzzer-no-link")
endif()
if(SCREE_SANITIZE)
  # One flag for the whole tree: a sanitizer that misses a part of the program is worse than none.
  # Functions and lines are all that its reports need of debug information, and -g takes half as long
  # again to compile.
  add_compile_options(-fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer -g1
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SCREE_SANITIZE})
endif()

# A fuzz target runs on one thread; without OpenMP its parallel regions are plain loops.
if(SCREE_FUZZ)
  target_compile_options(scree_options INTERFACE -Wno-unknown-pragmas -Wno-source-uses-openmp)
else()
  find_package(OpenMP QUIET COMPONENTS C)
  if(NOT OpenMP_C_FOUND)
    message(FATAL_ERROR "the C compiler ${CMAKE_C_COMPILER} has no OpenMP: gcc brings its own, clang "
                        "wants the Debian package libomp-dev")
  endif()
  target_link_libraries(scree_options INTERFACE OpenMP::OpenMP_C)
endif()
