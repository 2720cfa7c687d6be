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
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Werror)
# File names in messages are those of the repository, wherever it was built.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
add_link_options(-Wl,--as-needed)

set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g -D_GLIBCXX_ASSERTIONS")

if(CAPSTAN_SANITIZE)
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1 -D_GLIBCXX_ASSERTIONS")
  add_compile_options(
    "-fsanitize=${CAPSTAN_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer
    # GCC's flow analysis does not see through the sanitizers' checks.
    -Wno-maybe-uninitialized)
  add_link_options("-fsanitize=${CAPSTAN_SANITIZE}")
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wthread-safety)
endif()

find_program(CAPSTAN_CCACHE ccache)
mark_as_advanced(CAPSTAN_CCACHE)
if(CAPSTAN_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the sloppiness ccache passes every use of a precompiled header by.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CAPSTAN_CCACHE}")
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld CAPSTAN_HAVE_LLD)
if(CAPSTAN_HAVE_LLD)
  add_link_options(-fuse-ld=lld)
endif()
