#pragma once

// What may be a label's key and value.
// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set

#include <string_view>

namespace capstan::internal {

// "name" or "prefix/name": the name up to 63 of [-_.A-Za-z0-9], an alphanumeric at both ends; the
// prefix a DNS subdomain of up to 253 characters.
bool IsLabelKey(std::string_view key);
// Empty, or as a key's name.
bool IsLabelValue(std::string_view value);

}  // namespace capstan::internal
