#pragma once

/// The texts of facts/, which the build embeds into the library (cmake/CapstanEmbed.cmake). Each
/// text is split into parts of whole lines.

#include <span>
#include <string_view>

namespace capstan::testing::server {

std::span<const std::string_view> KubernetesFacts();
std::span<const std::string_view> OptionsFacts();
std::span<const std::string_view> DescriptionsFacts();

}  // namespace capstan::testing::server
