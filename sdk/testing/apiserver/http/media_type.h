#pragma once

/// Negotiates the representation of a response.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

struct MediaType {
  enum class As : uint8_t { kObject, kTable, kPartialMetadata, kPartialMetadataList };
  As as = As::kObject;
  std::string meta_version = "v1";  ///< version of meta.k8s.io: v1 or v1beta1
  bool yaml = false;                ///< bodies stay JSON, which is valid YAML
  bool protobuf = false;            ///< not for tables
  bool pretty = false;

  std::string ContentType() const {
    if (protobuf) return "application/vnd.kubernetes.protobuf";
    return yaml ? "application/yaml" : "application/json";
  }
  /// "meta.k8s.io/v1"
  std::string MetaApiVersion() const { return "meta.k8s.io/" + meta_version; }
};

enum class Endpoint : uint8_t { kObject, kCollection, kWatch };

/// What a resource can be encoded as. Custom resources have no protobuf form, except of their
/// metadata.
enum class Encodings : uint8_t { kAll, kNoProtobuf, kCustom };

/// Returns the preferred served media type of `accept`. Errors: NotAcceptable.
Result<MediaType> Negotiate(std::string_view accept, Endpoint endpoint,
                            Encodings encodings = Encodings::kAll);

/// "Application/JSON; charset=utf-8" becomes "application/json". A text that is not a media type
/// becomes "invalid".
std::string MediaTypeName(std::string_view content_type);

}  // namespace capstan::testing::server
