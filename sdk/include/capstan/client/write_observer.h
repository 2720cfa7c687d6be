#pragma once

/// WriteObserver: is asked before, and told of, the writes of a Client that was made by
/// Client::WithWriteObserver.
///
/// Threads: called on the thread that writes; by several at once when several write.

#include <capstan/api/object.h>
#include <capstan/export.h>
#include <capstan/runtime/status.h>

namespace capstan {

class CAPSTAN_EXPORT WriteObserver {
 public:
  virtual ~WriteObserver();
  /// A creation (`name` has a namespace at most) or deletion (`sent` is null) is about to be sent;
  /// an error keeps it from that and is what its caller gets. May wait.
  virtual Status MayWrite(const TypeDescriptor& type, const NamespacedName& name,
                          const ObjectPtr& sent);
  /// A patch is about to be sent, of no subresource; as for MayWrite.
  virtual Status MayPatch(const TypeDescriptor& type, const NamespacedName& name);
  /// A creation or patch has succeeded; `object` is what the server answered.
  virtual void Written(const TypeDescriptor& type, const ObjectPtr& object) = 0;
  /// Whether a creation or patch has taken effect is not known. `sent` is the object that was to be
  /// created; of a patch it is null, and `name` the object's.
  virtual void Lost(const TypeDescriptor& type, const NamespacedName& name,
                    const ObjectPtr& sent) = 0;
  /// A deletion that MayWrite let pass is about to be sent. Deleted follows.
  virtual void Deleting(const TypeDescriptor& type, const NamespacedName& name) = 0;
  virtual void Deleted(const TypeDescriptor& type, const NamespacedName& name,
                       const Status& outcome) = 0;
};

}  // namespace capstan
