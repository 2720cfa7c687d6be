#pragma once

/// RawJson: a part of an object that is carried, not understood (a pod template, a custom spec).
///
/// Holds valid JSON text (members in a canonical order, no white space) in an 8-byte shared handle.
/// Members are addressed by JSON Pointer (RFC 6901), e.g. "/metadata/labels/pod-template-hash".
///
/// Semantic equality is what the API server's own comparison means by it: the order of members does
/// not matter; null, [] and absent are equal; {} and absent are equal for maps and plain structs of
/// the API (labels, annotations, nodeSelector, resources, limits, ...) but not where presence has a
/// meaning (emptyDir, securityContext, ...); quantities compare by value ("500m" = "0.5").
///
/// Threads: a value; the shared text is immutable.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <capstan/api/string_map.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

class CAPSTAN_EXPORT RawJson {
 public:
  RawJson() = default;  ///< absent
  RawJson(const RawJson& other);
  RawJson(RawJson&& other) noexcept : text_(other.text_) { other.text_ = nullptr; }
  RawJson& operator=(const RawJson& other);
  RawJson& operator=(RawJson&& other) noexcept;
  ~RawJson();

  /// Checks and canonicalises `text`. The error names the offset.
  static Result<RawJson> Parse(std::string_view text);
  static RawJson String(std::string_view value);
  static RawJson Int(int64_t value);
  static RawJson Object(const StringMap& members);

  bool empty() const { return text_ == nullptr; }
  /// The text; "" when absent.
  std::string_view text() const;

  /// The value at `pointer`; absent when there is none.
  RawJson At(std::string_view pointer) const;
  /// The string at `pointer`; nullopt when there is none or it is no string.
  std::optional<std::string> StringAt(std::string_view pointer) const;
  /// The members at `pointer` whose values are strings (labels, annotations).
  StringMap StringMapAt(std::string_view pointer) const;
  /// A copy in which `pointer` is `value`; objects missing on the way are made.
  RawJson With(std::string_view pointer, const RawJson& value) const;
  /// A copy without `pointer`.
  RawJson Without(std::string_view pointer) const;

  /// Equal values have equal hashes. Stable across processes and releases: it names ReplicaSets.
  /// Computed once for a text.
  uint64_t SemanticHash() const;
  friend CAPSTAN_EXPORT bool SemanticallyEqual(const RawJson& a, const RawJson& b);
  /// Equality of texts.
  friend CAPSTAN_EXPORT bool operator==(const RawJson& a, const RawJson& b);

 private:
  friend class RawJsonAccess;
  struct Text;
  Text* text_ = nullptr;
};

}  // namespace capstan
