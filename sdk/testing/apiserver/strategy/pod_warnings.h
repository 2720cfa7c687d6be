#pragma once

/// Warnings about pod fields that are valid but probably unintended.

#include <string>
#include <vector>

#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

/// `object` is a pod or a pod template. `path` is its path ("" or "spec.template").
void AddPodWarnings(const json::Value& object, std::string_view path,
                    std::vector<std::string>& warnings);
/// Adds a warning if the name is not a DNS label. Used for kinds whose pods derive their names and
/// host names from it. `begin` says what the name is used in.
void AddHostNameWarning(const json::Value& object, std::string_view begin,
                        std::vector<std::string>& warnings);

}  // namespace capstan::testing::server
