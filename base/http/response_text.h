#pragma once

/// Encoding of HTTP/1.1 responses.

#include <string>
#include <string_view>

#include "base/http/mux.h"

namespace capstan::http {

/// How the client finds the end of the body.
enum class BodyFraming {
  kLength,   ///< Content-Length: the response holds the whole body
  kChunked,  ///< chunked encoding of a stream
  kClose,    ///< a stream that ends with the connection, for HTTP/1.0 clients
};

/// The status line, the headers and the empty line. A header that contains a line break or has no
/// name cannot be sent and is left out.
std::string ResponseHead(const ServerResponse& response, bool keeps_alive, BodyFraming framing);

/// Adds chunk framing around `data`. `data` must not be empty, since an empty chunk ends the body.
void FrameChunk(std::string& data);
/// The last chunk, which ends a chunked body.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace capstan::http
