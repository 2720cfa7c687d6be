#pragma once

// In which form a request wants its answer.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources

#include <cstdint>
#include <string>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::testing::server {

struct MediaType {
  enum class As : uint8_t { kObject, kTable, kPartialMetadata, kPartialMetadataList };
  As as = As::kObject;
  std::string meta_version = "v1";  // of meta.k8s.io: v1 or v1beta1
  bool yaml = false;                // a JSON text is one of YAML too
  bool pretty = false;

  std::string ContentType() const { return yaml ? "application/yaml" : "application/json"; }
  // "meta.k8s.io/v1"
  std::string MetaApiVersion() const { return "meta.k8s.io/" + meta_version; }
};

enum class Endpoint : uint8_t { kObject, kCollection, kWatch };

// The best of what `accept` offers. Errors: NotAcceptable.
Result<MediaType> Negotiate(std::string_view accept, Endpoint endpoint, bool custom = false);

// "Application/JSON; charset=utf-8" → "application/json"; what is no media type becomes "invalid".
std::string MediaTypeName(std::string_view content_type);

}  // namespace capstan::testing::server
