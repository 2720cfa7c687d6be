# find_package(Capstan) gives the target Capstan::capstan (headers and libcapstan.so), the function
# capstan_add_plugin(), and Capstan::testing (libcapstan-testing) for tests, which needs Boost.Context,
# yaml-cpp, RE2 and OpenSSL; plugins do not need these.
find_package(Boost 1.74 QUIET COMPONENTS context)
find_package(yaml-cpp QUIET CONFIG)
find_package(OpenSSL QUIET COMPONENTS Crypto)
include("${CMAKE_CURRENT_LIST_DIR}/CapstanTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CapstanPlugin.cmake")
