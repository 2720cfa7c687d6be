#pragma once

/// Decodes an API list ("DeploymentList", ...) item by item, without holding all of it.

#include <functional>
#include <string>

#include <capstan/api/field_set.h>
#include <capstan/api/meta_v1.h>
#include <capstan/api/object.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct ListMetadata {
  std::string resource_version;
  std::string continue_token;  ///< "" on the last page
};

struct ListSink {
  std::function<void(ObjectPtr item)> on_item;
  /// Receives an item that is well-formed JSON but does not fit the type. The list continues after
  /// it. `name` is what could be read of the name and may be empty. This function may be null.
  std::function<void(const NamespacedName& name, const Status& status)> on_malformed;
};

/// Calls `sink` for each member of "items" in order. `json` is used as scratch space, so move it
/// in. Truncated or broken JSON is a Malformed error. The caller must then discard what `sink` has
/// received.
Result<ListMetadata> DecodeList(const TypeDescriptor& item_type, std::string json,
                                const ListSink& sink, const FieldSet& fields = {});

}  // namespace capstan
