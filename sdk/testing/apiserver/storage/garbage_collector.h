#pragma once

/// Does the work of the garbage collector and namespace controller of a cluster. Dependents of
/// removed owners are deleted (background), deleted first (foreground) or released (orphan). The
/// objects in a namespace that is being deleted are deleted, then the namespace.
/// https://kubernetes.io/docs/concepts/architecture/garbage-collection/

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

#include "apiserver/schema/resource.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

class GarbageCollector {
 public:
  /// Starts a thread that processes all changes.
  GarbageCollector(Store& store, ResourceCatalog& catalog, Runtime& runtime);
  ~GarbageCollector();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing::server
