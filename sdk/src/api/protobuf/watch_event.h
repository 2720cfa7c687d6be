#pragma once

/// Decodes one event of a watch in the protobuf encoding. The stream is a sequence of frames: the
/// length in 4 bytes, the most significant first, and a meta/v1 WatchEvent message, which has no
/// envelope, but whose object has one.

#include <string_view>

#include "api/watch_decoder.h"

namespace capstan::protobuf {

/// `frame` is a frame without its length. A malformed event, or an unknown event type, is a
/// Malformed error: the rest of the stream cannot be trusted.
Result<WatchFrame> DecodeWatchEvent(const TypeDescriptor& type, std::string_view frame,
                                    const FieldSet& fields = {});

}  // namespace capstan::protobuf
