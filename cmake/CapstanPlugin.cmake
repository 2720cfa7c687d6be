# capstan_add_plugin(<name> SOURCES <file>...)
#
# Builds the Capstan plugin <name>.so, a target that is called <name>. It links libcapstan and
# exports only its descriptor, so that two plugins in one process never share a symbol by accident;
# a symbol that nothing provides is an error of the link, not of the load.

set(CAPSTAN_PLUGIN_VERSION_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/capstan-plugin.map")

function(capstan_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "usage: capstan_add_plugin(<name> SOURCES <file>...)")
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE Capstan::capstan)
  target_link_options(${name} PRIVATE -Wl,-z,defs
                      "-Wl,--version-script=${CAPSTAN_PLUGIN_VERSION_SCRIPT}")
  set_target_properties(
    ${name}
    PROPERTIES PREFIX ""
               SUFFIX ".so"
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               INSTALL_RPATH "$ORIGIN/../.."
               LINK_DEPENDS "${CAPSTAN_PLUGIN_VERSION_SCRIPT}")
endfunction()
