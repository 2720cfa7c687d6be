#pragma once

/// FieldSet: a set of fields of a type, named by their JSON paths.
///
///     spec.nodeName                           with all that is below it
///     status.containerStatuses.restartCount   of every element of a list
///     status.conditions[type=Ready]           of a list: the elements with this member
///     metadata.annotations[example.dev/cost]  of a map: this key
///
/// A cache keeps the union of the fields that its readers name. The decoder skips all other fields
/// without allocation. Every set contains the metadata of a resource, except the annotations.
///
/// Threads: a value of 8 bytes. Equal sets share one tree. A tree is never freed, as there are only
/// a few per type.

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
  /// InvalidArgument: the message names the path that does not exist in the type, and lists the
  /// fields that exist.
  static Result<FieldSet> Of(const TypeDescriptor& type, std::span<const std::string_view> paths);

  bool IsAll() const { return node_ == nullptr; }
  /// Both sets must be of the same type.
  FieldSet Union(const FieldSet& other) const;
  bool Contains(const FieldSet& other) const;
  /// The paths, without the metadata that is always included. Empty for all fields.
  std::vector<std::string> Paths() const;

  friend bool operator==(const FieldSet&, const FieldSet&) = default;

  /// Internal to libcapstan. Null means all fields.
  const internal::FieldNode* node() const { return node_; }

 private:
  explicit FieldSet(const internal::FieldNode* node) : node_(node) {}

  const internal::FieldNode* node_ = nullptr;
};

}  // namespace capstan
