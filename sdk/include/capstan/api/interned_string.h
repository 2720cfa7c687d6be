#pragma once

/// InternedString: an 8-byte handle to an immutable string. The process keeps one copy of each
/// string.
///
/// Use it for values that repeat across objects (namespaces, node names, phases, kinds, label
/// keys). Do not use it for unique values (pod names, UIDs, resourceVersions): they only fill the
/// table. Equality is a pointer comparison. The text is freed with its last handle.
///
/// Threads: handles are values. Any thread may create, copy and destroy them.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <capstan/export.h>

namespace capstan {

class CAPSTAN_EXPORT InternedString {
 public:
  InternedString() = default;
  InternedString(std::string_view text);                                               // NOLINT
  InternedString(const char* text) : InternedString(std::string_view(text)) {}         // NOLINT
  InternedString(const std::string& text) : InternedString(std::string_view(text)) {}  // NOLINT
  InternedString(const InternedString& other);
  InternedString(InternedString&& other) noexcept : atom_(other.atom_) { other.atom_ = nullptr; }
  InternedString& operator=(const InternedString& other);
  InternedString& operator=(InternedString&& other) noexcept;
  ~InternedString();

  std::string_view view() const;
  operator std::string_view() const { return view(); }  // NOLINT
  std::string str() const { return std::string(view()); }
  bool empty() const { return atom_ == nullptr; }
  size_t hash() const;

  friend bool operator==(const InternedString& a, const InternedString& b) {
    return a.atom_ == b.atom_;
  }
  friend bool operator==(const InternedString& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const InternedString& a, const std::string& b) { return a.view() == b; }
  friend bool operator==(const InternedString& a, const char* b) {
    return a.view() == std::string_view(b);
  }
  friend bool operator<(const InternedString& a, const InternedString& b) {
    return a.view() < b.view();
  }

 private:
  struct Atom;
  Atom* atom_ = nullptr;  // null = the empty string
};

}  // namespace capstan

template <>
struct std::hash<capstan::InternedString> {
  size_t operator()(const capstan::InternedString& text) const noexcept { return text.hash(); }
};
