#pragma once

/// Decodes an API list in the protobuf encoding while its bytes arrive.

#include <cstddef>
#include <memory>

#include "api/list_reader.h"

namespace capstan::protobuf {

/// Reads a list in protobuf. `sink` must outlive the reader. An item, or a part of the envelope,
/// that is larger than `item_limit` bytes is Malformed.
std::unique_ptr<ListReader> NewListReader(const TypeDescriptor& item_type, const ListSink& sink,
                                          const FieldSet& fields = {},
                                          size_t item_limit = ListReader::kItemLimit);

}  // namespace capstan::protobuf
