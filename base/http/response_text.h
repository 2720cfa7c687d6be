#pragma once

/// How a response looks on the wire.

#include <string>
#include <string_view>

#include "base/http/mux.h"

namespace capstan::http {

/// How the client knows where the body ends.
enum class BodyFraming {
  kLength,   ///< the response has all of it
  kChunked,  ///< of a stream
  kClose,    ///< of a stream, for a client of HTTP/1.0
};

/// All before the body, the empty line too. A header that cannot be sent as it is, since it holds
/// a line break or has no name, is left out.
std::string ResponseHead(const ServerResponse& response, bool keeps_alive, BodyFraming framing);

/// Puts what a chunk needs around `data`. Empty data would end the body.
void FrameChunk(std::string& data);
/// What ends a chunked body.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace capstan::http
