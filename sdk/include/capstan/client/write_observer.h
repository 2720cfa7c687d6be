#pragma once

/// WriteObserver: approves the writes of a Client (Client::WithWriteObserver) and is notified of
/// them.
///
/// Threads: called on the writing thread. Concurrent writes cause concurrent calls.

#include <capstan/api/object.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

class CAPSTAN_EXPORT WriteObserver {
 public:
  virtual ~WriteObserver();
  /// Called before a creation or deletion is sent. For a creation, `name` has at most a namespace,
  /// and `sent` is the object to create, of which it has only the metadata without annotations. For
  /// a deletion, `sent` is null. An error prevents the write and is returned to its caller. May
  /// block.
  virtual Status MayWrite(const TypeDescriptor& type, const NamespacedName& name,
                          const ObjectPtr& sent);
  /// Called before a patch is sent, except patches of a subresource. Otherwise as MayWrite.
  virtual Status MayPatch(const TypeDescriptor& type, const NamespacedName& name);
  /// A creation or patch has succeeded. `object` is the object in the response.
  virtual void Written(const TypeDescriptor& type, const ObjectPtr& object) = 0;
  /// The outcome of a creation or patch is unknown. `sent` is as in MayWrite.
  /// For a patch, `sent` is null and `name` is the name of the object.
  virtual void Lost(const TypeDescriptor& type, const NamespacedName& name,
                    const ObjectPtr& sent) = 0;
  /// A deletion that MayWrite permitted is about to be sent. A call of Deleted follows.
  virtual void Deleting(const TypeDescriptor& type, const NamespacedName& name) = 0;
  virtual void Deleted(const TypeDescriptor& type, const NamespacedName& name,
                       const Status& outcome) = 0;
};

}  // namespace capstan
