#pragma once

/// The syntax of label keys and values ("Syntax and character set" of
/// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/).

#include <string_view>

namespace capstan::internal {

/// "name" or "prefix/name". The name has up to 63 characters of [-_.A-Za-z0-9], with an
/// alphanumeric at both ends. The prefix is a DNS subdomain of up to 253 characters.
bool IsLabelKey(std::string_view key);
/// Empty, or with the syntax of a key's name.
bool IsLabelValue(std::string_view value);

}  // namespace capstan::internal
