#pragma once

/// Converts RawJson from and to trees, for the decoder and the writers of patches.

#include <cstdint>

#include <capstan/api/raw_json.h>

#include "base/json/json_tree.h"

namespace capstan {

class RawJsonAccess {
 public:
  /// Canonicalises `node` and holds its text. A null value becomes absent.
  static RawJson FromNode(json::Node& node);
  /// The same value in less memory, for objects that are kept and rarely read. Values with the
  /// same `family` resemble each other; 0: nothing is known about it.
  static RawJson Packed(const RawJson& raw, uint64_t family = 0);
  /// `text` must be canonical JSON, or "".
  static RawJson FromCanonicalText(std::string_view text);
  /// The text as a tree; null if absent. It is always valid, because a RawJson holds only valid
  /// JSON.
  static json::Document ToDocument(const RawJson& raw);
};

}  // namespace capstan
