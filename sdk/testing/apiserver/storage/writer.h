#pragma once

/// Serves create, update, patch, apply, delete, deletecollection, and the subresources that write.

#include <memory>
#include <string>

#include <capstan/runtime/runtime.h>

#include "apiserver/http/request.h"
#include "apiserver/http/warnings.h"
#include "apiserver/storage/registry.h"
#include "apiserver/storage/store.h"

namespace capstan::testing::server {

/// Returns 201 with the object if it was created, otherwise 200.
ApiAnswer AnswerOf(Written written);

/// Threads: Serve may be called from any thread.
class Writer {
 public:
  Writer(Store& store, ResourceCatalog& catalog, Runtime& runtime, bool validates = true)
      : registry_(store, catalog, runtime, validates) {}

  /// `request.verb` is one of create, update, patch, apply, delete and deletecollection, or a verb
  /// of the subresource. `warnings` receives the warnings of the response, including those of an
  /// error.
  Result<ApiAnswer> Serve(const ApiRequest& request, Warnings& warnings);

  // The methods below are for the handlers of subresources (subresource/subresources.h).

  /// Serves a write of an object, or of a subresource with the object's kind.
  Result<ApiAnswer> ServeObject(const ApiRequest& request, Warnings& warnings);
  /// Rejects a creation in a namespace that does not exist or is being deleted.
  Status AdmitCreation(const ApiRequest& request, const json::Value& object);
  Registry& registry() { return registry_; }

 private:
  Result<ApiAnswer> Create(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Update(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Patch(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Apply(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> Delete(const ApiRequest& request, Warnings& warnings);
  Result<ApiAnswer> DeleteCollection(const ApiRequest& request, Warnings& warnings);

  Registry registry_;
};

}  // namespace capstan::testing::server
