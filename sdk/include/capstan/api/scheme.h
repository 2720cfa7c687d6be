#pragma once

/// Scheme: maps the kinds and resources of API versions to the structs that describe them.
///
/// A resource may have several structs, e.g. libcapstan's struct and a plugin's projection. A
/// look-up by kind or resource returns the struct that was added first.
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
  /// Creates a scheme with libcapstan's own types.
  Scheme();
  Scheme(const Scheme&) = delete;
  Scheme& operator=(const Scheme&) = delete;

  /// Adds a type. Adding it again has no effect. InvalidArgument if the type is not a resource, or
  /// if it disagrees with an earlier type on a kind's resource name or scope.
  Status Add(const TypeDescriptor& type);
  template <ApiObject T>
  Status Add() {
    return Add(DescriptorOf<T>());
  }

  /// Null if unknown. `group` is "" for core.
  const TypeDescriptor* FindKind(std::string_view group, std::string_view version,
                                 std::string_view kind) const;
  const TypeDescriptor* FindResource(std::string_view group, std::string_view version,
                                     std::string_view resource) const;
  /// All types of one kind, in the order of addition.
  std::vector<const TypeDescriptor*> TypesOf(std::string_view group, std::string_view version,
                                             std::string_view kind) const;

 private:
  mutable Mutex mutex_;
  std::vector<const TypeDescriptor*> types_ CAPSTAN_GUARDED_BY(mutex_);
};

}  // namespace capstan
