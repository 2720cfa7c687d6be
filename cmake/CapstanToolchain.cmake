# The compiler, its flags and the tools around it: the same for every target of this tree.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CAPSTAN_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them; empty for none")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# One kind of code, so that programs and libraries share precompiled headers.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlaps and overruns in std::string's own code (false positives, GCC bug 105651).
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# File names in messages and debug information are those of the repository, wherever it was built.
# ccache hands the compiler paths that are relative to the build folder.
file(RELATIVE_PATH build_to_source "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/="
                    "-ffile-prefix-map=${build_to_source}=")
add_link_options(-Wl,--as-needed)

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g -D_GLIBCXX_ASSERTIONS")

if(CAPSTAN_SANITIZE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
  add_compile_options("-fsanitize=${CAPSTAN_SANITIZE}" -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${CAPSTAN_SANITIZE}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # What libFuzzer steers by, said by parts, as code with and without it shares precompiled headers.
    set(CAPSTAN_FUZZER_COVERAGE
        -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
    add_compile_options("-fsanitize-ignorelist=${build_to_source}cmake/sanitizers.ignorelist")
    # The sanitizers' run-time library is in the program, so that libraries do have undefined
    # symbols; said last, this goes for those too that ask for none.
    set(CMAKE_CXX_STANDARD_LIBRARIES "-Wl,-z,undefs")
  else()
    # GCC's flow analysis does not see through the sanitizers' checks.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wthread-safety)
endif()

find_program(CAPSTAN_CCACHE ccache)
mark_as_advanced(CAPSTAN_CCACHE)
if(CAPSTAN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # All clones share what one of them compiled: ccache rewrites paths below the base folder, and no
  # object names the folder it was compiled in. Without the sloppiness ccache ignores every use of a
  # precompiled header. It does not know that the sanitizers read a file.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_ABSSTDERR=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
  if(CAPSTAN_SANITIZE)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER
         "CCACHE_EXTRAFILES=${CMAKE_CURRENT_LIST_DIR}/sanitizers.ignorelist")
  endif()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER "${CAPSTAN_CCACHE}")
endif()

# capstan_precompile(<header> <library> <target>...): the header is parsed once for all these targets,
# which use the library <library>, as its definitions go into what is parsed. A file includes what it
# uses all the same. Not with Clang, whose precompiled headers name the folder they were made in.
set(is_gcc OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(is_gcc ON)
endif()
option(CAPSTAN_PRECOMPILE_HEADERS "Precompile the headers that most files include" ${is_gcc})
function(capstan_precompile header library)
  if(NOT CAPSTAN_PRECOMPILE_HEADERS)
    return()
  endif()
  set(precompiled ${library}_pch)
  if(NOT TARGET ${precompiled})
    set(source "${PROJECT_BINARY_DIR}/${precompiled}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${precompiled} OBJECT "${source}")
    target_link_libraries(${precompiled} PRIVATE ${library})
    # With separate quotes CMake keeps the path relative, and clones share the precompiled header.
    target_precompile_headers(${precompiled} PRIVATE "\"${header}\"")
    target_include_directories(${precompiled} PRIVATE "${PROJECT_SOURCE_DIR}")
  endif()
  foreach(target IN LISTS ARGN)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endforeach()
endfunction()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld CAPSTAN_HAVE_LLD)
if(CAPSTAN_HAVE_LLD)
  add_link_options(-fuse-ld=lld)
endif()
