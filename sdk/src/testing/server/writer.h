#pragma once

// create, update, patch, apply, delete, deletecollection, and the subresources that write.

#include <memory>
#include <string>

#include <capstan/runtime/runtime.h>

#include "testing/server/registry.h"
#include "testing/server/request.h"
#include "testing/server/store.h"

namespace capstan::testing::server {

// Threads: Serve may be called from any thread.
class Writer {
 public:
  Writer(Store& store, ResourceCatalog& catalog, Runtime& runtime)
      : registry_(store, catalog, runtime) {}

  // `request.verb` is one of create, update, patch, apply, delete and deletecollection;
  // subresources status, scale (get too), binding, eviction, token, finalize.
  Result<ApiAnswer> Serve(const ApiRequest& request);

 private:
  Result<ApiAnswer> ServeObject(const ApiRequest& request);
  Result<ApiAnswer> ServeScale(const ApiRequest& request);
  Result<ApiAnswer> ServeCreation(const ApiRequest& request);  // of a subresource

  Result<ApiAnswer> Create(const ApiRequest& request);
  Result<ApiAnswer> Update(const ApiRequest& request);
  Result<ApiAnswer> Patch(const ApiRequest& request);
  Result<ApiAnswer> Apply(const ApiRequest& request);
  Result<ApiAnswer> Delete(const ApiRequest& request);
  Result<ApiAnswer> DeleteCollection(const ApiRequest& request);
  Result<ApiAnswer> GetScale(const ApiRequest& request);
  Result<ApiAnswer> UpdateScale(const ApiRequest& request);
  Result<ApiAnswer> PatchScale(const ApiRequest& request);
  Result<ApiAnswer> Bind(const ApiRequest& request, bool by_collection);
  Result<ApiAnswer> Evict(const ApiRequest& request);
  Result<ApiAnswer> RequestToken(const ApiRequest& request);

  // Nothing is created in a namespace that is not there or about to go.
  Status AdmitCreation(const ApiRequest& request, const json::Value& object);

  Registry registry_;
};

}  // namespace capstan::testing::server
