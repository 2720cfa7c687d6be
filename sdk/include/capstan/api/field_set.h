#pragma once

/// FieldSet: some of the fields of a type, named by the paths of their JSON.
///
///     spec.nodeName                           with all that is below it
///     status.containerStatuses.restartCount   of every element of a list
///     status.conditions[type=Ready]           of a list: the elements with this member
///     metadata.annotations[example.dev/cost]  of a map: this key
///
/// A cache keeps the union of the fields that its readers name; the decoder skips all others
/// without allocation. The metadata of a resource is part of every set, but for annotations.
///
/// Threads: a value of 8 bytes. Equal sets share one tree, which is never freed: there are a few
/// for each type.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct TypeDescriptor;
namespace internal {
struct FieldNode;
}

class CAPSTAN_EXPORT FieldSet {
 public:
  /// All fields.
  constexpr FieldSet() = default;
  /// InvalidArgument names the path that does not fit the type, and the fields that there are.
  static Result<FieldSet> Of(const TypeDescriptor& type, std::span<const std::string_view> paths);

  bool IsAll() const { return node_ == nullptr; }
  /// Both sets are of one type.
  FieldSet Union(const FieldSet& other) const;
  bool Contains(const FieldSet& other) const;
  /// The paths beside the metadata that is always there. Empty for all fields.
  std::vector<std::string> Paths() const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;

  /// For libcapstan. Null: all fields.
  const internal::FieldNode* node() const { return node_; }

 private:
  explicit FieldSet(const internal::FieldNode* node) : node_(node) {}

  const internal::FieldNode* node_ = nullptr;
};

}  // namespace capstan
