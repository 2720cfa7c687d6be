#pragma once

/// JsonEvents: the events of one JSON value, recorded as bytes. Equal bytes are equal values. It is
/// a handler of json::ParseInPlace.

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

#include "base/json/json_tree.h"

namespace capstan::internal {

class JsonEvents {
 public:
  bool Null() { return Add(Kind::kNull); }
  bool Bool(bool value) { return Add(value ? Kind::kTrue : Kind::kFalse); }
  bool Number(std::string_view text) { return Add(Kind::kNumber, text); }
  bool String(std::string_view text) { return Add(Kind::kString, text); }
  bool Key(std::string_view text) { return Add(Kind::kKey, text); }
  bool StartObject() { return Add(Kind::kStartObject); }
  bool EndObject() { return Add(Kind::kEnd); }
  bool StartArray() { return Add(Kind::kStartArray); }
  bool EndArray() { return Add(Kind::kEnd); }

  std::string_view bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }
  /// The value as a tree, whose texts point into the bytes. Malformed as a TreeBuilder says.
  Result<json::Node> ToTree() const;

 private:
  enum class Kind : char {
    kNull,
    kFalse,
    kTrue,
    kNumber,
    kString,
    kKey,
    kStartObject,
    kStartArray,
    kEnd
  };

  bool Add(Kind kind) {
    bytes_ += static_cast<char>(kind);
    return true;
  }
  bool Add(Kind kind, std::string_view text);

  std::string bytes_;  // the kind of each event; for a text also its length and the text
};

}  // namespace capstan::internal
