#pragma once

/// Decodes an API list in the protobuf encoding while its bytes arrive. At most one item is held.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/api/field_set.h>

#include "api/list_decoder.h"
#include "api/protobuf/envelope.h"
#include "base/protobuf/wire_reader.h"

namespace capstan::protobuf {

class ListReader {
 public:
  /// The largest item, as in JSON.
  static constexpr size_t kItemLimit = size_t{16} << 20;

  /// `item_type` and `sink` must outlive the reader.
  ListReader(const TypeDescriptor& item_type, const ListSink& sink, const FieldSet& fields = {},
             size_t item_limit = kItemLimit)
      : item_type_(item_type), sink_(sink), fields_(fields), item_limit_(item_limit) {}

  /// Calls the sink for each item that is complete now. After an error, which is Malformed, the
  /// caller must discard what the sink has received.
  Status Feed(std::string_view bytes);
  /// Call it after the last bytes. Malformed if the list is incomplete.
  Result<ListMetadata> Finish();

 private:
  enum class Part : uint8_t { kMagic, kEnvelope, kList };

  // Reads all that is complete in `bytes`, and removes it.
  Status ReadComplete(std::string_view& bytes);
  // Reads what `bytes` begins with. `used` is how much of it was read; 0: more is needed.
  Status Read(std::string_view bytes, size_t& used);
  Status ReadMagic(std::string_view bytes, size_t& used);
  Status ReadEnvelopeField(const FieldHead& field, std::string_view content);
  Status BeginList(uint64_t size);
  Status ReadListField(const FieldHead& field, std::string_view content);
  Status ReadMetadata(std::string_view message);
  void ReadItem(std::string_view message);

  const TypeDescriptor& item_type_;
  const ListSink& sink_;
  const FieldSet fields_;
  const size_t item_limit_;
  Part part_ = Part::kMagic;
  std::string pending_;     // the beginning of an item
  uint64_t list_left_ = 0;  // the bytes of the list that have not been read
  bool has_list_ = false;
  ListMetadata metadata_;
};

/// The same for a list that has arrived.
Result<ListMetadata> DecodeList(const TypeDescriptor& item_type, std::string_view bytes,
                                const ListSink& sink, const FieldSet& fields = {});

}  // namespace capstan::protobuf
