#pragma once

/// The envelope of objects in Kubernetes' protobuf encoding: the bytes "k8s\0" and a
/// runtime.Unknown message with the apiVersion, the kind and the message of the object.
/// https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding

#include <cstdint>
#include <string_view>

#include <capstan/runtime/status.h>

namespace capstan::protobuf {

inline constexpr std::string_view kMagic("k8s\0", 4);

/// Field numbers of runtime.Unknown.
enum EnvelopeField : uint32_t { kTypeMeta = 1, kRaw = 2, kContentEncoding = 3, kContentType = 4 };

struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;  ///< the message of the object
};

/// The error of bytes that do not start with kMagic.
Status WithoutMagic();
/// Returns views into `bytes`. Malformed if this is no envelope, or if the object is compressed.
Result<Envelope> OpenEnvelope(std::string_view bytes);

/// Reads a TypeMeta message.
Status ReadTypeMeta(std::string_view message, Envelope& envelope);
/// An object with an encoding (compressed) cannot be read. "" is no encoding.
Status CheckContentEncoding(std::string_view encoding);

}  // namespace capstan::protobuf
