#pragma once

// Functions that write JSON text.

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::json {

/// Appends `text`, quoted and escaped.
void AppendString(std::string& out, std::string_view text);
/// Returns `text`, quoted and escaped.
std::string Quoted(std::string_view text);

/// Whether `text` is well-formed UTF-8 (no overlong forms, surrogates or values over U+10FFFF).
bool IsValidUtf8(std::string_view text);

/// Writes the braces, commas and keys of one JSON object.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out), start_(out.size()) { out_ += '{'; }

  /// Writes a key. The caller appends the value next.
  void Key(std::string_view key) {
    if (out_.size() > start_ + 1) out_ += ',';
    AppendString(out_, key);
    out_ += ':';
  }
  /// A position for Rewind, which removes the members written after this call.
  size_t Mark() const { return out_.size(); }
  void Rewind(size_t mark) { out_.resize(mark); }
  /// Closes the object. Returns whether it has any member.
  bool End() {
    const bool any = out_.size() > start_ + 1;
    out_ += '}';
    return any;
  }

 private:
  std::string& out_;
  const size_t start_;
};

}  // namespace capstan::json
