#pragma once

// create, update, patch, apply, delete, deletecollection, and the subresources that write.

#include <memory>
#include <string>

#include <capstan/runtime/runtime.h>

#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"
#include "apiserver/storage/registry.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

// 201 with the object when it is new, else 200.
ApiAnswer AnswerOf(Written written);

// Threads: Serve may be called from any thread.
class Writer {
 public:
  Writer(Store& store, ResourceCatalog& catalog, Runtime& runtime, bool validates = true)
      : registry_(store, catalog, runtime, validates) {}

  // `request.verb` is one of create, update, patch, apply, delete and deletecollection, or one of
  // the subresource's. `warnings` gets the answer's, whether it is an error or not.
  Result<ApiAnswer> Serve(const ApiRequest& request, Warnings& warnings);

  // The rest is for the handlers of subresources (subresource/subresources.h).

  // An object, or a part that is the object itself.
  Result<ApiAnswer> ServeObject(const ApiRequest& request, Warnings& warnings);
  // Nothing is created in a namespace that is not there or about to go.
  Status AdmitCreation(const ApiRequest& request, const json::Value& object);
  Registry& registry() { return registry_; }

 private:
  Result<ApiAnswer> Create(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Update(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Patch(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Apply(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Delete(const ApiRequest& request);
  Result<ApiAnswer> DeleteCollection(const ApiRequest& request);

  Registry registry_;
};

}  // namespace capstan::testing::server
