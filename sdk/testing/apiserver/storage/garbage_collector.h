#pragma once

// What a cluster's own controllers do around deletions: dependents of owners that are gone are
// deleted (background), deleted first (foreground) or freed (orphan); a namespace that is being
// deleted is emptied and goes.
// https://kubernetes.io/docs/concepts/architecture/garbage-collection/

#include <memory>
#include <stop_token>

#include <capstan/runtime/runtime.h>

#include "apiserver/schema/resource.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

class GarbageCollector {
 public:
  // Starts a thread that works through every change.
  GarbageCollector(Store& store, ResourceCatalog& catalog, Runtime& runtime);
  ~GarbageCollector();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::testing::server
