#pragma once

/// Scheme: which struct describes which kind and resource of which API version.
///
/// A resource may have several structs (a projection of a plugin's own beside libcapstan's); the
/// first that was added is the one that a look-up by kind or resource finds.
///
/// Threads: all methods may be called from any thread. Types are never removed.

#include <string_view>
#include <vector>

#include <capstan/api/descriptor.h>
#include <capstan/export.h>
#include <capstan/runtime/mutex.h>
#include <capstan/runtime/status.h>

namespace capstan {

class CAPSTAN_EXPORT Scheme {
 public:
  /// A scheme that knows libcapstan's own types.
  Scheme();
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;

  /// Adds a type; adding it again changes nothing. InvalidArgument when the type is no resource, or
  /// when it disagrees with an earlier one on a kind's resource name or scope.
  Status Add(const TypeDescriptor& type);
  template <ApiObject T>
  Status Add() {
    return Add(DescriptorOf<T>());
  }

  /// Null when unknown. `group` is "" for core.
  const TypeDescriptor* FindKind(std::string_view group, std::string_view version,
                                 std::string_view kind) const;
  const TypeDescriptor* FindResource(std::string_view group, std::string_view version,
                                     std::string_view resource) const;
  /// All types of one kind, in the order in which they were added.
  std::vector<const TypeDescriptor*> TypesOf(std::string_view group, std::string_view version,
                                             std::string_view kind) const;

 private:
  mutable Mutex mutex_;
  std::vector<const TypeDescriptor*> types_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
