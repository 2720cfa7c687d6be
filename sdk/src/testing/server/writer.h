#pragma once

// create, update, patch, apply, delete, deletecollection, and the subresources that write.

#include <memory>
#include <string>

#include <capstan/runtime/runtime.h>

#include "testing/server/request.h"
#include "testing/server/store.h"

namespace capstan::testing::server {

class Writer {
 public:
  Writer(Store& store, ResourceCatalog& catalog, Runtime& runtime)
      : store_(store), catalog_(catalog), runtime_(runtime) {}

  // `request.verb` is one of create, update, patch, apply, delete and deletecollection;
  // subresources status, scale (get too), binding, eviction.
  Result<ApiAnswer> Serve(const ApiRequest& request);

 private:
  Store& store_;
  ResourceCatalog& catalog_;
  Runtime& runtime_;
};

}  // namespace capstan::testing::server
