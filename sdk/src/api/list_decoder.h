#pragma once

// Decodes an API list ("DeploymentList", ...) item by item, without holding it as a whole.

#include <functional>
#include <string>

#include <capstan/api/field_set.h>
#include <capstan/api/meta_v1.h>
#include <capstan/api/object.h>
#include <capstan/runtime/status.h>

namespace capstan {

struct ListMetadata {
  std::string resource_version;
  std::string continue_token;  // "" on the last page
};

struct ListSink {
  std::function<void(ObjectPtr item)> on_item;
  // An item that is well-formed JSON but does not fit the type; the list goes on after it. `name`
  // is what could be read of it and may be empty. May be left null.
  std::function<void(const NamespacedName& name, const Status& status)> on_malformed;
};

// Calls `sink` for each member of "items" in order. `json` is used as scratch space: move it in.
// Torn or broken JSON is a Malformed error; what `sink` has been given until then is to be dropped.
Result<ListMetadata> DecodeList(const TypeDescriptor& item_type, std::string json,
                                const ListSink& sink, const FieldSet& fields = {});

}  // namespace capstan
