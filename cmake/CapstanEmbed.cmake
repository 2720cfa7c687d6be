# capstan_embed(SOURCE FUNCTION TEXT): writes the C++ file SOURCE with the function
# capstan::testing::server::FUNCTION, which gives the lines of the file TEXT in parts that every
# compiler takes as literals.
function(capstan_embed source function text)
  set(largest 12000)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${text}")
  file(READ "${text}" rest)
  set(parts "")
  while(NOT rest STREQUAL "")
    string(SUBSTRING "${rest}" 0 ${largest} part)
    string(FIND "${part}" "\n" end REVERSE)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${end} part)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(APPEND parts "    R\"facts(${part})facts\",\n")
  endwhile()
  get_filename_component(name "${text}" NAME)
  set(content "// Made from ${name} by the build.

#include <span>
#include <string_view>

#include \"apiserver/schema/facts_text.h\"

namespace capstan::testing::server {

std::span<const std::string_view> ${function}() {
  static constexpr std::string_view kParts[] = {
${parts}  };
  return kParts;
}

}  // namespace capstan::testing::server
")
  set(present "")
  if(EXISTS "${source}")
    file(READ "${source}" present)
  endif()
  if(NOT present STREQUAL content)
    file(WRITE "${source}" "${content}")
  endif()
endfunction()
