#pragma once

// Writing JSON text.

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::json {

// Appends `text` quoted and escaped.
void AppendString(std::string& out, std::string_view text);
// `text` quoted and escaped.
std::string Quoted(std::string_view text);

// Whether `text` is well-formed UTF-8 (no overlong forms, surrogates or values over U+10FFFF).
bool IsValidUtf8(std::string_view text);

// Writes the members of one JSON object: the braces and commas around them.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out), start_(out.size()) { out_ += '{'; }

  // The caller appends the value next.
  void Key(std::string_view key) {
    if (out_.size() > start_ + 1) out_ += ',';
    AppendString(out_, key);
    out_ += ':';
  }
  // Where to cut `out` off to take back a member that is begun after this call.
  size_t Mark() const { return out_.size(); }
  void TakeBack(size_t mark) { out_.resize(mark); }
  // Whether any member was written.
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
