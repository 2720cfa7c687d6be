#pragma once

// What is allowed in a pod but hardly meant.

#include <string>
#include <vector>

#include "apiserver/validation/field_path.h"
#include "json/value.h"

namespace capstan::testing::server {

// `object` is a pod or a template of one; `path` is where it is ("" or "spec.template").
void AddPodWarnings(const json::Value& object, std::string_view path,
                    std::vector<std::string>& warnings);
// A name that pods and their hosts get theirs from. `begin` says what it is used for.
void AddHostNameWarning(const json::Value& object, std::string_view begin,
                        std::vector<std::string>& warnings);

}  // namespace capstan::testing::server
