# find_package(Capstan) gives the target Capstan::capstan (headers and libcapstan.so) and the
# function capstan_add_plugin().
include("${CMAKE_CURRENT_LIST_DIR}/CapstanTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/CapstanPlugin.cmake")
