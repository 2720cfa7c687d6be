#pragma once

/// ListReader: decodes an API list ("DeploymentList", ...) while its bytes arrive. It holds one
/// item at a time, never the whole list.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

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
  /// Receives an item that is well-formed but does not fit the type. The list continues after it.
  /// `name` is what could be read of the name and may be empty. This function may be null.
  std::function<void(const NamespacedName& name, const Status& status)> on_malformed;
};

class ListReader {
 public:
  /// The largest item. No API object is larger: etcd refuses requests of more than 1.5 MiB by
  /// default.
  static constexpr size_t kItemLimit = size_t{16} << 20;

  virtual ~ListReader();
  /// Takes the next bytes of the list and calls the sink for each item that they complete, in
  /// order. After an error, which is always Malformed, the caller must discard what the sink has
  /// received.
  virtual Status Feed(std::string_view bytes) = 0;
  /// Call it once, after the last byte. A truncated list is Malformed.
  virtual Result<ListMetadata> Finish() = 0;
};

/// Reads a list in JSON. `sink` must outlive the reader. An item, or everything around the items,
/// that is larger than `item_limit` bytes is Malformed.
std::unique_ptr<ListReader> NewJsonListReader(const TypeDescriptor& item_type, const ListSink& sink,
                                              const FieldSet& fields = {},
                                              size_t item_limit = ListReader::kItemLimit);

}  // namespace capstan
