#pragma once

/// RawJson: a part of an object that controllers copy but do not interpret (a pod template, a
/// custom spec).
///
/// Holds valid JSON text (members in a canonical order, no white space) in an 8-byte shared handle.
/// The decoder compresses long texts, because caches hold many and read few: reading one takes some
/// microseconds.
/// A JSON Pointer (RFC 6901) addresses a member, e.g. "/metadata/labels/pod-template-hash".
///
/// Semantic equality is that of the API server:
/// - The order of members does not matter.
/// - null, [] and absent are equal.
/// - {} and absent are equal for maps and plain structs of the API (labels, annotations,
///   nodeSelector, resources, limits, ...), but not where presence has a meaning (emptyDir,
///   securityContext, ...).
/// - Quantities compare by value ("500m" = "0.5").
///
/// Threads: a value; the shared text is immutable.

#include <cstddef>
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

  /// Validates and canonicalises `text`. The error contains the offset.
  static Result<RawJson> Parse(std::string_view text);
  static RawJson String(std::string_view value);
  static RawJson Int(int64_t value);
  static RawJson Object(const StringMap& members);

  bool empty() const { return text_ == nullptr; }
  /// The text; "" when absent. Decompresses it if the value was decoded from an object and is long.
  std::string text() const;

  /// The value at `pointer`; absent when there is none.
  RawJson At(std::string_view pointer) const;
  /// The string at `pointer`; nullopt if it is absent or not a string.
  std::optional<std::string> StringAt(std::string_view pointer) const;
  /// The members at `pointer` whose values are strings (labels, annotations).
  StringMap StringMapAt(std::string_view pointer) const;
  /// Returns a copy with `value` at `pointer`. Creates missing objects on the path.
  RawJson With(std::string_view pointer, const RawJson& value) const;
  /// Returns a copy without the value at `pointer`.
  RawJson Without(std::string_view pointer) const;

  /// Semantically equal values have equal hashes. The hash is stable across processes and releases,
  /// because ReplicaSet names contain it. It is computed once per text.
  uint64_t SemanticHash() const;
  /// The SHA-256 of the meaning, 32 bytes: equal exactly if the values are semantically equal. It
  /// is computed each time.
  std::string SemanticDigest() const;
  friend CAPSTAN_EXPORT bool SemanticallyEqual(const RawJson& a, const RawJson& b);
  /// Whether both are copies of one value. False does not mean that they differ. TextIdentity is
  /// equal for copies as long as one of them lives.
  bool SharesTextWith(const RawJson& other) const { return text_ == other.text_; }
  size_t TextIdentity() const {
    return reinterpret_cast<size_t>(text_) / alignof(std::max_align_t);
  }
  /// Compares the texts.
  friend CAPSTAN_EXPORT bool operator==(const RawJson& a, const RawJson& b);

 private:
  friend class RawJsonAccess;
  struct Text;
  Text* text_ = nullptr;
};

}  // namespace capstan
